/** What waits for an answer: what was not saved, unsaved work, and why a figure is rejected. */

import type { ComponentChildren } from "preact";
import { run } from "../session/commands";
import type { Kind } from "../session/kind";
import type { Failed, Notice as AnyNotice } from "../session/screen";
import type { Session } from "../session/session";
import { capital } from "../wire/types";
import type { Dismissal } from "./view";
import { when } from "./when";

interface NoticeProps<K extends Kind> {
  session: Session<K>;
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

/** Closes the notice, under the name that the notice has for that. */
export function Close<K extends Kind>({ session, children }: NoticeProps<K> & { children: string }) {
  return (
    <button type="button" onClick={() => run(session, { do: "escape" })}>
      {children} <kbd>Esc</kbd>
    </button>
  );
}

export function NotSaved<K extends Kind>({ session, notice }: NoticeProps<K> & { notice: Failed<K> }) {
  return (
    <Notice tone="danger" mark="!">
      <div class="aj-words">
        <strong>Not saved.</strong> {sentence(notice.message)} <span aria-hidden="true">{tryText(notice.left)}</span>
      </div>
      {notice.signedOut && (
        <a href={session.places.queueUrl} target="_blank" rel="noopener">
          Sign in
        </a>
      )}
      <button type="button" class="primary" disabled={session.screen.saving} onClick={() => void session.retry()}>
        Retry <kbd>Enter</kbd>
      </button>
      <Close session={session}>Close</Close>
    </Notice>
  );
}

/** The server's message, which may be a clause, as a sentence. */
function sentence(message: string): string {
  return capital(message) + (/[.!?]$/.test(message) ? "" : ".");
}

function tryText(left: number | null): string {
  if (left === null) return "";
  return left > 0 ? `Next try in ${left} s.` : "Trying…";
}

export function DraftRestored<K extends Kind>({ session, savedAt }: NoticeProps<K> & { savedAt: string }) {
  return (
    <Notice tone="accent brief" mark="i">
      <div class="aj-words">
        <strong>Unsaved work of {when(savedAt)} restored.</strong> <span class="more">Enter continues with it.</span>
      </div>
      <button type="button" onClick={() => session.discardDraft()}>
        Discard <kbd>D</kbd>
      </button>
      <Close session={session}>Keep</Close>
    </Notice>
  );
}

/** Unsaved work that another decision, or another version of what it is on, came after. */
export function StaleDraft<K extends Kind>(props: NoticeProps<K> & { notice: Extract<AnyNotice<K>, { kind: "stale" }> }) {
  const { session, notice } = props;
  const { found, lines } = notice;
  const reviewer = session.model.state.decision?.reviewer;
  const own = session.body.who === "annotator" || session.body.name === "blind";
  const since = own ? "you saved this figure since" : reviewer ? `${reviewer} decided since` : "there is another decision since";
  const misfit = found.kind === "replaced" ? session.body.draft.misfit : "";
  return (
    <Notice tone="accent" mark="i">
      <div class="aj-words">
        <strong>
          You have unsaved work of {when(found.draft.saved_at)}; {misfit || since}.
        </strong>
        {lines.length > 0 && (
          <ul>
            {lines.slice(0, 6).map((line) => (
              <li key={line}>{line}</li>
            ))}
            {lines.length > 6 && <li>and {lines.length - 6} more</li>}
          </ul>
        )}
      </div>
      <button type="button" onClick={() => session.discardDraft()}>
        Discard <kbd>D</kbd>
      </button>
      {!misfit && (
        <button type="button" class="primary" onClick={() => session.restoreDraft()}>
          Restore <kbd>U</kbd>
        </button>
      )}
      <Close session={session}>Later</Close>
    </Notice>
  );
}

/** Asks why a figure is rejected or left out. */
export function RejectFigure<K extends Kind>({ session, dismissal }: NoticeProps<K> & { dismissal: Dismissal }) {
  const { saving } = session.screen;
  const { reason, hint, reject: button, ignore } = dismissal;
  const reject = () => void session.dismiss("rejected");
  return (
    <Notice tone="danger" mark="✕">
      <label class="aj-words grow" title={hint}>
        <span>{reason}</span>
        <input
          id="reject-note"
          dir="auto"
          maxLength={10_000}
          required={session.body.asksReason}
          value={session.model.remarks.note}
          onInput={(event) => session.act({ type: "remark", change: { note: event.currentTarget.value } })}
          onKeyDown={(event) => event.key === "Enter" && !event.isComposing && reject()}
        />
      </label>
      <button type="button" class="primary" disabled={saving} onClick={reject}>
        {button} <kbd>Enter</kbd>
      </button>
      {ignore && (
        <button type="button" disabled={saving} onClick={() => void session.dismiss("ignored")}>
          {ignore}
        </button>
      )}
      <Close session={session}>Cancel</Close>
    </Notice>
  );
}
