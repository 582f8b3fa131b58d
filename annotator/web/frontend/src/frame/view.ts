/** What a body of the screen shows within the frame that all share. */

import type { ComponentChildren, VNode } from "preact";
import type { Command } from "../keys/command";
import type { Kind } from "../session/kind";
import type { Side } from "../session/screen";
import type { Model } from "../session/body";
import type { Session } from "../session/session";
import { DECISION_WORDS, type Decided, type Part } from "../wire/types";
import { when } from "./when";

/** The pane's scale, and what the mouse has not yet reported: set by the pane, asked by the session. */
export interface Bridge {
  flush: () => void;
  fit: () => number;
}

/** A key and what it does, at the foot of the screen; without `run` it is no button. */
export interface HintLine {
  keys: string;
  text: string;
  run?: Command;
  off?: boolean;
  pressed?: boolean;
}

/** Goes to the next open thing, which the body calls `text`. */
export function openHint<K extends Kind>({ body, model }: Session<K>, text: string): HintLine {
  const off = body.openIds(model.work).length === 0;
  return { keys: "J K", text, run: { do: "act", action: { type: "step", by: 1, among: "open" } }, off };
}

export interface HeaderTexts {
  home: string;
  homeHint: string;
  title: string;
  /** always: whether it stays in a narrow window. */
  phase: { text: string; always: boolean };
  progress: { text: string; hint: string };
  agreement: { text: string; hint: string } | null;
  /** What is open is called. */
  open: string;
  saved: string;
}

/** The header of a figure in the queue. agreement: what it is measured on. */
export function queueHeader<K extends Kind>({ model, body }: Session<K>, agreement: HeaderTexts["agreement"]): HeaderTexts {
  const { state, work } = model;
  const { figure_id, phase, progress, decision } = state;
  const inPart = decision?.status === "accepted" && body.openIds(work).length > 0 ? " in part" : "";
  return {
    home: "‹ Queue",
    homeHint: "Back to the queue",
    title: figure_id,
    phase: { text: `phase ${phase}`, always: false },
    progress: { text: `${progress.decided} of ${progress.total}`, hint: "Figures adjudicated" },
    agreement,
    open: "open",
    saved: decision ? `${DECISION_WORDS[decision.status]}${inPart} by ${decision.reviewer},` : "",
  };
}

/** What is asked before a figure is rejected, or else left out or deferred. hint: what either means. */
export interface Dismissal {
  reason: string;
  hint?: string;
  reject: string;
  ignore?: string;
}

export const REVIEWERS_DISMISSAL: Dismissal = { reason: "Reason (note)", reject: "Reject figure", ignore: "Defer" };

/** What is said where the same person saved the figure in another tab. */
export const OTHER_TAB = {
  title: ({ decided_at }: Decided) => `You saved this figure in another tab or window, ${when(decided_at)}.`,
  mine: "Save this instead",
  theirs: "Use the saved version",
};

export interface View<K extends Kind> {
  panesClass: string;
  Panes: (props: { session: Session<K>; bridge: Bridge }) => VNode;
  header(session: Session<K>): HeaderTexts;
  hints(session: Session<K>): HintLine[];
  skip: string;
  reject: string;
  /** What is asked before a figure is rejected or left out. */
  dismissal: Dismissal;
  /** What the keys work on that has keys of its own. */
  part(session: Session<K>): "image" | "type" | "answer" | null;
  /** Whether the focus may scroll to a field. */
  scrolls: boolean;
  conflict: {
    title(current: K["decision"]): string;
    mine: string;
    theirs: string;
    /** What is said below the lines; `same` parts do not differ. */
    same(same: number): string | null;
    name(model: Model<K>, part: Part): string;
    Head?: (props: { session: Session<K>; part: Part }) => VNode;
    Reading: (props: { session: Session<K>; part: Part; side: Side }) => ComponentChildren;
  };
}
