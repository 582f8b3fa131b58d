/** An annotator's own task: the screen of subfigures, with other words, and nobody else's work. */

import { BUTTONS, type Body } from "../../session/body";
import type { Kind } from "../../session/kind";
import type { Bridge, HeaderTexts, HintLine, View } from "../../frame/view";
import type { Session } from "../../session/session";
import { SUBFIGURES } from "../subfigures/body";
import type { Unfit } from "../../frame/notices";
import { Readings } from "../subfigures/caption/readings";
import { ImagePane } from "../subfigures/image/imagepane";
import type { Subfigures } from "../subfigures/model";
import { ChosenBar } from "../subfigures/panels";
import type { FigureState } from "../subfigures/types";
import { CaptionSide, panelHints, SUBFIGURES_VIEW } from "../subfigures/view";

/** What the server adds for a task: its number among those of the phase. */
export type OwnState = FigureState & { place: number };

/** Words of the footer's button on every task. */
export const OWN_BUTTONS = { ...BUTTONS, open: "Next to check", held: "Submit, next", save: "Submit, next" };

/** A task has no other screen, whatever there is of its figure. */
export const NO_OTHER = () => ({ url: null, name: "", hint: "", none: "Your other tasks are in the list." });

export const UNDO_HINT: HintLine = { keys: "U", text: "undo last submission", run: { do: "undo-submission" } };

export const UNFIT: Unfit = {
  question: "Reject this figure?",
  words: "It is submitted as unfit, and as nothing else; you can open it again from your tasks.",
  button: "Reject figure",
};

/** What is said of a figure that the annotator submitted before; null of one that is open. */
export function submitted(decision: Kind["decision"] | null): string | null {
  if (decision === null) return null;
  return decision.status === "rejected" ? "You rejected this figure." : "You submitted this one; Enter goes on.";
}

export const OWN: Body<Subfigures> = {
  ...SUBFIGURES,
  draft: { ...SUBFIGURES.draft, prefix: "panelwise.task" },
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
  Panes,
  unfit: UNFIT,
  hints: (session) => [...panelHints(session, "to check"), UNDO_HINT],
  header: taskHeader,
};

/** The header of a task of any kind. */
export function taskHeader<K extends Kind>({ model }: Session<K>): HeaderTexts {
  const state = model.state as K["state"] & { place: number };
  return {
    home: "‹ Tasks",
    homeHint: "Back to your tasks",
    title: `Figure ${state.place} of ${state.progress.total}`,
    phase: { text: `phase ${state.phase}`, always: false },
    progress: { text: `${state.progress.decided} done`, hint: "Figures done" },
    agreement: null,
    open: "open",
    saved: state.decision?.status === "rejected" ? "Rejected" : "Submitted",
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
