/** An annotator's own task on a figure's type, pairs or questions: the screen of items, and nobody else's work. */

import { openHint, OTHER_TAB, type View } from "../../frame/view";
import type { Body } from "../../session/body";
import { answersOf, ITEMS } from "../items/body";
import { nameOf, type Items, type ItemsModel } from "../items/model";
import type { ItemsState } from "../items/types";
import { ItemPanes, ITEMS_VIEW, partHints } from "../items/view";
import { allIds, KIND, openIds, type Work } from "../items/work";
import { NO_OTHER, OWN_BUTTONS, OWN_TASK, OWN_TASK_VIEW, submitted, UNDO_HINT, type Placed } from "./own";

/** What the server adds for a task: its number among those of the phase. */
export type OwnItemsState = ItemsState & Placed;

/** What is said of a task on a figure that was imported without pairs. */
export const NOTHING_ASKED =
  "This figure has no question-answer pairs, so there is nothing to judge or answer here. X leaves it out, with that as the reason; tell the campaign's lead, who imports the pairs.";

export const OWN_ITEMS: Body<Items> = {
  ...ITEMS,
  ...OWN_TASK,
  draft: { ...ITEMS.draft, prefix: "panelwise.task-items" },
  closed: () => null,
  nameOfDecision: () => "what you saved there",
  content: (model, accepted) => ({ ...ITEMS.content(model, accepted), based_on: [], answers: accepted ? answersOf(model.work) : [] }),
  // Nothing goes out that the annotator has not judged, not even with Ctrl Enter.
  blocked: (model) => {
    if (allIds(model.work).length === 0) return { id: null, text: NOTHING_ASKED };
    const [open] = openIds(model.work);
    if (open !== undefined) return { id: open, text: openText(model, open) };
    const missing = missingIn(model.work);
    return missing === null ? null : { id: KIND, text: missing };
  },
  greeting,
  noneOpen: "None open.",
  other: NO_OTHER,
  openText,
  buttons: { ...OWN_BUTTONS, open: "Next open", here: "First finish it" },
};

export const OWN_ITEMS_VIEW: View<Items> = {
  ...ITEMS_VIEW,
  ...OWN_TASK_VIEW,
  conflict: { ...ITEMS_VIEW.conflict, ...OTHER_TAB },
  panesClass: "it-panes it-own-task",
  Panes: (props) => <ItemPanes {...props} remarks={false} empty={NOTHING_ASKED} />,
  hints: (session) => [openHint(session, session.model.state.questions.length > 0 ? "to answer" : "to judge"), ...partHints(session), UNDO_HINT],
};

/** What is to be said of the figure's type before it goes out; null where it is not asked for or complete. */
function missingIn({ kind }: Work): string | null {
  if (kind?.value.compound === null) return "Say whether the figure is compound: D.";
  return kind?.value.count === null ? "Give the number of subfigures: ] and [." : null;
}

function greeting(model: ItemsModel): string {
  const done = submitted(model.state.decision);
  if (done !== null) return done;
  if (allIds(model.work).length === 0) return "This figure has no question-answer pairs.";
  return openIds(model.work).length > 0 ? howTo(model) : "Correct what is wrong; Enter submits.";
}

function howTo({ state, chosen }: ItemsModel): string {
  if (chosen === KIND) return "D: compound or not. ] and [: subfigures. Arrows and Space: types.";
  return state.questions.length > 0 ? "I writes an answer, 1 – 9 pick options; A goes on." : "A: the pair is correct. I: correct it.";
}

function openText(model: ItemsModel, id: string): string {
  const name = nameOf(model, id);
  if (id === KIND) return `${name} is open: D for compound or not, ] and [ for the subfigures, arrows and Space for types.`;
  return `${name} is open: ${model.state.questions.length > 0 ? "answer it, C if it cannot be answered, D if you don't know." : "A if it is correct, I to correct it."}`;
}
