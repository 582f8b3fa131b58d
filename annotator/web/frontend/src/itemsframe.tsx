/** What stands around types and pairs: header line, footer line, inline notices. */

import { BUTTON } from "./enter";
import { ItemsConflictPanel } from "./itemsconflictpanel";
import { enterDoes, isDirty } from "./itemsmodel";
import type { ItemsSession } from "./itemssession";
import { KIND, openIds } from "./itemswork";
import { DraftRestored, Hint, LeaveOut, NotSaved, Others, savedText, StaleDraft } from "./notices";
import { keepFocus } from "./panels";

export function ItemsHeader({ session, queueUrl }: { session: ItemsSession; queueUrl: string }) {
  const { model, screen } = session;
  const { state, work } = model;
  const open = openIds(work).length;
  const { decided, total } = state.progress;
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
        agreement on types, pairs {state.agreement === null ? "–" : state.agreement.toFixed(3)}
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>{open > 0 ? `◆ ${open} open` : "✓ none open"}</span>
      <span class="live" role="status" aria-live="polite">
        {model.said}
      </span>
      <Others others={screen.others} />
      <span class="saved">{savedText(screen, isDirty(model), state.decision)}</span>
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

/** A row over the panes' lower edge: it moves nothing. */
export function ItemsNotices({ session, queueUrl }: { session: ItemsSession; queueUrl: string }) {
  const { notice } = session.screen;
  if (!notice) return null;
  switch (notice.kind) {
    case "conflict":
      return <ItemsConflictPanel session={session} notice={notice} />;
    case "failed":
      return <NotSaved session={session} notice={notice} queueUrl={queueUrl} />;
    case "draft":
      return <DraftRestored session={session} savedAt={notice.saved_at} />;
    case "stale": {
      const replaced = notice.found.kind === "replaced";
      return (
        <StaleDraft
          session={session}
          savedAt={notice.found.draft.saved_at}
          reviewer={session.model.state.decision?.reviewer}
          misfit={replaced ? "it is on another caption, image or other pairs, and fits these no more" : ""}
        />
      );
    }
    case "reject":
      return (
        <LeaveOut
          session={session}
          note={session.model.remarks.note}
          onNote={(note) => session.act({ type: "remark", change: { note } })}
        />
      );
  }
}
