/** What stands around the figure and its caption: header line, footer line, inline notices, shortcut sheet. */

import { ConflictPanel } from "./conflictpanel";
import { BUTTON, enterDoes } from "./enter";
import { chosenPanel, isDirty } from "./model";
import { DraftRestored, Hint, LeaveOut, Notice, NotSaved, Others, savedText, StaleDraft } from "./notices";
import { keepFocus } from "./panels";
import type { Notice as NoticeState } from "./screen";
import type { Session } from "./session";
import { whenExactly } from "./when";
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
      <span class="agreement" title="Mean of all ordered pairs of annotators, on boxes and text">
        agreement {state.agreement === null ? "–" : state.agreement.toFixed(3)}
      </span>
      <span class={open > 0 ? "conflicts open" : "conflicts"}>
        {open > 0 ? `◆ ${open} open` : "✓ none open"}
      </span>
      <span class="live" role="status" aria-live="polite">
        {session.model.said}
      </span>
      <Others others={screen.others} />
      <span class="saved" title={state.decision ? whenExactly(state.decision.decided_at) : undefined}>
        {savedText(screen, isDirty(model), state.decision)}
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

/** A row over the panes' lower edge: it moves nothing. */
export function Notices({ session, queueUrl }: { session: Session; queueUrl: string }) {
  const { notice } = session.screen;
  if (!notice) return null;
  switch (notice.kind) {
    case "conflict":
      return <ConflictPanel session={session} notice={notice} />;
    case "failed":
      return <NotSaved session={session} notice={notice} queueUrl={queueUrl} />;
    case "draft":
      return <DraftRestored session={session} savedAt={notice.saved_at} />;
    case "stale":
      return <Stale session={session} notice={notice} />;
    case "reject":
      if (session.model.state.blind) return <Unfit session={session} />;
      return (
        <LeaveOut
          session={session}
          note={session.model.remarks.note}
          onNote={(note) => session.act({ type: "remark", change: { note } })}
        />
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

/** Unsaved work that is not on the screen; what is different in it. */
function Stale({ session, notice }: { session: Session; notice: Extract<NoticeState, { kind: "stale" }> }) {
  const { found, lines } = notice;
  const replaced = found.kind === "replaced";
  return (
    <StaleDraft
      session={session}
      savedAt={found.draft.saved_at}
      reviewer={session.model.state.decision?.reviewer}
      misfit={replaced ? "it is on another caption or image, and fits this one no more" : ""}
    >
      <Lines lines={lines} />
    </StaleDraft>
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
