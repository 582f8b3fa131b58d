/** Rows over the panes' lower edge that both screens show, and what both say of saving. */

import type { ComponentChildren } from "preact";
import { keepFocus } from "./panels";
import { when } from "./when";

/** What the rows ask of a screen's session. */
interface Recovering {
  readonly screen: { readonly saving: boolean };
  retry(): Promise<void>;
  discardDraft(): void;
  restoreDraft(): void;
  dismiss(status: "rejected" | "ignored"): Promise<void>;
  run(command: { do: "escape" }): void;
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

export function NotSaved(props: {
  session: Recovering;
  notice: { message: string; signedOut: boolean; left: number | null };
  queueUrl: string;
}) {
  const { session, notice, queueUrl } = props;
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
      <button type="button" class="primary" disabled={session.screen.saving} onClick={() => void session.retry()}>
        Retry <kbd>Enter</kbd>
      </button>
      <button type="button" onClick={() => session.run({ do: "escape" })}>
        Close <kbd>Esc</kbd>
      </button>
    </Notice>
  );
}

export function tryText(left: number | null): string {
  if (left === null) return "";
  return left > 0 ? `Next try in ${left} s.` : "Trying…";
}

export function DraftRestored({ session, savedAt }: { session: Recovering; savedAt: string }) {
  return (
    <Notice tone="accent brief" mark="i">
      <div class="aj-words">
        <strong>Unsaved work of {when(savedAt)} restored.</strong> <span class="more">Enter goes on from it.</span>
      </div>
      <button type="button" onClick={() => session.discardDraft()}>
        Discard <kbd>D</kbd>
      </button>
      <button type="button" onClick={() => session.run({ do: "escape" })}>
        Keep <kbd>Esc</kbd>
      </button>
    </Notice>
  );
}

/** Unsaved work that somebody's decision, or another version of what it is on, came after. */
export function StaleDraft(props: {
  session: Recovering;
  savedAt: string;
  /** Whose decision came after it, where that is known. */
  reviewer: string | undefined;
  /** Why it fits no more, "" where it does. */
  misfit: string;
  children?: ComponentChildren;
}) {
  const { session, reviewer, misfit } = props;
  const since = reviewer ? `${reviewer} decided since` : "there is another decision since";
  return (
    <Notice tone="accent" mark="i">
      <div class="aj-words">
        <strong>
          You have unsaved work of {when(props.savedAt)}; {misfit || since}.
        </strong>
        {props.children}
      </div>
      <button type="button" onClick={() => session.discardDraft()}>
        Discard <kbd>D</kbd>
      </button>
      {!misfit && (
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

/** Asks why a figure is left out. */
export function LeaveOut(props: { session: Recovering; note: string; onNote: (note: string) => void }) {
  const { session } = props;
  const { saving } = session.screen;
  return (
    <Notice tone="danger" mark="✕">
      <label class="aj-words grow">
        <span>Why is this figure left out?</span>
        <input
          id="reject-note"
          dir="auto"
          maxLength={10_000}
          value={props.note}
          onInput={(event) => props.onNote(event.currentTarget.value)}
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

/** A key and what it does, as a button of the footer. */
export function Hint<Command>(props: {
  session: { run(command: Command): void };
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

/** Advice, not a lock: somebody else has this figure open. */
export function Others({ others }: { others: readonly { reviewer: string }[] }) {
  if (others.length === 0) return null;
  const text = `${others.map(({ reviewer }) => reviewer).join(", ")} ${others.length === 1 ? "is" : "are"} here too`;
  return (
    <span class="others" role="status" title={`${text}: a save that came between is compared with yours`}>
      <span aria-hidden="true">◌ </span>
      {text}
    </span>
  );
}

/** Where the reviewer's work is now: with the server, or kept here. */
export function savedText(
  screen: { readonly saving: boolean; readonly offline: boolean; readonly notice: { readonly kind: string } | null },
  dirty: boolean,
  decision: { status: string; reviewer: string; decided_at: string } | null,
): string {
  const kind = screen.notice?.kind;
  if (screen.saving) return "Saving…";
  if (screen.offline) return dirty || kind === "failed" ? "Offline: draft kept here" : "Offline";
  if (kind === "failed" || kind === "conflict") return "Not saved";
  if (dirty) return "Draft kept here";
  return decision ? `${decision.status} by ${decision.reviewer}, ${when(decision.decided_at)}` : "Not settled yet";
}
