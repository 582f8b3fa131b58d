/** The campaign's guidelines over the figure. The server parsed them: elements of known kinds, made here one by one. */

import { h, type ComponentChildren } from "preact";
import type { Screen } from "../session/screen";
import type { Kind } from "../session/kind";
import type { Piece } from "../wire/types";

/** Kinds of elements that may stand in the guidelines; headings begin below the panel's own. */
const TAGS: Readonly<Record<string, string>> = {
  h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6",
  ...Object.fromEntries(
    ["p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "hr", "br", "a"].map((tag) => [tag, tag]),
  ),
  ...Object.fromEntries(["table", "thead", "tbody", "tr", "th", "td"].map((tag) => [tag, tag])),
};

/** Where a link may lead. */
const LINK = /^(https?:|mailto:)/i;

interface GuidelineProps {
  screen: Pick<Screen<Kind>, "over" | "guideline">;
  onClose: () => void;
}

export function GuidelinePanel({ screen, onClose }: GuidelineProps) {
  const { over, guideline: text } = screen;
  if (over !== "guideline") return null;
  const ready = text !== null && typeof text === "object";
  return (
    <section class="guideline" id="guideline" tabIndex={0} aria-labelledby="guideline-title">
      <div class="sheet-head">
        <h2 id="guideline-title">Guidelines{ready && text.version ? `, version ${text.version}` : ""}</h2>
        <button type="button" onClick={onClose}>
          Close <kbd>G</kbd>
        </button>
      </div>
      {!ready && (
        <p class="muted" role="status">
          {text === "failed" ? "The guidelines cannot be loaded; close and open them to try again." : "Loading…"}
        </p>
      )}
      {ready && text.blocks.length === 0 && (
        <p class="muted">This campaign has no guidelines yet. Its lead can write them under Campaign, Settings.</p>
      )}
      {ready && text.blocks.map((piece, i) => <Made key={i} piece={piece} />)}
    </section>
  );
}

function Made({ piece }: { piece: Piece }): ComponentChildren {
  if (typeof piece === "string") return piece;
  const tag = TAGS[piece.tag];
  const children = (piece.children ?? []).map((each, i) => <Made key={i} piece={each} />);
  if (tag === undefined) return <>{children}</>;
  if (tag !== "a") return h(tag, { ...(piece.start === undefined ? {} : { start: piece.start }), class: alignOf(piece.align) }, children);
  const { href = "" } = piece;
  if (!LINK.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function alignOf(align: string | undefined): string | undefined {
  return align === "right" || align === "center" ? align : undefined;
}
