/** What stands around types and pairs: header line, footer line, inline notices. */

import type { ComponentChildren } from "preact";
import { BUTTON } from "./enter";
import { Notice, tryText } from "./frame";
import { ItemsConflictPanel } from "./itemsconflictpanel";
import type { ItemsCommand } from "./itemskeys";
import { enterDoes, isDirty } from "./itemsmodel";
import type { ItemsSession } from "./itemssession";
import { KIND, openIds } from "./itemswork";
import { keepFocus } from "./panels";
import { when } from "./when";

export function ItemsHeader({ session, queueUrl }: { session: ItemsSession; queueUrl: string }) {
  const { model, screen } = session;
  const { state, work } = model;
  const open = openIds(work).length;
  const { decided, total } = state.progress;
  const others = screen.others.map(({ reviewer }) => reviewer).join(", ");
  return (
    <header class="aj-head">
      <a class="home" href={queueUrl} title="Back to the queue">
        ‹ Queue
      </a>
      <h1 class="home" title={state.figure_id}>
        {state.figure_id}
      </h1>
      {state.phase && <span class="phase">phase {state.phase}</span>}
      <span class="aj-progress">
        <progress value={decided} max={Math.max(total, 1)} aria-label="Figures settled" /> {decided} of {total}
      </span>
      <span class="agreement" title="Mean agreement of the annotators on this figure's type and pairs">
        agreement {state.agreement === null ? "–" : state.agreement.toFixed(2)}
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>{open > 0 ? `◆ ${open} open` : "✓ none open"}</span>
      <span class="live" role="status" aria-live="polite">
        {model.said}
      </span>
      {others && (
        <span class="others" role="status" title={`${others} too: a save that came between is compared with yours`}>
          ◌ {others} {screen.others.length === 1 ? "is" : "are"} here too
        </span>
      )}
      <span class="saved">{savedText(session)}</span>
      {state.subfigures_url && (
        <a href={state.subfigures_url} title="The figure's subfigures (Y)">
          Subfigures
        </a>
      )}
      <a href={state.history_url} title="Every decision on this figure (H)">
        History
      </a>
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

function savedText({ model, screen }: ItemsSession): string {
  if (screen.saving) return "Saving…";
  if (screen.offline) return isDirty(model) || screen.notice?.kind === "failed" ? "Offline: draft kept here" : "Offline";
  if (screen.notice?.kind === "failed" || screen.notice?.kind === "conflict") return "Not saved";
  if (isDirty(model)) return "Draft kept here";
  const { decision } = model.state;
  return decision ? `${decision.status} by ${decision.reviewer}, ${when(decision.decided_at)}` : "Not settled yet";
}

export function ItemsFooter({ session }: { session: ItemsSession }) {
  const { model, screen } = session;
  const openOnes = openIds(model.work);
  const open = openOnes.length;
  const here = open === 1 && openOnes[0] === model.chosen;
  const n = model.state.annotators.length;
  return (
    <footer class="aj-foot">
      <div class="hints">
        <Hint session={session} keys="J K" run={{ do: "act", action: { type: "step", by: 1, among: "open" } }} off={open === 0}>
          conflicts
        </Hint>
        {n > 0 && (
          <span class="hint">
            <kbd>{n > 1 ? `1 – ${Math.min(n, 9)}` : "1"}</kbd> take
          </span>
        )}
        {n > 0 && (
          <Hint session={session} keys="T" run={{ do: "taking" }} pressed={screen.taking} off={open === 0}>
            all from
          </Hint>
        )}
        {model.chosen === KIND ? (
          <>
            <Hint session={session} keys="Space" run={{ do: "act", action: { type: "toggle-type" } }}>
              type in/out
            </Hint>
            <Hint session={session} keys="." run={{ do: "act", action: { type: "cursor", by: 1, disputed: true } }}>
              differs
            </Hint>
          </>
        ) : (
          <>
            <Hint session={session} keys="C" run={{ do: "act", action: { type: "correct" } }}>
              correct
            </Hint>
            <Hint session={session} keys="I" run={{ do: "edit" }}>
              edit
            </Hint>
          </>
        )}
        <Hint session={session} keys="N" run={{ do: "pair-note" }}>
          note
        </Hint>
        <Hint session={session} keys="Ctrl Z" run={{ do: "act", action: { type: "undo" } }} off={model.past.length === 0}>
          undo
        </Hint>
      </div>
      <Hint session={session} keys="P" run={{ do: "skip" }}>
        skip
      </Hint>
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
        {open === 0 ? BUTTON[enterDoes(model.state, isDirty(model))] : here ? "A accepts it" : "Next conflict"} <kbd>Enter</kbd>
      </button>
    </footer>
  );
}

function Hint(props: {
  session: ItemsSession;
  keys: string;
  run: ItemsCommand;
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
export function ItemsNotices({ session, queueUrl }: { session: ItemsSession; queueUrl: string }) {
  const { notice, saving } = session.screen;
  if (!notice) return null;
  switch (notice.kind) {
    case "conflict":
      return <ItemsConflictPanel session={session} notice={notice} />;
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
    case "stale": {
      const { found } = notice;
      const replaced = found.kind === "replaced";
      const who = session.model.state.decision?.reviewer;
      const since = who ? `${who} decided since` : "there is another decision since";
      return (
        <Notice tone="accent" mark="i">
          <div class="aj-words">
            <strong>
              You have unsaved work of {when(found.draft.saved_at)};{" "}
              {replaced ? "it is on another caption, image or other pairs, and fits these no more" : since}.
            </strong>
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
    case "reject":
      return (
        <Notice tone="danger" mark="✕">
          <label class="aj-words grow">
            <span>Why is this figure left out?</span>
            <input
              id="reject-note"
              dir="auto"
              maxLength={10_000}
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
