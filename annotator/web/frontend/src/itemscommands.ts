/** What each command of the keyboard does to the session of types and pairs. */

import type { ItemsCommand } from "./itemskeys";
import { chosenPair } from "./itemsmodel";
import type { ItemsSession } from "./itemssession";
import { KIND } from "./itemswork";

const CHOOSE = "First choose: M keeps yours, T takes theirs, S saves the lines as chosen.";

export function run(session: ItemsSession, command: ItemsCommand): void {
  const { screen, page, model } = session;
  if (screen.taking && command.do !== "taking") session.show({ taking: false });
  switch (command.do) {
    case "act":
      return session.act(command.action);
    case "save":
      if (screen.notice?.kind === "conflict") return session.say(CHOOSE);
      if (screen.notice?.kind === "failed") return void session.retry();
      return void session.settle(command.forced);
    case "edit":
      if (model.chosen === KIND) return page.focus("edit");
      session.act({ type: "incorrect" });
      return chosenPair(model) ? page.focus("edit") : undefined;
    case "pair-note":
      return page.focus("pair-note");
    case "note":
    case "error-kind":
    case "flag":
      return page.focus(command.do);
    case "reject-figure":
      session.show({ notice: { kind: "reject" } });
      return page.focus("reject");
    case "taking":
      session.show({ taking: !screen.taking });
      return session.say(session.screen.taking ? "1 – 9: all that is open as that annotator has it; Esc stops." : "");
    case "second": {
      const wanted = !model.remarks.second;
      session.act({ type: "remark", change: { second: wanted } });
      return session.say(wanted ? "Another reviewer is asked when you save." : "No other reviewer is asked.");
    }
    case "history":
      return page.go(model.state.history_url);
    case "other-screen":
      if (model.state.subfigures_url) return page.go(model.state.subfigures_url);
      return session.say("Nobody marked subfigures on this figure.");
    case "skip":
      return void session.skip();
    case "guideline":
      return void session.toggleGuideline();
    case "sheet":
      session.show({ sheet: !screen.sheet });
      return page.focus(session.screen.sheet ? "sheet" : "item");
    case "caption":
      return page.focus("item");
    case "escape":
      return escape(session);
    case "fit":
      return session.show({ zoom: null });
    case "zoom":
      return session.show({ zoom: scaled(session, command.by === 1 ? 1.25 : 0.8) });
    case "restore-draft":
      return session.restoreDraft();
    case "discard-draft":
      return session.discardDraft();
    case "keep-mine":
      return void session.keepMine();
    case "take-theirs":
      return session.takeTheirs();
    case "save-merge":
      return void session.saveMerge();
    case "conflict-row":
      return session.stepRow(command.by);
    case "conflict-pick":
      return session.pick(command.side);
  }
}

/** The image's scale, made so many times as large. */
export function scaled(session: ItemsSession, factor: number): number {
  return Math.min(Math.max((session.screen.zoom ?? session.page.fit()) * factor, 0.05), 16);
}

/** Notices that Esc puts aside. A colleague's decision asks for an answer. */
const PASSING = new Set(["reject", "draft", "stale", "failed"]);

function escape(session: ItemsSession): void {
  const { screen } = session;
  if (screen.sheet) session.show({ sheet: false });
  else if (screen.notice && PASSING.has(screen.notice.kind)) session.show({ notice: null });
  else if (screen.guideline.shown) session.show({ guideline: { ...screen.guideline, shown: false } });
  session.page.focus(screen.notice?.kind === "conflict" ? "conflict" : "item");
}
