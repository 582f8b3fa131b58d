/** What is around a figure whose subfigures are given: header and footer line, the chosen one's bar, the locked boxes. */

import { BUTTON, enterDoes } from "./enter";
import { Hint } from "./notices";
import { colourOf } from "./colours";
import { chosenPanel, isDirty } from "./model";
import { keepFocus, LabelTag } from "./panels";
import type { Session } from "./session";
import { when } from "./when";
import { openIds } from "./work";

export function BlindHeader({ session, queueUrl }: { session: Session; queueUrl: string }) {
  const { model, screen } = session;
  const { state } = model;
  const { blind } = state;
  if (!blind) return null;
  const open = openIds(model.work).length;
  const { decided, total } = state.progress;
  return (
    <header class="aj-head">
      <a class="home" href={queueUrl} title="Back to your blind figures">
        ‹ Blind
      </a>
      <h1 class="home">
        Figure {blind.place} of {blind.total}
      </h1>
      <span>phase {state.phase}, blind</span>
      <span class="aj-progress">
        <progress value={decided} max={Math.max(total, 1)} aria-label="Figures written" /> {decided} written
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>{open > 0 ? `◆ ${open} left` : "✓ none left"}</span>
      <span class="live" role="status" aria-live="polite">
        {model.said}
      </span>
      <span class="saved">{savedText(session)}</span>
      <button
        type="button"
        class="quiet"
        aria-pressed={screen.guideline.shown}
        title="The campaign's guidelines (G)"
        onClick={() => session.run({ do: "guideline" })}
      >
        Guidelines
      </button>
      <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => session.run({ do: "sheet" })}>
        ?
      </button>
    </header>
  );
}

function savedText({ model, screen }: Session): string {
  if (screen.saving) return "Saving…";
  if (screen.offline) return isDirty(model) || screen.notice?.kind === "failed" ? "Offline: draft kept here" : "Offline";
  if (screen.notice?.kind === "failed" || screen.notice?.kind === "conflict") return "Not saved";
  if (isDirty(model)) return "Draft kept here";
  const { decision } = model.state;
  if (!decision) return "Not saved yet";
  return `${decision.status === "rejected" ? "Saved as unfit" : "Saved"} ${when(decision.decided_at)}`;
}

/** The chosen subfigure, and the one thing to say of it that is no word. Its height never changes. */
export function BlindBar({ session }: { session: Session }) {
  const { state } = session.model;
  const panel = chosenPanel(session.model);
  return (
    <div class="aj-bar" role="toolbar" aria-label="Chosen subfigure">
      {panel && <LabelTag state={state} label={panel.label} />}
      <span class="given">box given {state.blind?.source}</span>
      <button
        type="button"
        disabled={!panel}
        aria-pressed={panel?.review === "accepted" && panel.tokens.length === 0}
        onMouseDown={keepFocus}
        onClick={() => session.act({ type: "none" })}
      >
        No subcaption <kbd>0</kbd>
      </button>
    </div>
  );
}

export function BlindFooter({ session }: { session: Session }) {
  const { model, screen } = session;
  const open = openIds(model.work).length;
  const off = !chosenPanel(model);
  return (
    <footer class="aj-foot">
      <div class="hints">
        <Hint session={session} keys="J K" run={{ do: "act", action: { type: "step", by: 1, among: "open" } }} off={open === 0}>
          to write
        </Hint>
        <Hint session={session} keys="↓ ↑" run={{ do: "act", action: { type: "step", by: 1, among: "all" } }}>
          subfigure
        </Hint>
        <Hint session={session} keys="Space" run={{ do: "act", action: { type: "toggle" } }} off={off}>
          in/out
        </Hint>
        <Hint session={session} keys="]" run={{ do: "act", action: { type: "adjust", edge: "end", by: 1 } }} off={off}>
          longer
        </Hint>
        <Hint session={session} keys="[" run={{ do: "act", action: { type: "adjust", edge: "end", by: -1 } }} off={off}>
          shorter
        </Hint>
        <Hint session={session} keys="0" run={{ do: "act", action: { type: "none" } }} off={off}>
          no subcaption
        </Hint>
        <Hint session={session} keys="Ctrl Z" run={{ do: "act", action: { type: "undo" } }} off={model.past.length === 0}>
          undo
        </Hint>
      </div>
      <Hint session={session} keys="P" run={{ do: "skip" }}>
        later
      </Hint>
      <Hint session={session} keys="X" run={{ do: "reject-figure" }}>
        unfit
      </Hint>
      <button
        type="button"
        class="primary"
        disabled={screen.saving || screen.notice?.kind === "conflict"}
        onMouseDown={keepFocus}
        onClick={() => session.run({ do: "save", forced: false })}
      >
        {open === 0 ? BUTTON[enterDoes(model, isDirty(model))] : "Next to write"} <kbd>Enter</kbd>
      </button>
    </footer>
  );
}

/** The given boxes: a click chooses one, and nothing moves it. */
export function GivenBoxes({ session }: { session: Session }) {
  const { state, work, chosen } = session.model;
  return (
    <svg class="given-boxes" viewBox={`0 0 ${state.width} ${state.height}`} preserveAspectRatio="none" aria-hidden="true">
      {bySize(work.panels).map(({ id, label, box: [x0, y0, x1, y1] }) => (
        <rect
          key={id}
          data-given={id}
          class={id === chosen ? "chosen" : ""}
          x={x0}
          y={y0}
          width={x1 - x0}
          height={y1 - y0}
          stroke={colourOf(state, label)}
          onClick={() => session.act({ type: "choose", id })}
        />
      ))}
    </svg>
  );
}

/** The largest first, so that one within another can be clicked. */
function bySize<T extends { box: readonly [number, number, number, number] }>(panels: readonly T[]): T[] {
  const area = ({ box: [x0, y0, x1, y1] }: T) => (x1 - x0) * (y1 - y0);
  return [...panels].sort((a, b) => area(b) - area(a));
}
