/** What stands around the figure and its caption: header line, footer line, inline notices, shortcut sheet. */

import type { ComponentChildren } from "preact";
import type { Command } from "./keys";
import { SHEET } from "./keys";
import { chosenPanel, isDirty } from "./model";
import { keepFocus } from "./panels";
import type { Session } from "./session";
import { openIds } from "./work";

export function Header({ session, queueUrl }: { session: Session; queueUrl: string }) {
  const { state, work } = session.model;
  const open = openIds(work).length;
  const { decided, total } = state.progress;
  return (
    <header class="aj-head">
      <a class="home" href={queueUrl} title="Back to the queue">
        ‹ Queue
      </a>
      <h1 class="home" title={state.figure_id}>{state.figure_id}</h1>
      {state.phase && <span>phase {state.phase}</span>}
      <span class="aj-progress">
        <progress value={decided} max={Math.max(total, 1)} aria-label="Figures settled" /> {decided} of {total}
      </span>
      <span title="Mean agreement of the annotators on this figure">
        agreement {state.agreement === null ? "–" : state.agreement.toFixed(2)}
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>
        {open > 0 ? `◆ ${open} open` : "✓ none open"}
      </span>
      <span class="live" role="status" aria-live="polite">
        {session.model.said}
      </span>
      <span class="saved">{savedText(session)}</span>
      <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => session.run({ do: "sheet" })}>
        ?
      </button>
    </header>
  );
}

function savedText({ model, screen }: Session): string {
  if (screen.saving) return "Saving…";
  if (screen.offline) return "Not saved: offline";
  if (screen.notice?.kind === "failed" || screen.notice?.kind === "conflict") return "Not saved";
  if (isDirty(model)) return "Draft kept here";
  const { decision } = model.state;
  return decision ? `${decision.status} by ${decision.reviewer}, ${when(decision.decided_at)}` : "Not settled yet";
}

