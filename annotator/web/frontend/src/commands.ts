/** What each command of the keyboard does to the session. */

import { isLocked, LOCKED } from "./blind";
import type { Command } from "./keys";
import type { Session } from "./session";

const CHOOSE = "First choose: M keeps yours, T takes theirs, S saves the lines as chosen.";

export function run(session: Session, command: Command): void {
  const { screen, page } = session;
  if (screen.taking && command.do !== "taking") session.show({ taking: false });
  if (session.model.state.blind && isLocked(command)) return session.say(LOCKED);
  switch (command.do) {
    case "act":
      return session.act(command.action);
    case "save":
      if (screen.notice?.kind === "conflict") return session.say(CHOOSE);
      if (screen.notice?.kind === "failed") return void session.retry();
      return void session.settle(command.forced);
    case "draw":
      session.show({ drawing: !screen.drawing, pane: "image" });
      session.say(session.screen.drawing ? "Drag over the image to draw a box; Esc stops." : "");
      return;
    case "reject-figure":
      session.show({ notice: { kind: "reject" } });
      return page.focus("reject");
    case "relabel":
      return page.focus("label");
    case "note":
      return page.focus("note");
    case "error-kind":
    case "flag":
      return page.focus(command.do);
    case "taking":
      session.show({ taking: !screen.taking });
      return session.say(session.screen.taking ? "1 – 9: all that is open as that annotator has it; Esc stops." : "");
    case "second":
      return second(session);
    case "history":
      return session.model.state.history_url ? page.go(session.model.state.history_url) : undefined;
    case "items":
      if (session.model.state.items_url) return page.go(session.model.state.items_url);
      return session.say("Nobody judged a type or pairs on this figure.");
    case "skip":
      return void session.skip();
    case "guideline":
      return void session.toggleGuideline();
    case "sheet":
      session.show({ sheet: !screen.sheet });
      return page.focus(session.screen.sheet ? "sheet" : "caption");
    case "caption":
    case "image":
      session.show({ pane: command.do });
      return page.focus(command.do);
    case "escape":
      return escape(session);
    case "fit":
      return session.show({ zoom: null });
    case "zoom":
      return session.show({ zoom: session.scaled(command.by === 1 ? 1.25 : 0.8) });
    case "layers": {
      const on = !screen.layers.some(Boolean);
      session.show({ layers: screen.layers.map(() => on) });
      return session.say(on ? "Annotators' boxes shown." : "Annotators' boxes hidden.");
    }
    case "layer":
      return session.show({ layers: screen.layers.map((on, i) => (i === command.annotator ? !on : on)) });
    case "pan":
      return session.show({ panning: true });
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
    case "shield":
      return;
  }
}

/** Notices that Esc puts aside. A colleague's decision asks for an answer. */
const PASSING = new Set(["reject", "draft", "stale", "failed"]);

function escape(session: Session): void {
  const { screen, model } = session;
  if (screen.sheet) session.show({ sheet: false });
  else if (screen.notice && PASSING.has(screen.notice.kind)) session.show({ notice: null });
  else if (screen.drawing) {
    session.show({ drawing: false });
    session.say("");
  } else if (screen.guideline.shown) session.show({ guideline: { ...screen.guideline, shown: false } });
  else if (model.anchor !== null) session.act({ type: "cursor", to: model.cursor });
  session.show({ pane: "caption" });
  session.page.focus(screen.notice?.kind === "conflict" ? "conflict" : "caption");
}

function second(session: Session): void {
  if (!session.model.state.review) return;
  const wanted = !session.model.remarks.second;
  session.act({ type: "remark", change: { second: wanted } });
  session.say(wanted ? "Another reviewer is asked when you save." : "No other reviewer is asked.");
}
