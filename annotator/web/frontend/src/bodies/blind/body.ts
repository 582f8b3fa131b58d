/** The body of blind work: subfigures are given and locked, and the reviewer writes the text of each. */

import { BUTTONS, type Body } from "../../session/body";
import { step } from "../../session/model";
import { save } from "../../wire/api";
import { SUBFIGURES } from "../subfigures/body";
import { diff } from "../subfigures/diff";
import { tokenSet } from "../subfigures/caption/tokens";
import { chosenPanel, edit, reduceSubfigures, type Model, type Subfigures } from "../subfigures/model";
import type { SubfigureAction } from "../subfigures/actions";
import type { Blind, Conflict, Decision, FigureState, Payload } from "../subfigures/types";
import { kept, type Panel, type Work } from "../subfigures/work";
import type { BlindPayload, BlindScreen, OwnWork } from "./wire";

export const LOCKED = "Boxes and labels are fixed here; you can only mark words.";

/** The only actions: every other would change a box, or speak of other people's work. */
const WRITES = new Set<string>([
  "choose", "step", "cursor", "move", "toggle", "run", "clause", "adjust", "none", "accept", "undo", "redo",
  "replace", "theirs", "version", "remark",
]);

export const BLIND: Body<Subfigures> = {
  ...SUBFIGURES,
  name: "blind",
  asksReason: true,
  startWork: (state) => blindWork(state.blind as Blind, state.decision),
  reduce: reduceBlind,
  refuses: ({ type }) => (WRITES.has(type) ? null : LOCKED),
  // Labels that are given twice are not the reviewer's to correct.
  blocked: ({ work }, forced) => {
    return forced || kept(work).length > 0 ? null : { id: null, text: "This figure has no subfigure to write." };
  },
  diff: (mine, theirs) => diff(mine, theirs, "what you saved"),
  nameOfDecision: () => "the version saved there",
  greeting: ({ state: { decision }, work }) => {
    if (decision?.status === "rejected") return "You marked this figure as unfit.";
    if (decision) return "Already written; Enter opens the next.";
    const count = work.panels.length;
    return `${count} to write: mark ${count === 1 ? "its words" : "the words of each"}, ? shows all keys.`;
  },
  buttons: { ...BUTTONS, open: "Next to write", here: "First mark words" },
  noneOpen: "All are written: Enter saves.",
  openText: (_, __, here, count) =>
    here ? "No words marked yet: 0 for no subcaption." : `${count} to write: this one next.`,
  post: (state) => blindPost(state.blind as Blind, state.reviewer),
  other: () => ({ url: null, name: "", hint: "", none: LOCKED }),
  run: (model, screen, command) => (command.do === "locked" ? { say: LOCKED } : SUBFIGURES.run(model, screen, command)),
};

function reduceBlind(model: Model, action: SubfigureAction): Model {
  const panel = chosenPanel(model);
  if (action.type === "accept") {
    if (panel?.review === "open") return { ...model, said: `${panel.label} has no words yet: 0 for no subcaption.` };
    return step(model, 1, "open");
  }
  if (action.type !== "none" || !panel) return reduceSubfigures(model, action);
  // No text is an answer too, so that the panel is written.
  const next = edit({ ...model, anchor: null }, panel.id, (each) => ({ ...each, tokens: [], review: "accepted" }), true);
  return { ...next, said: `${panel.label}: no subcaption.` };
}

/** The state of the screen, from what the server sends of a blind task. */
export function stateOf(screen: BlindScreen): FigureState {
  const { key, phase, place, total, written, source, told, given, own, ...same } = screen;
  const palette = new Map(given.map(({ label, color }) => [label, { label, color }]));
  const blind: Blind = { place, total, source, told, given: given.map(({ label, box }) => ({ label, box })) };
  return {
    ...same,
    figure_id: key,
    labels: [...palette.keys()],
    palette: [...palette.values()],
    decision: own && decisionOf(blind, own, screen.reviewer),
    annotators: [],
    annotations: [],
    candidates: [],
    agreement: null,
    progress: { decided: written, total },
    phase,
    blind,
  };
}

/** One's own work in the form of a decision. */
function decisionOf({ given }: Blind, own: OwnWork, reviewer: string): Decision {
  const accepted = own.status === "accepted";
  const subfigures = accepted ? given.map((each, i) => ({ ...each, tokens: own.texts[i] ?? [] })) : [];
  return { status: own.status, subfigures, note: own.reason, reviewer, decided_at: own.saved_at, based_on: [] };
}

/** A panel for each given subfigure, in their order; open until its text is written. */
function blindWork({ given }: Blind, decision: Decision | null): Work {
  const written = decision?.status === "accepted" ? decision.subfigures : null;
  const panels = given.map(({ label, box }, i): Panel => {
    const tokens = tokenSet(written?.[i]?.tokens ?? []);
    return { id: `g${i}`, label, box, tokens, review: written ? "accepted" : "open", keep: true, candidate: null, basis: [] };
  });
  return { panels, figureOpen: false };
}

/** What goes to the server of what the screen would save. */
export function wireOf({ version, status, subfigures, seconds, note }: Payload): BlindPayload {
  const reason = status === "accepted" ? "" : note;
  return { version, status, texts: subfigures.map(({ tokens }) => [...tokens]), seconds, reason };
}

/** Posts, and reads what the same reviewer saved in another tab where the answer is that. */
export function blindPost(blind: Blind, reviewer: string): ReturnType<Body<Subfigures>["post"]> {
  return async (url, csrf, body) => {
    const answer = await save<BlindPayload, OwnWork, Conflict>(url, csrf, wireOf(body));
    if (answer.kind !== "conflict") return answer;
    return { ...answer, current: answer.current && decisionOf(blind, answer.current, reviewer), conflict: null };
  };
}
