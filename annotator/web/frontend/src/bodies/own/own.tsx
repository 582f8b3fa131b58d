/** An annotator's own task: the screen of subfigures, with other words, and nobody else's work. */

import { BUTTONS, type Body } from "../../session/body";
import type { Bridge, View } from "../../frame/view";
import type { Session } from "../../session/session";
import { SUBFIGURES } from "../subfigures/body";
import { Close, Notice } from "../../frame/notices";
import { Readings } from "../subfigures/caption/readings";
import { ImagePane } from "../subfigures/image/imagepane";
import type { Subfigures } from "../subfigures/model";
import { ChosenBar } from "../subfigures/panels";
import type { FigureState } from "../subfigures/types";
import { CaptionSide, panelHints, SUBFIGURES_VIEW } from "../subfigures/view";

/** What the server adds for a task: its number among those of the phase. */
export type OwnState = FigureState & { place: number };

export const OWN: Body<Subfigures> = {
  ...SUBFIGURES,
  draft: { ...SUBFIGURES.draft, prefix: "panelwise.task" },
  nameOfDecision: () => "what you saved there",
  greeting: ({ state: { decision }, work }) => {
    if (decision?.status === "rejected") return "You rejected this figure.";
    if (decision) return "You submitted this one; Enter goes on.";
    return work.panels.length > 0 ? "Correct what is wrong; Enter submits." : "N, then drag: a box around each subfigure.";
  },
  noneOpen: "None left to check.",
  buttons: { ...BUTTONS, open: "Next to check", held: "Submit, next", save: "Submit, next", here: "First A or R" },
};

export const OWN_VIEW: View<Subfigures> = {
  ...SUBFIGURES_VIEW,
  Panes,
  Reject,
  hints: (session) => [
    ...panelHints(session, "to check"),
    { keys: "U", text: "undo last submission", run: { do: "undo-submission" } },
  ],
  header: ({ model: { state } }) => ({
    home: "‹ Tasks",
    homeHint: "Back to your tasks",
    title: `Figure ${(state as OwnState).place} of ${state.progress.total}`,
    phase: { text: `phase ${state.phase}`, always: false },
    progress: { text: `${state.progress.decided} done`, hint: "Figures done" },
    agreement: null,
    open: "open",
    saved: state.decision?.status === "rejected" ? "Rejected" : "Submitted",
  }),
};

/** The panes of subfigures without remarks: an annotation has none. */
function Panes({ session, bridge }: { session: Session<Subfigures>; bridge: Bridge }) {
  return (
    <>
      <ImagePane session={session} bridge={bridge} label="Boxes: arrows move the chosen one, Alt resizes, Shift goes by ten" />
      <CaptionSide session={session} bar={<ChosenBar session={session} />} readings={<Readings session={session} />} />
    </>
  );
}

/** A figure that cannot be annotated. An annotation has no note. */
function Reject({ session }: { session: Session<Subfigures> }) {
  return (
    <Notice tone="danger" mark="✕">
      <div class="aj-words">
        <strong>Reject this figure?</strong> It is submitted as unfit, without subfigures; you can open it again from your tasks.
      </div>
      <button
        type="button"
        id="reject-note"
        class="primary"
        disabled={session.screen.saving}
        onClick={() => void session.dismiss("rejected")}
      >
        Reject figure <kbd>Enter</kbd>
      </button>
      <Close session={session}>Cancel</Close>
    </Notice>
  );
}
