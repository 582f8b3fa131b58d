/** What the reviewer works on: one panel for each candidate, decided subfigure or new box. */

import { FIGURE } from "../../session/kind";
import { iou, sameBox } from "./boxes";
import { sameTokens, tokenSet, tokensOf, type TokenSet } from "./caption/tokens";
import type { Annotation, Box, Candidate, Decision, FigureState, Subfigure } from "./types";

export type Review = "open" | "accepted" | "rejected";

/** keep: whether it would be saved if it stayed open. candidate: index in the state, null if drawn here. */
export interface Panel {
  id: string;
  label: string;
  box: Box;
  tokens: TokenSet;
  review: Review;
  keep: boolean;
  candidate: number | null;
  basis: readonly string[];
}

export interface Work {
  panels: readonly Panel[];
  figureOpen: boolean;
}

export function candidateOf(state: FigureState, panel: Panel | undefined): Candidate | null {
  return panel?.candidate == null ? null : (state.candidates[panel.candidate] ?? null);
}

/** Whether annotators differ on the figure's status. */
export function statusDiffers(state: FigureState): boolean {
  return new Set(state.annotations.map((annotation) => annotation.status)).size > 1;
}

/** Where work begins: from the standing decision or the one that was reopened, else from the candidates. */
export function startWork(state: FigureState): Work {
  const from = state.decision ?? state.starts_from;
  return from ? workFromDecision(state, from) : workFromCandidates(state);
}

function workFromCandidates(state: FigureState): Work {
  const panels = state.candidates.map((candidate, i): Panel => {
    const keep = candidate.preselected;
    const agreed = keep && !candidate.conflict;
    return panelFrom(candidate, `c${i}`, i, agreed ? "accepted" : "open", keep, candidate.supporters);
  });
  return { panels, figureOpen: statusDiffers(state) };
}

/** A decision as work: its subfigures accepted, candidates that it left out rejected. Nothing is open. */
export function workFromDecision(state: FigureState, decision: Pick<Decision, "subfigures" | "based_on">): Work {
  const free = new Set(state.candidates.keys());
  const panels = decision.subfigures.map((subfigure, i): Panel => {
    const match = closest(subfigure, state.candidates, free);
    if (match !== null) free.delete(match);
    const known = match === null ? [] : (state.candidates[match]?.supporters ?? []);
    const basis = known.filter((key) => decision.based_on.includes(key));
    return panelFrom(subfigure, `d${i}`, match, "accepted", true, basis);
  });
  const left = [...free].map((i): Panel => {
    const candidate = state.candidates[i] as Candidate;
    return panelFrom(candidate, `c${i}`, i, "rejected", false, candidate.supporters);
  });
  return { panels: [...panels, ...left], figureOpen: false };
}

/** Work that was begun on other candidates, put on these: what nobody had seen then is added, as it would begin. */
export function refit(state: FigureState, work: Work): Work {
  const free = new Set(state.candidates.keys());
  const panels = work.panels.map((panel): Panel => {
    const match = closest(panel, state.candidates, free);
    if (match !== null) free.delete(match);
    return { ...panel, candidate: match };
  });
  const used = new Set(panels.map((panel) => panel.id));
  const added = workFromCandidates(state).panels.filter((panel) => free.has(panel.candidate as number));
  return { ...work, panels: [...panels, ...added.map((panel) => ({ ...panel, id: unused(panel.id, used) }))] };
}

function unused(id: string, used: ReadonlySet<string>): string {
  return used.has(id) ? unused(`${id}+`, used) : id;
}

function panelFrom(
  from: Subfigure,
  id: string,
  candidate: number | null,
  review: Review,
  keep: boolean,
  basis: readonly string[],
): Panel {
  return { id, label: from.label, box: from.box, tokens: tokenSet(from.tokens), review, keep, candidate, basis };
}

/** The index, among those free, of the candidate that overlaps best: half or more; the same label breaks ties. */
function closest(subfigure: Pick<Subfigure, "label" | "box">, candidates: readonly Candidate[], free: ReadonlySet<number>): number | null {
  let best: number | null = null;
  let score = 0.5;
  for (const i of free) {
    const candidate = candidates[i] as Candidate;
    const value = iou(subfigure.box, candidate.box) + (candidate.label === subfigure.label ? 0.001 : 0);
    if (value >= score) [best, score] = [i, value];
  }
  return best;
}

/** One annotator's reading of a panel: text by the candidate's votes, box by overlap; null where there is none. */
export function readingOf(state: FigureState, panel: Panel, annotator: string): { tokens: TokenSet; box: Box } | null {
  const annotation = state.annotations.find((each) => each.annotator === annotator);
  if (!annotation) return null;
  const candidate = candidateOf(state, panel);
  if (candidate && !candidate.supporters.includes(annotator)) return null;
  const own = overlapping(annotation, candidate?.box ?? panel.box, candidate?.label ?? panel.label);
  if (candidate) return { tokens: tokensOf(candidate, annotator), box: own?.box ?? candidate.box };
  return own ? { tokens: tokenSet(own.tokens), box: own.box } : null;
}

function overlapping(annotation: Annotation, box: Box, label: string): Subfigure | null {
  let best: Subfigure | null = null;
  let score = 0.3;
  for (const subfigure of annotation.subfigures) {
    const value = iou(subfigure.box, box) + (subfigure.label === label ? 0.001 : 0);
    if (value > score) [best, score] = [subfigure, value];
  }
  return best;
}

/** Panels that a save would keep. */
export function kept(work: Work): Panel[] {
  return work.panels.filter((panel) => panel.review === "accepted" || (panel.review === "open" && panel.keep));
}

/** Whether a guideline finding on this item is on the figure as a whole: on no panel that is kept, such as one that has no box. */
export function onFigure(work: Work, item: string): boolean {
  return item === "" || !kept(work).some(({ label }) => label === item);
}

/** Ids of open panels in their order, after the figure where that is open. */
export function openIds({ figureOpen, panels }: Work): string[] {
  return allIds({ figureOpen, panels: panels.filter((panel) => panel.review === "open") });
}

export function allIds({ figureOpen, panels }: Work): string[] {
  return [...(figureOpen ? [FIGURE] : []), ...panels.map((panel) => panel.id)];
}

/** Labels that more than one kept panel bears: gold refuses them. */
export function repeatedLabels(work: Work): string[] {
  const labels = kept(work).map((panel) => panel.label);
  return [...new Set(labels.filter((label, i) => labels.indexOf(label) !== i))];
}

export function sameWork(a: Work, b: Work): boolean {
  if (a === b) return true;
  if (a.figureOpen !== b.figureOpen || a.panels.length !== b.panels.length) return false;
  return a.panels.every((panel, i) => samePanel(panel, b.panels[i] as Panel));
}

function samePanel(a: Panel, b: Panel): boolean {
  return (
    a === b ||
    (a.id === b.id &&
      a.label === b.label &&
      a.review === b.review &&
      a.keep === b.keep &&
      sameBox(a.box, b.box) &&
      sameTokens(a.tokens, b.tokens))
  );
}
