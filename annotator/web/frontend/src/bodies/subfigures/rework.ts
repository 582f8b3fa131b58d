/** Changes of several subfigures at once: pure, from work to work, each with the words for it. */

import { tokensOf, tokenSet, type TokenSet } from "./caption/tokens";
import type { FigureState } from "./types";
import { FIGURE } from "../../session/kind";
import { candidateOf, readingOf, type Panel, type Work } from "./work";

type Reworked = [work: Work, said: string];

/** All that is open becomes as one annotator has it, and is settled so; what that one has not is left out. */
export function adoptOpen(state: FigureState, work: Work, index: number): Reworked {
  const annotator = state.annotators[index];
  if (!annotator) return [work, `There is no annotator ${index + 1}.`];
  const status = state.annotations.find((each) => each.annotator === annotator.key)?.status;
  if (status !== "accepted") return [work, `${annotator.name} did not accept the figure.`];
  let count = 0;
  const panels = work.panels.map((panel): Panel => {
    if (panel.review !== "open") return panel;
    count += 1;
    const reading = readingOf(state, panel, annotator.key);
    if (!reading) return { ...panel, review: "rejected", keep: false };
    return { ...panel, ...reading, review: "accepted", keep: true, basis: [annotator.key] };
  });
  if (count === 0 && !work.figureOpen) return [work, "Nothing is open."];
  return [{ panels, figureOpen: false }, `Everything open now uses ${annotator.name}'s work.`];
}

/** The texts of two subfigures change places: the chosen one's, and that of the one it was mixed up with. */
export function swapTexts(state: FigureState, work: Work, chosen: string | null): Reworked {
  const panel = work.panels.find((each) => each.id === chosen);
  const partner = panel && partnerOf(state, work, panel);
  if (!panel || !partner) return [work, chosen === FIGURE ? "" : "There is no subfigure to swap texts with."];
  const panels = work.panels.map((each) => {
    if (each === panel) return { ...each, tokens: partner.tokens };
    return each === partner ? { ...each, tokens: panel.tokens } : each;
  });
  return [{ ...work, panels }, `The texts of ${panel.label} and ${partner.label} are swapped.`];
}

/** Whose text some annotator gave this one; where there is none such, the next. */
function partnerOf(state: FigureState, work: Work, panel: Panel): Panel | undefined {
  const others = work.panels.filter((each) => each !== panel && each.review !== "rejected");
  const candidate = candidateOf(state, panel);
  const readings = candidate ? candidate.supporters.map((key) => tokensOf(candidate, key)) : [];
  let best: Panel | undefined;
  let score = 0.5;
  for (const other of others) {
    const value = Math.max(0, ...readings.map((reading) => shared(reading, other.tokens)));
    if (value > score && shared(panel.tokens, other.tokens) < value) [best, score] = [other, value];
  }
  if (best) return best;
  const at = work.panels.indexOf(panel);
  return others.find((each) => work.panels.indexOf(each) > at) ?? others[0];
}

/** Jaccard overlap of two texts. */
function shared(a: TokenSet, b: TokenSet): number {
  const all = tokenSet([...a, ...b]).length;
  return all === 0 ? 0 : (a.length + b.length - all) / all;
}