/** Day and time, short, as the reader's own clock tells them. */
export function when(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  return date.toLocaleString(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

export function Footer({ session }: { session: Session }) {
  const { model, screen } = session;
  const openOnes = openIds(model.work);
  const open = openOnes.length;
  const here = open === 1 && openOnes[0] === model.chosen;
  const panel = chosenPanel(model);
  const n = model.state.annotators.length;
  return (
    <footer class="aj-foot">
      <div class="hints">
        <Hint session={session} keys="J K" run={{ do: "act", action: { type: "step", by: 1, among: "open" } }} off={open === 0}>
          conflicts
        </Hint>
        {screen.pane === "caption" ? (
          <>
            <Hint session={session} keys="." run={{ do: "act", action: { type: "differing", by: 1 } }} off={!panel}>
              difference
            </Hint>
            <Hint session={session} keys="Space" run={{ do: "act", action: { type: "toggle" } }} off={!panel}>
              in or out
            </Hint>
            <Hint session={session} keys="]" run={{ do: "act", action: { type: "adjust", edge: "end", by: 1 } }} off={!panel}>
              longer
            </Hint>
            <Hint session={session} keys="[" run={{ do: "act", action: { type: "adjust", edge: "end", by: -1 } }} off={!panel}>
              shorter
            </Hint>
            {n > 0 && (
              <span class="hint">
                <kbd>{n > 1 ? `1 – ${Math.min(n, 9)}` : "1"}</kbd> take text
              </span>
            )}
          </>
        ) : (
          <>
            <span class="hint">
              <kbd>Arrows</kbd> move
            </span>
            <span class="hint">
              <kbd>Alt Arrows</kbd> resize
            </span>
            <Hint session={session} keys="F" run={{ do: "fit" }}>
              fit
            </Hint>
            <Hint session={session} keys="C" run={{ do: "caption" }}>
              caption
            </Hint>
          </>
        )}
        <Hint session={session} keys="N" run={{ do: "draw" }} pressed={screen.drawing}>
          new box
        </Hint>
        <Hint session={session} keys="V" run={{ do: "layers" }} pressed={screen.layers.some(Boolean)}>
          their boxes
        </Hint>
        <Hint session={session} keys="Ctrl Z" run={{ do: "act", action: { type: "undo" } }} off={model.past.length === 0}>
          undo
        </Hint>
      </div>
      <Hint session={session} keys="X" run={{ do: "reject-figure" }}>
        reject figure
      </Hint>
      <button
        type="button"
        class="primary"
        disabled={screen.saving}
        onMouseDown={keepFocus}
        onClick={() => session.run({ do: "save", forced: false })}
      >
        {open === 0 ? "Save, next" : here ? "A or R settles it" : "Next conflict"} <kbd>Enter</kbd>
      </button>
    </footer>
  );
}

function Hint(props: {
  session: Session;
  keys: string;
  run: Command;
  off?: boolean;
  pressed?: boolean;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class="hint"
      disabled={props.off ?? false}
      aria-pressed={props.pressed}
      onMouseDown={keepFocus}
      onClick={() => props.session.run(props.run)}
    >
      <kbd>{props.keys}</kbd> {props.children}
    </button>
  );
}

/** A row over the panes' lower edge: it moves nothing. */
export function Notices({ session }: { session: Session }) {
  const { notice, saving } = session.screen;
  if (!notice) return null;
  switch (notice.kind) {
    case "conflict":
      return (
        <Notice tone="danger" mark="◆">
          <div class="aj-words">
            <strong>
              {notice.current.reviewer} decided meanwhile, {when(notice.current.decided_at)}.
            </strong>
            <ul>
              {notice.lines.length === 0 && <li>Both decisions say the same.</li>}
              {notice.lines.slice(0, 6).map((line) => (
                <li key={line}>{line}</li>
              ))}
              {notice.lines.length > 6 && <li>and {notice.lines.length - 6} more</li>}
            </ul>
          </div>
          <button type="button" disabled={saving} onClick={() => session.takeTheirs()}>
            Take theirs <kbd>T</kbd>
          </button>
          <button type="button" class="primary" disabled={saving} onClick={() => void session.keepMine()}>
            Keep mine <kbd>M</kbd>
          </button>
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="danger" mark="!">
          <div class="aj-words">
            <strong>Not saved.</strong> {notice.message}
          </div>
          <button type="button" class="primary" disabled={saving} onClick={() => void session.retry()}>
            Retry <kbd>Enter</kbd>
          </button>
          <button type="button" onClick={() => session.show({ notice: null })}>
            Close
          </button>
        </Notice>
      );
    case "draft":
      return (
        <Notice tone="accent" mark="i">
          <div class="aj-words">
            <strong>Unsaved work of {when(notice.saved_at)} recovered.</strong>
          </div>
          <button type="button" onClick={() => session.discardDraft()}>
            Discard
          </button>
          <button type="button" onClick={() => session.run({ do: "escape" })}>
            Keep <kbd>Esc</kbd>
          </button>
        </Notice>
      );
    case "reject":
      return (
        <Notice tone="danger" mark="✕">
          <label class="aj-words grow">
            <span>Why is this figure left out?</span>
            <input
              id="reject-note"
              dir="auto"
              value={session.model.note}
              onInput={(event) => session.act({ type: "note", text: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key === "Enter" && !event.isComposing) void session.dismiss("rejected");
              }}
            />
          </label>
          <button type="button" class="primary" disabled={saving} onClick={() => void session.dismiss("rejected")}>
            Reject figure <kbd>Enter</kbd>
          </button>
          <button type="button" disabled={saving} onClick={() => void session.dismiss("ignored")}>
            Put off
          </button>
          <button type="button" onClick={() => session.run({ do: "escape" })}>
            Cancel <kbd>Esc</kbd>
          </button>
        </Notice>
      );
  }
}

function Notice({ tone, mark, children }: { tone: string; mark: string; children: ComponentChildren }) {
  return (
    <div class={`aj-notice ${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <span class="aj-mark" aria-hidden="true">
        {mark}
      </span>
      {children}
    </div>
  );
}

export function Sheet({ session }: { session: Session }) {
  if (!session.screen.sheet) return null;
  return (
    <div class="sheet" role="dialog" aria-label="Keys" id="sheet" tabIndex={-1}>
      <div class="sheet-head">
        <h2>Keys</h2>
        <button type="button" onClick={() => session.run({ do: "escape" })}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <div class="groups">
        {SHEET.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, what]) => [
                <dt key={keys}>
                  {keys.split("  ").map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>,
                <dd key={what}>{what}</dd>,
              ])}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}
