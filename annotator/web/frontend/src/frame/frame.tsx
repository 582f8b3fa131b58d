/** The screen: keys in, panes out. One frame for every body: header line, panes, notices, footer line. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { sheetOf } from "../keys/keymap";
import { KeySheet } from "../keys/sheet";
import { run } from "../session/commands";
import type { Body } from "../session/body";
import type { Kind } from "../session/kind";
import { enterDoes, isDirty } from "../session/model";
import type { Places } from "../session/screen";
import type { Session } from "../session/session";
import { CommentPanel } from "./comments";
import { ConflictDialog } from "./conflict";
import { Hint, keepFocus, KeyButton } from "./controls";
import { GuidelinePanel } from "./guideline";
import { Divider } from "./divider";
import { DraftRestored, NotSaved, RejectFigure, StaleDraft } from "./notices";
import { useSession } from "./stage";
import type { Bridge, View } from "./view";
import { when, whenExactly } from "./when";

interface FrameProps<K extends Kind> {
  session: Session<K>;
  view: View<K>;
}

interface AppProps<K extends Kind> {
  body: Body<K>;
  view: View<K>;
  state: K["state"];
  places: Places;
}

export function App<K extends Kind>({ body, view, state, places }: AppProps<K>) {
  const bridge = useRef<Bridge>({ flush: () => undefined, fit: () => 1 }).current;
  const session = useSession(body, view, state, places, bridge);
  const { notice } = session.screen;
  return (
    <div class="aj-screen">
      <Header session={session} view={view} />
      <div class="aj-said">
        <p class="aj-live live" role="status" aria-live="polite">
          {session.model.said}
        </p>
        <Notice session={session} />
      </div>
      <div class={`panes ${view.panesClass}${session.screen.over ? " beside" : ""}`}>
        <view.Panes session={session} bridge={bridge} />
        <Divider />
        <GuidelinePanel screen={session.screen} onClose={() => run(session, { do: "guideline" })} />
        <CommentPanel session={session} />
        {notice?.kind === "conflict" && <ConflictDialog session={session} view={view} notice={notice} />}
        {session.screen.sheet && <KeySheet groups={sheetOf(body.name, body.who, body.absent?.(session.model.work))} onClose={() => run(session, { do: "escape" })} />}
      </div>
      <div class="aj-bottom">
        <Footer session={session} view={view} />
        {notice?.kind === "reject" && <RejectFigure session={session} dismissal={view.dismissal} />}
      </div>
    </div>
  );
}

/** What waits for an answer, on the line of feedback: it hides nothing of the figure. */
function Notice<K extends Kind>({ session }: { session: Session<K> }) {
  const { notice } = session.screen;
  switch (notice?.kind) {
    case "failed":
      return <NotSaved session={session} notice={notice} />;
    case "draft":
      return <DraftRestored session={session} savedAt={notice.saved_at} />;
    case "stale":
      return <StaleDraft session={session} notice={notice} />;
    default:
      return null;
  }
}

