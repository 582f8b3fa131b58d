/** The list of what is to be decided: one line a thing, the chosen one marked. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { FIGURE, type Kind } from "../session/kind";
import type { Session } from "../session/session";
import { keepFocus } from "./controls";

interface ListProps<K extends Kind> {
  session: Session<K>;
  label: string;
  /** What is to be known of the figure, and asks for nothing. */
  remarks: readonly (string | undefined)[];
  onPointerDown?: (event: PointerEvent) => void;
  children: ComponentChildren;
}

export function List<K extends Kind>({ session, label, remarks, onPointerDown, children }: ListProps<K>) {
  const { chosen, work, state } = session.model;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current='true']")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const reasons = state.reasons ?? [];
  const lines = [...remarks, state.review?.told, ...(work.figureOpen ? [] : reasons)].filter((line) => line);
  return (
    <ul class="aj-panels" ref={list} aria-label={label} onPointerDown={onPointerDown}>
      {lines.length > 0 && <li class="remark">{lines.join("; ")}</li>}
      {work.figureOpen && (
        <Row session={session} id={FIGURE} look="open">
          <span class="aj-label plain">Fig</span>
          <span class="why">{reasons.join(", ") || "annotators differ on its status"}</span>
          <span class="who">keep or reject</span>
        </Row>
      )}
      {children}
    </ul>
  );
}

/** open: it waits for a decision. Its children: label, text, and whose it is. */
export type Look = "open" | "accepted" | "rejected";

const GLYPHS: Record<Look, string> = { open: "◆", accepted: "✓", rejected: "✕" };

export function Row<K extends Kind>(props: { session: Session<K>; id: string; look: Look; children: ComponentChildren }) {
  const { session, id, look, children } = props;
  const chosen = session.model.chosen === id;
  return (
    <li data-row={id}>
      <button
        type="button"
        class={`aj-row ${look}${chosen ? " chosen" : ""}`}
        aria-current={chosen}
        onMouseDown={keepFocus}
        onClick={() => session.act({ type: "choose", id })}
      >
        <span class="glyph" aria-label={look} role="img">
          {GLYPHS[look]}
        </span>
        {children}
      </button>
    </li>
  );
}
