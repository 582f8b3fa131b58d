/** An annotator's own task: the screen of subfigures, with other words, and nobody else's work. */

import { BUTTONS, type Body } from "../../session/body";
import type { Kind } from "../../session/kind";
import { OTHER_TAB, type Bridge, type HeaderTexts, type HintLine, type View } from "../../frame/view";
import type { Session } from "../../session/session";
import { capital, WORK_WORDS } from "../../wire/types";
import { missingBox, SUBFIGURES } from "../subfigures/body";
import { diff } from "../subfigures/diff";
import { Readings } from "../subfigures/caption/readings";
import { ImagePane } from "../subfigures/image/imagepane";
import type { Subfigures } from "../subfigures/model";
import { ChosenBar } from "../subfigures/panels";
import type { FigureState } from "../subfigures/types";
import { CaptionSide, panelHints, SUBFIGURES_VIEW } from "../subfigures/view";
import { kept } from "../subfigures/work";

/** What the server adds for a task: its number among those of the phase, and the figure's id, "" where the phase hides it. */
export interface Placed {
  place: number;
  shown_id: string;
}

export type OwnState = FigureState & Placed;

/** What every task has in common. */
export const OWN_TASK = { who: "annotator", asksReason: true } as const;

/** Words of the footer's button on every task. */
export const OWN_BUTTONS = { ...BUTTONS, open: "Next to check", held: "Submit, next", save: "Submit, next" };

/** A task has no other screen, whatever there is of its figure. */
export const NO_OTHER = () => ({ url: null, name: "", hint: "", none: "Your other tasks are in the list." });

export const UNDO_HINT: HintLine = { keys: "U", text: "undo last submission", run: { do: "undo-submission" } };

/** What a task's view has in common: it is rejected or left out for a reason, and called by its number. */
export const OWN_TASK_VIEW = {
  reject: "reject, leave out",
  dismissal: {
    reason: "Reason, as the guidelines ask",
    hint: "Reject: the figure is unfit for the campaign. Leave out: you can't judge it. You can open it again from your tasks.",
    reject: "Reject figure",
    ignore: "Leave out",
  },
  header: taskHeader,
};

/** What is said of a figure that the annotator submitted before; null of one that is open. */
export function submitted(decision: Kind["decision"] | null): string | null {
  if (decision === null) return null;
  return decision.status === "accepted" ? "Done; Enter goes on." : `You ${WORK_WORDS[decision.status]} this figure.`;
}

export const OWN: Body<Subfigures> = {
  ...SUBFIGURES,
  ...OWN_TASK,
  draft: { ...SUBFIGURES.draft, prefix: "panelwise.task" },
  stopsAt: (model, finding) => (missingBox(model, finding) ? "" : null),
  // Asked again once other panels have boxes.
  itemText: ({ work }) => JSON.stringify(kept(work).map(({ label }) => label)),
  diff: (mine, theirs) => diff(mine, theirs, "what you saved"),
  nameOfDecision: () => "what you saved there",
  greeting: ({ state: { decision }, work }) =>
    submitted(decision) ??
    (work.panels.length > 0 ? "Correct what is wrong; Enter submits." : "N, then drag: a box around each subfigure."),
  noneOpen: "None left to check.",
  other: NO_OTHER,
  buttons: { ...OWN_BUTTONS, here: "First A or R" },
};

export const OWN_VIEW: View<Subfigures> = {
  ...SUBFIGURES_VIEW,
  ...OWN_TASK_VIEW,
  Panes,
  conflict: { ...SUBFIGURES_VIEW.conflict, ...OTHER_TAB },
  hints: (session) => [...panelHints(session, "to check"), UNDO_HINT],
};

/** The header of a task of any kind. */
export function taskHeader<K extends Kind>({ model }: Session<K>): HeaderTexts {
  const state = model.state as K["state"] & Placed;
  return {
    home: "‹ Tasks",
    homeHint: "Back to your tasks",
    title: `Figure ${state.place} of ${state.progress.total}${state.shown_id && `: ${state.shown_id}`}`,
    phase: { text: `phase ${state.phase}`, always: false },
    progress: { text: `${state.progress.decided} done`, hint: "Figures done" },
    agreement: null,
    open: "open",
    saved: capital(WORK_WORDS[state.decision?.status ?? "accepted"]),
  };
}

/** The panes of subfigures without remarks: an annotation has none. */
function Panes({ session, bridge }: { session: Session<Subfigures>; bridge: Bridge }) {
  return (
    <>
      <ImagePane session={session} bridge={bridge} label="Boxes: arrows move the chosen one, Alt resizes, Shift goes by ten" />
      <CaptionSide session={session} bar={<ChosenBar session={session} />} readings={<Readings session={session} />} />
    </>
  );
}