function Header<K extends Kind>({ session, view }: FrameProps<K>) {
  const { model, screen, body, places } = session;
  const { state } = model;
  const open = body.openIds(model.work).length;
  const { decided, total } = state.progress;
  const texts = view.header(session);
  const other = body.other(state);
  const closed = body.closed?.(state);
  return (
    <header class="aj-head">
      <a href={places.queueUrl} title={texts.homeHint}>
        {texts.home}
      </a>
      <h1 title={texts.title}>
        {texts.title}
      </h1>
      {state.phase && <span class={texts.phase.always ? "" : "phase"}>{texts.phase.text}</span>}
      {total > 0 && (
        <span class="aj-progress">
          <progress value={decided} max={total} aria-label={texts.progress.hint} /> {texts.progress.text}
        </span>
      )}
      {texts.agreement && (
        <span class="agreement">
          <button type="button" class="term" popovertarget="term-agreement" onMouseDown={keepFocus}>
            {texts.agreement.text} {state.agreement === null ? "–" : state.agreement.toFixed(3)}
          </button>
          <span class="meaning" id="term-agreement" popover="auto" role="note">
            {texts.agreement.hint}
          </span>
        </span>
      )}
      {!closed && (
        <span class={open > 0 ? "conflicts open" : "conflicts"}>
          {open > 0 ? `◆ ${open} ${texts.open}` : `✓ none ${texts.open}`}
        </span>
      )}
      <span class="gap" />
      <Others others={screen.others} />
      <span class="saved" title={state.decision ? whenExactly(state.decision.decided_at) : undefined}>
        {savedText(session, texts.saved)}
      </span>
      {other.url && (
        <a href={other.url} title={other.hint}>
          {other.name}
        </a>
      )}
      {state.history_url && (
        <a href={state.history_url} title="All decisions on this figure (H)">
          History
        </a>
      )}
      {state.history_url && state.returns && (
        <a href={`${state.history_url}#returns`} title="Send an annotator's work back, with a reason">
          Send back
        </a>
      )}
      {state.comments && (
        <Over session={session} what="comments" title="Comments on this figure (O)">
          Comments{screen.talk.unread > 0 && <b> {screen.talk.unread} new</b>}
        </Over>
      )}
      <Over session={session} what="guideline" title="The campaign's guidelines (G)">
        Guidelines
      </Over>
      <a href={places.helpUrl} target="_blank" rel="noopener" title="How this screen works (opens a new tab)">
        Help
      </a>
      <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => run(session, { do: "sheet" })}>
        ?
      </button>
    </header>
  );
}

interface OverProps<K extends Kind> {
  session: Session<K>;
  what: "guideline" | "comments";
  title: string;
  children: ComponentChildren;
}

/** Shows or hides what lies over the figure. */
function Over<K extends Kind>({ session, what, title, children }: OverProps<K>) {
  return (
    <button type="button" class="quiet" aria-pressed={session.screen.over === what} title={title} onClick={() => run(session, { do: what })}>
      {children}
    </button>
  );
}

/** Advice, not a lock: somebody else has this figure open. */
function Others({ others }: { others: readonly { reviewer: string }[] }) {
  if (others.length === 0) return null;
  const text = `${others.map(({ reviewer }) => reviewer).join(", ")} ${others.length === 1 ? "is" : "are"} here too`;
  return (
    <span class="others" role="status" title={`${text}: if they save first, you compare both decisions`}>
      <span aria-hidden="true">◌ </span>
      {text}
    </span>
  );
}

/** Where the reviewer's work is now: with the server, or stored here. saved: what is said of a saved decision. */
function savedText<K extends Kind>({ model, screen, body }: Session<K>, saved: string): string {
  const kind = screen.notice?.kind;
  const dirty = isDirty(model);
  if (screen.saving) return "Saving…";
  if (body.closed?.(model.state)) return "";
  if (screen.offline) return dirty || kind === "failed" ? "Offline: draft saved here" : "Offline";
  if (kind === "failed" || kind === "conflict") return "Not saved";
  if (dirty) return "Draft saved here";
  const { decision } = model.state;
  return decision ? `${saved} ${when(decision.decided_at)}` : "Not saved yet";
}

function Footer<K extends Kind>({ session, view }: FrameProps<K>) {
  const { model, screen, body } = session;
  const enter = enterDoes(model);
  const closed = body.closed?.(model.state);
  const nothing = !closed && (body.nothingToSave?.(model.work) ?? false);
  const undo = { keys: "Ctrl Z", text: "undo", run: { do: "act", action: { type: "undo" } }, off: model.past.length === 0 } as const;
  const hints = closed ? [] : [...view.hints(session), undo];
  return (
    <footer class="aj-foot">
      <div class="hints">
        {hints.map((line) => (
          <Hint key={line.keys} session={session} line={line} />
        ))}
      </div>
      {!closed && <Hint session={session} line={{ keys: "P", text: view.skip, run: { do: "skip" } }} />}
      {!closed && <Hint session={session} line={{ keys: "X", text: view.reject, run: { do: "reject-figure" } }} />}
      <KeyButton
        class="primary"
        keys={enter === "here" ? undefined : "Enter"}
        disabled={nothing || screen.saving || screen.notice?.kind === "conflict"}
        run={() => run(session, { do: "save", forced: false })}
      >
        {screen.drawing === "one" ? "Box in the middle" : enter === "save" && model.remarks.second ? "Save, ask another" : body.buttons[enter]}
      </KeyButton>
    </footer>
  );
}
