/** What stands around the figure and its caption: header line, footer line, inline notices, shortcut sheet. */

import type { ComponentChildren } from "preact";
import { ConflictPanel } from "./conflictpanel";
import { BUTTON, enterDoes } from "./enter";
import type { Command } from "./keys";
import { chosenPanel, isDirty } from "./model";
import { keepFocus } from "./panels";
import type { Notice as NoticeState } from "./screen";
import type { Session } from "./session";
import { when, whenExactly } from "./when";
import { openIds } from "./work";

export function Header({ session, queueUrl }: { session: Session; queueUrl: string }) {
  const { model, screen } = session;
  const { state, work } = model;
  const open = openIds(work).length;
  const { decided, total } = state.progress;
  return (
    <header class="aj-head">
      <a class="home" href={queueUrl} title="Back to the queue">
        ‹ Queue
      </a>
      <h1 class="home" title={state.figure_id}>{state.figure_id}</h1>
      {state.phase && <span class="phase">phase {state.phase}</span>}
      <span class="aj-progress">
        <progress value={decided} max={Math.max(total, 1)} aria-label="Figures settled" /> {decided} of {total}
      </span>
      <span class="agreement" title="Mean agreement of the annotators on this figure">
        agreement {state.agreement === null ? "–" : state.agreement.toFixed(2)}
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>
        {open > 0 ? `◆ ${open} open` : "✓ none open"}
      </span>
      <span class="live" role="status" aria-live="polite">
        {session.model.said}
      </span>
      <Others names={screen.others.map(({ reviewer }) => reviewer)} />
      <span class="saved" title={state.decision ? whenExactly(state.decision.decided_at) : undefined}>
        {savedText(session)}
      </span>
      {state.items_url && (
        <a href={state.items_url} title="The figure's type and pairs (Y)">
          Types, pairs
        </a>
      )}
      {state.history_url && (
        <a href={state.history_url} title="Every decision on this figure (H)">
          History
        </a>
      )}
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

/** Advice, not a lock: somebody else has this figure open. */
function Others({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  const text = `${names.join(", ")} ${names.length === 1 ? "is" : "are"} here too`;
  return (
    <span class="others" role="status" title={`${text}: a save that came between is compared with yours`}>
      <span aria-hidden="true">◌ </span>
      {text}
    </span>
  );
}

function savedText({ model, screen }: Session): string {
  if (screen.saving) return "Saving…";
  if (screen.offline) return isDirty(model) || screen.notice?.kind === "failed" ? "Offline: draft kept here" : "Offline";
  if (screen.notice?.kind === "failed" || screen.notice?.kind === "conflict") return "Not saved";
  if (isDirty(model)) return "Draft kept here";
  const { decision } = model.state;
  return decision ? `${decision.status} by ${decision.reviewer}, ${when(decision.decided_at)}` : "Not settled yet";
}

export function Footer({ session }: { session: Session }) {
  const { model, screen } = session;
  const open = openIds(model.work).length;
  const enter = enterDoes(model, isDirty(model));
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
              differs
            </Hint>
            <Hint session={session} keys="Space" run={{ do: "act", action: { type: "toggle" } }} off={!panel}>
              in/out
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
          box
        </Hint>
        <Hint session={session} keys="V" run={{ do: "layers" }} pressed={screen.layers.some(Boolean)}>
          theirs
        </Hint>
        <Hint session={session} keys="Ctrl Z" run={{ do: "act", action: { type: "undo" } }} off={model.past.length === 0}>
          undo
        </Hint>
      </div>
      {model.state.skip_url && (
        <Hint session={session} keys="P" run={{ do: "skip" }}>
          skip
        </Hint>
      )}
      <Hint session={session} keys="X" run={{ do: "reject-figure" }}>
        reject figure
      </Hint>
      <button
        type="button"
        class="primary"
        disabled={screen.saving || screen.notice?.kind === "conflict"}
        onMouseDown={keepFocus}
        onClick={() => session.run({ do: "save", forced: false })}
      >
        {enter === "save" && model.remarks.second ? "Save, ask another" : BUTTON[enter]} {enter !== "here" && <kbd>Enter</kbd>}
      </button>
    </footer>
  );
}

export function Hint(props: {
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
export function Notices({ session, queueUrl }: { session: Session; queueUrl: string }) {
  const { notice, saving } = session.screen;
  if (!notice) return null;
  switch (notice.kind) {
    case "conflict":
      return <ConflictPanel session={session} notice={notice} />;
    case "failed":
      return (
        <Notice tone="danger" mark="!">
          <div class="aj-words">
            <strong>Not saved.</strong> {notice.message} <span aria-hidden="true">{tryText(notice.left)}</span>
          </div>
          {notice.signedOut && (
            <a href={queueUrl} target="_blank" rel="noopener">
              Sign in
            </a>
          )}
          <button type="button" class="primary" disabled={saving} onClick={() => void session.retry()}>
            Retry <kbd>Enter</kbd>
          </button>
          <button type="button" onClick={() => session.run({ do: "escape" })}>
            Close <kbd>Esc</kbd>
          </button>
        </Notice>
      );
    case "draft":
      return (
        <Notice tone="accent brief" mark="i">
          <div class="aj-words">
            <strong>Unsaved work of {when(notice.saved_at)} restored.</strong> <span class="more">Enter goes on from it.</span>
          </div>
          <button type="button" onClick={() => session.discardDraft()}>
            Discard <kbd>D</kbd>
          </button>
          <button type="button" onClick={() => session.run({ do: "escape" })}>
            Keep <kbd>Esc</kbd>
          </button>
        </Notice>
      );
    case "stale":
      return <Stale session={session} notice={notice} />;
    case "reject":
      if (session.model.state.blind) return <Unfit session={session} />;
      return (
        <Notice tone="danger" mark="✕">
          <label class="aj-words grow">
            <span>Why is this figure left out?</span>
            <input
              id="reject-note"
              dir="auto"
              value={session.model.remarks.note}
              onInput={(event) => session.act({ type: "remark", change: { note: event.currentTarget.value } })}
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

/** A figure that no words can be given to; nothing else is asked. */
function Unfit({ session }: { session: Session }) {
  return (
    <Notice tone="danger" mark="✕">
      <div class="aj-words">
        <strong>Is this figure unfit?</strong> It is saved without subcaptions, and you can still write them until you hand it in.
      </div>
      <button
        type="button"
        id="reject-note"
        class="primary"
        disabled={session.screen.saving}
        onClick={() => void session.dismiss("rejected")}
      >
        Mark as unfit <kbd>Enter</kbd>
      </button>
      <button type="button" onClick={() => session.run({ do: "escape" })}>
        Cancel <kbd>Esc</kbd>
      </button>
    </Notice>
  );
}

export function tryText(left: number | null): string {
  if (left === null) return "";
  return left > 0 ? `Next try in ${left} s.` : "Trying…";
}

/** Unsaved work that somebody's decision, or another caption or image, came after. */
function Stale({ session, notice }: { session: Session; notice: Extract<NoticeState, { kind: "stale" }> }) {
  const { found, lines } = notice;
  const { decision } = session.model.state;
  const replaced = found.kind === "replaced";
  const since = decision ? `${decision.reviewer} decided since` : "there is another decision since";
  return (
    <Notice tone="accent" mark="i">
      <div class="aj-words">
        <strong>
          You have unsaved work of {when(found.draft.saved_at)};{" "}
          {replaced ? "it is on another caption or image, and fits this one no more" : since}.
        </strong>
        <Lines lines={lines} />
      </div>
      <button type="button" onClick={() => session.discardDraft()}>
        Discard <kbd>D</kbd>
      </button>
      {!replaced && (
        <button type="button" class="primary" onClick={() => session.restoreDraft()}>
          Restore <kbd>U</kbd>
        </button>
      )}
      <button type="button" onClick={() => session.run({ do: "escape" })}>
        Later <kbd>Esc</kbd>
      </button>
    </Notice>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul>
      {lines.slice(0, 6).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {lines.length > 6 && <li>and {lines.length - 6} more</li>}
    </ul>
  );
}

export function Notice({ tone, mark, children }: { tone: string; mark: string; children: ComponentChildren }) {
  return (
    <div class={`aj-notice ${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <span class="aj-mark" aria-hidden="true">
        {mark}
      </span>
      {children}
    </div>
  );
}
