/** What each command of the keyboard does to the session, on every screen. */

import type { Command } from "../keys/command";
import { load } from "../wire/api";
import type { GuidelineText } from "../wire/types";
import { sendComment, toggleComments } from "./comments";
import type { Kind } from "./kind";
import { keepMine, pick, saveMerge, stepRow, takeTheirs } from "./overtaken";
import type { Session } from "./session";

const CHOOSE = "First choose: M keeps your decision, T uses the other one, S saves the lines as chosen.";

/** What only serves a decision. */
const DECIDES = new Set<Command["do"]>(["reject-figure", "note", "error-kind", "flag", "second", "taking"]);

export function run<K extends Kind>(session: Session<K>, command: Command): void {
  const { screen, page, body, model } = session;
  if (screen.taking && command.do !== "taking") session.show({ taking: false });
  const closed = body.closed?.(model.state);
  if (closed && DECIDES.has(command.do)) return session.say(closed);
  switch (command.do) {
    case "act":
      return session.act(command.action as K["action"]);
    case "save":
      // Whoever writes a comment means that.
      if (command.forced && screen.over === "comments" && screen.talk.text.trim()) return void sendComment(session);
      if (screen.notice?.kind === "conflict") return session.say(CHOOSE);
      if (screen.notice?.kind === "failed") return void session.retry();
      if (screen.drawing === "one" && !command.forced) return apply(session, command);
      return void session.accept(command.forced);
    case "reject-figure":
      session.show({ notice: { kind: "reject" } });
      return page.focus("reject");
    case "note":
    case "error-kind":
    case "flag":
    case "label":
    case "pair-note":
      return page.focus(command.do);
    case "taking":
      session.show({ taking: !screen.taking });
      return session.say(session.screen.taking ? "1 – 9: use that annotator's work for everything open; Esc cancels." : "");
    case "second": {
      if (!model.state.review) return;
      const wanted = !model.remarks.second;
      session.act({ type: "remark", change: { second: wanted } });
      return session.say(wanted ? "A second reviewer is requested when you save." : "No second reviewer is requested.");
    }
    case "history":
      return model.state.history_url ? page.go(model.state.history_url) : undefined;
    case "other-screen": {
      const { url, none } = body.other(model.state);
      return url ? page.go(url) : session.say(none);
    }
    case "skip":
      return void session.skip();
    case "undo-submission":
      return void session.undoSubmission();
    case "guideline":
      return void toggleGuideline(session);
    case "comments":
      return void toggleComments(session);
    case "sheet":
      session.show({ sheet: !screen.sheet });
      return page.focus(session.screen.sheet ? "sheet" : body.home);
    case "home":
    case "image":
      session.show({ pane: command.do === "image" ? "image" : "caption" });
      return page.focus(command.do === "image" ? "image" : body.home);
    case "escape":
      return escape(session);
    case "fit":
      return session.show({ zoom: null });
    case "zoom":
      return session.show({ zoom: session.scaled(command.by === 1 ? 1.25 : 0.8) });
    case "restore-draft":
      return session.restoreDraft();
    case "discard-draft":
      return session.discardDraft();
    case "keep-mine":
      return void keepMine(session);
    case "take-theirs":
      return takeTheirs(session);
    case "save-merge":
      return void saveMerge(session);
    case "conflict-row":
      return stepRow(session, command.by);
    case "conflict-pick":
      return pick(session, command.side);
    case "shield":
      return;
    default:
      apply(session, command);
  }
}

/** Does what only the body knows. */
function apply<K extends Kind>(session: Session<K>, command: Command): void {
  const { act, show, say, focus } = session.body.run(session.model, session.screen, command);
  if (act) session.act(act);
  if (show) session.show(show);
  if (say !== undefined) session.say(say);
  if (focus) session.page.focus(focus);
}

/** Notices that Esc closes. A colleague's decision asks for an answer. */
const PASSING = new Set(["reject", "draft", "stale", "failed"]);

function escape<K extends Kind>(session: Session<K>): void {
  const { screen, model, page, body } = session;
  if (screen.sheet) session.show({ sheet: false });
  else if (screen.notice && PASSING.has(screen.notice.kind)) session.show({ notice: null });
  else if (screen.drawing) {
    session.show({ drawing: false });
    session.say("");
  } else if (screen.over) session.show({ over: null });
  else if (model.anchor !== null) session.model = { ...model, anchor: null };
  session.show({ pane: "caption" });
  page.focus(screen.notice?.kind === "conflict" ? "conflict" : body.home);
}

const NO_GUIDELINE: GuidelineText = { version: "", blocks: [] };

/** Shows or hides the guidelines; their text is fetched once. */
async function toggleGuideline<K extends Kind>(session: Session<K>): Promise<void> {
  const { over, guideline } = session.screen;
  const shown = over === "guideline";
  session.show({ over: shown ? null : "guideline" });
  session.page.focus(shown ? session.body.home : "guideline");
  if (shown || (guideline !== null && guideline !== "failed")) return;
  const url = session.places.guidelineUrl;
  if (!url) return session.show({ guideline: NO_GUIDELINE });
  session.show({ guideline: "loading" });
  const loaded = await load<GuidelineText>(url);
  session.show({ guideline: loaded.ok ? loaded.state : "failed" });
}
