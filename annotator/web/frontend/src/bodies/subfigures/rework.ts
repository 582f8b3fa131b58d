/** Changes of several subfigures at once: pure, from work to work, each with the words for it. */

import { tokensOf, tokenSet, type TokenSet } from "./caption/tokens";
import type { FigureState } from "./types";
import { FIGURE } from "../../session/kind";
import { candidateOf, kept, readingOf, type Panel, type Work } from "./work";

type Reworked = [work: Work, said: string];

/** All that is open becomes as one annotator has it, and is decided; what that one has not is left out. */
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

/** The label of one panel. One that another panel bears changes places with its own, and each text stays with its label. */
export function relabel(work: Work, { id, label }: { id: string; label: string }): Reworked {
  const panel = work.panels.find((each) => each.id === id);
  if (!panel || panel.label === label) return [work, ""];
  const other = work.panels.find((each) => each !== panel && each.label === label && each.review !== "rejected");
  const panels = work.panels.map((each): Panel => {
    // New words bring a rejected panel back.
    const back = each === panel && each.review === "rejected" ? { review: "accepted" as const, keep: true } : {};
    if (each === panel) return { ...each, ...back, label, tokens: other ? other.tokens : each.tokens };
    return each === other ? { ...each, label: panel.label, tokens: panel.tokens } : each;
  });
  const swapped = `${panel.label} and ${label} are swapped, each with its text; W swaps the texts back.`;
  return [{ ...work, panels }, other ? swapped : `Now labelled ${label}.`];
}

/** All panels that are kept, labelled in the order in which they are read, and listed so; each text stays with its label. */
export function numberInReadingOrder(state: Pick<FigureState, "labels">, work: Work): Reworked {
  const order = inReadingOrder(kept(work));
  const texts = new Map(order.map(({ label, tokens }) => [label, tokens]));
  const labels = labelsFor(state, order.length);
  const numbered = order.map((panel, i): Panel => {
    const label = labels[i] as string;
    return { ...panel, label, tokens: texts.get(label) ?? (labels.includes(panel.label) ? [] : panel.tokens) };
  });
  const rest = work.panels.filter((panel) => !order.includes(panel));
  return [{ ...work, panels: [...numbered, ...rest] }, `${order.length} numbered in reading order; each text stays with its label.`];
}

/** The first label that no kept panel bears: of the campaign's, then AA, AB ... */
export function freeLabel(state: Pick<FigureState, "labels">, work: Work): string {
  const used = new Set(kept(work).map(({ label }) => label));
  return labelsFor(state, used.size + 1).find((label) => !used.has(label)) as string;
}

/** So many labels: the campaign's, then letters AA, AB ... in its case. */
function labelsFor({ labels }: Pick<FigureState, "labels">, count: number): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const small = labels.length > 0 && labels.every((label) => label === label.toLowerCase() && label !== label.toUpperCase());
  const more = ["", ...letters].flatMap((first) => letters.map((second) => first + second));
  const all = new Set([...labels, ...more.map((label) => (small ? label.toLowerCase() : label))]);
  return [...all].slice(0, count);
}

/** Row by row from the top, each from the left: a panel is in a row if half of the lower one's height is in common. */
function inReadingOrder(panels: readonly Panel[]): Panel[] {
  const rows: Panel[][] = [];
  for (const panel of [...panels].sort((a, b) => a.box[1] - b.box[1])) {
    const [, top, , bottom] = panel.box;
    const row = rows.find(([first]) => {
      const [, y0, , y1] = (first as Panel).box;
      return Math.min(bottom, y1) - Math.max(top, y0) > Math.min(bottom - top, y1 - y0) / 2;
    });
    if (row) row.push(panel);
    else rows.push([panel]);
  }
  return rows.flatMap((row) => row.sort((a, b) => a.box[0] - b.box[0]));
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
