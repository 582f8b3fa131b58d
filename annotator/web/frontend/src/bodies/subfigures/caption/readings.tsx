/** What each annotator read, below the caption. */

import { keepFocus } from "../../../frame/controls";
import { Marks } from "../../../frame/findings";
import { run } from "../../../session/commands";
import type { Session } from "../../../session/session";
import { dashName, dashOf } from "../colours";
import { chosenPanel, type Subfigures } from "../model";
import { WORK_WORDS } from "../../../wire/types";
import type { Annotation, FigureState } from "../types";
import { candidateOf, readingOf } from "../work";
import { differing, gist, textOf, type TokenSet } from "./tokens";

/** One line an annotator: whether their boxes show, and their text of the chosen subfigure, there to be taken. */
export function Readings({ session }: { session: Session<Subfigures> }) {
  const { model, screen } = session;
  const { state } = model;
  const panel = chosenPanel(model);
  const candidate = candidateOf(state, panel);
  const loud = new Set(candidate ? differing(candidate) : []);
  return (
    <ul class="readings" aria-label={session.body.who === "reviewer" ? "What each annotator read" : "What was predicted"}>
      {state.annotators.map((annotator, i) => {
        const annotation = state.annotations.find((each) => each.annotator === annotator.key);
        const reading = panel ? readingOf(state, panel, annotator.key) : null;
        const same = reading !== null && panel !== undefined && reading.tokens.join() === panel.tokens.join();
        return (
          <li key={annotator.key}>
            <button
              type="button"
              class="layer"
              aria-pressed={screen.layers[i] ?? false}
              aria-label={`Boxes of ${annotator.name}, ${dashName(i)}`}
              title={`Boxes of ${annotator.name} (${dashName(i)} line): Alt ${i + 1}`}
              onMouseDown={keepFocus}
              onClick={() => run(session, { do: "layer", annotator: i })}
            >
              <svg viewBox="0 0 32 8" width="32" height="8" aria-hidden="true">
                <line x1="1" y1="4" x2="31" y2="4" stroke-dasharray={dashOf(i)} />
              </svg>
            </button>
            <button
              type="button"
              class={`reading${same ? " same" : ""}`}
              disabled={!reading}
              aria-pressed={same}
              title={reading ? textOf(state.caption.tokens, reading.tokens) || "no subcaption" : undefined}
              onMouseDown={keepFocus}
              onClick={() => session.act({ type: "adopt", annotator: i, box: false })}
            >
              <kbd>{i + 1}</kbd>
              <span class="aj-text" dir="auto">
                {reading ? <Marked state={state} tokens={reading.tokens} loud={loud} /> : absent(annotation)}
              </span>
              <span class="same-mark">{same ? "✓" : ""}</span>
              <Marks findings={(state.findings?.[annotator.key] ?? []).filter(({ item }) => item === "" || item === panel?.label)} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** What an annotator did who has no text of the chosen subfigure. */
function absent(annotation: Annotation | undefined): string {
  if (annotation === undefined) return "has not annotated this figure";
  const { status, reason, subfigures } = annotation;
  if (status === "accepted") return `kept the figure, ${subfigures.length} subfigure${subfigures.length === 1 ? "" : "s"}`;
  return `${WORK_WORDS[status]} the figure${reason ? `: ${reason}` : ""}`;
}

/** The text around what annotators differ in, that marked, and what this one left out struck. */
function Marked({ state, tokens, loud }: { state: FigureState; tokens: TokenSet; loud: ReadonlySet<number> }) {
  if (tokens.length === 0 && loud.size === 0) return <em>no subcaption</em>;
  const has = new Set(tokens);
  return (
    <>
      {tokens.length === 0 && <em>no subcaption </em>}
      {gist(tokens, loud, state.caption.tokens).map((part, i) => {
        if (part === null) return <span key={i}> … </span>;
        const token = state.caption.tokens[part];
        if (!token) return null;
        const gap = token.space || token.newline ? " " : "";
        if (!loud.has(part)) return token.text + gap;
        return has.has(part) ? [<mark key={i}>{token.text}</mark>, gap] : [<del key={i}>{token.text}</del>, gap];
      })}
    </>
  );
}
