/** What Enter does now, in one place: the status line, the footer's button and the save itself go by it. */

import { blindGreeting } from "./blind";
import type { Model } from "./model";
import { gate } from "./payload";
import type { FigureState } from "./types";
import { openIds, type Work } from "./work";

/**
 * open: on to what is open elsewhere. here: nothing, the chosen one waits for a word. held: nothing, and says why.
 * confirm: saves what another has, as the second reviewer. next: saves nothing and goes on. save: saves and goes on.
 */
export type Enter = "open" | "here" | "held" | "confirm" | "next" | "save";

/** dirty: whether anything was changed since the figure was opened. */
export function enterDoes(model: Pick<Model, "state" | "work" | "chosen">, dirty: boolean): Enter {
  const held = gate(model, false);
  if (held.kind === "open") return held.count === 1 && held.id === model.chosen ? "here" : "open";
  if (held.kind !== "ready") return "held";
  if (dirty || model.state.decision?.status !== "accepted") return "save";
  return model.state.review?.may ? "confirm" : "next";
}

/** Words of the footer's button. */
export const BUTTON: Readonly<Record<Enter, string>> = {
  open: "Next conflict",
  here: "First A or R",
  held: "Save, next",
  confirm: "Confirm, next",
  next: "Next",
  save: "Save, next",
};

/** What is said when a figure is opened. */
export function greeting(state: FigureState, work: Work): string {
  if (state.blind) return blindGreeting(state.decision, work.panels.length);
  const open = openIds(work).length;
  if (open > 0) return `${open} to settle: A accepts, R rejects.`;
  const { decision } = state;
  const from = state.starts_from;
  switch (enterDoes({ state, work, chosen: null }, false)) {
    case "confirm":
      return "Enter confirms as second reviewer.";
    case "next":
      return decision?.awaits === "second" && decision.reviewer === state.reviewer
        ? "Waits for a second reviewer: Enter goes on."
        : "Settled: Enter goes on.";
    case "save":
      return from ? `Starts from ${from.reviewer}'s decision: Enter saves.` : "All agree: Enter saves.";
    default:
      if (decision && decision.status !== "accepted") return decision.status === "rejected" ? "Rejected." : "Put off.";
      return work.panels.length > 0 ? "Look at the labels first." : "Nothing was drawn here.";
  }
}
