/**
 * The blind mode of the screen: subfigures are given and locked, and the reviewer writes the text of each. The server
 * sends nothing of anybody else's work, so there is nothing here to hide: no annotators, candidates or votes.
 */

import { save, type Saved } from "./api";
import type { Action } from "./model";
import type { Command } from "./keys";
import { tokenSet } from "./tokens";
import type { Box, Conflict, Decision, FigureState, Payload, Status, Subfigure, Token } from "./types";
import type { Panel, Work } from "./work";

/** The JSON of /api/blind/<key>. texts of `own`: token ids, a list for each given subfigure. */
export interface BlindScreen {
  key: string;
  phase: string;
  place: number;
  total: number;
  written: number;
  image_url: string;
  width: number;
  height: number;
  revision: number;
  caption: { text: string; tokens: readonly Token[] };
  references: readonly string[];
  given: readonly { label: string; box: Box; color: string }[];
  source: string;
  version: number;
  own: OwnWork | null;
  told: string;
  reviewer: string;
  next_url: string | null;
  csrf: string;
}

export interface OwnWork {
  status: Status;
  texts: readonly (readonly number[])[];
  saved_at: string;
}

/** What the blind mode adds to a figure's state. */
export interface Blind {
  place: number;
  total: number;
  source: string;
  told: string;
  given: readonly Pick<Subfigure, "label" | "box">[];
}

/** What is posted: no box is in it. */
export interface BlindPayload {
  version: number;
  status: Status;
  texts: number[][];
  seconds: number;
}

/** The state of the screen, from what the server tells of a blind task. */
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

/** One's own work as the screen knows decisions. */
function decisionOf({ given }: Blind, own: OwnWork, reviewer: string): Decision {
  const accepted = own.status === "accepted";
  const subfigures = accepted ? given.map((each, i) => ({ ...each, tokens: own.texts[i] ?? [] })) : [];
  return { status: own.status, subfigures, note: "", reviewer, decided_at: own.saved_at, based_on: [] };
}

/** A panel for each given subfigure, in their order; open until its text is written. */
export function blindWork({ given }: Blind, decision: Decision | null): Work {
  const written = decision?.status === "accepted" ? decision.subfigures : null;
  const panels = given.map(({ label, box }, i): Panel => {
    const tokens = tokenSet(written?.[i]?.tokens ?? []);
    return { id: `g${i}`, label, box, tokens, review: written ? "accepted" : "open", keep: true, candidate: null, basis: [] };
  });
  return { panels, figureOpen: false };
}

/** What goes to the server of what the screen would save. */
export function wireOf({ version, status, subfigures, seconds }: Payload): BlindPayload {
  return { version, status, texts: subfigures.map(({ tokens }) => [...tokens]), seconds };
}

/** Posts, and reads what the same reviewer saved in another tab where the answer is that. */
export function blindPost(blind: Blind, reviewer: string): (url: string, csrf: string, body: Payload) => Promise<Saved> {
  return async (url, csrf, body) => {
    const answer = await save<BlindPayload, OwnWork, Conflict>(url, csrf, wireOf(body));
    if (answer.kind !== "conflict") return answer;
    return { ...answer, current: answer.current && decisionOf(blind, answer.current, reviewer), conflict: null };
  };
}

/** What only words may be changed by. Everything else would change a box, or speak of other people's work. */
const WRITES = new Set<Action["type"]>([
  "choose", "step", "cursor", "move", "toggle", "run", "clause", "adjust", "none", "accept", "undo", "redo",
  "replace", "theirs", "version",
]);

export function writes(action: Action): boolean {
  return WRITES.has(action.type);
}

const OTHERS = new Set<Command["do"]>([
  "draw", "relabel", "note", "error-kind", "flag", "second", "history", "taking", "layers", "layer", "image", "items",
]);

/** Whether a command of the keyboard has no place in the blind mode. */
export function isLocked(command: Command): boolean {
  return OTHERS.has(command.do) || (command.do === "act" && !writes(command.action));
}

export const LOCKED = "Boxes and labels are given here: only words change.";

/** What is said when the screen opens. */
export function blindGreeting(decision: Decision | null, panels: number): string {
  if (decision?.status === "rejected") return "You marked this figure as unfit.";
  if (decision) return "You wrote this one; Enter goes on.";
  return `${panels} to write: mark the words of each, ? shows all keys.`;
}
