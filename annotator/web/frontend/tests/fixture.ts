/** A figure of three annotators: A agreed, B's text differs in "red", C drawn by one only. */

import { SUBFIGURES } from "../src/bodies/subfigures/body";
import type { Model, Subfigures } from "../src/bodies/subfigures/model";
import type { Candidate, FigureState, Token } from "../src/bodies/subfigures/types";
import { startModel as start } from "../src/session/model";
import type { CommonAction } from "../src/session/kind";

export type Action = CommonAction<Subfigures> | Subfigures["action"];

export function startModel(state: FigureState): Model {
  return start(SUBFIGURES, state);
}

export const TEXT = "Fig 1. (A) left lung. (B) right red lung; both.";

export function tokensOf(text: string): Token[] {
  return [...text.matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)].map((match, id) => {
    const end = match.index + match[0].length;
    return { id, start: match.index, end, text: match[0], space: /\s/.test(text[end] ?? ""), newline: text[end] === "\n", gap: "" };
  });
}

export const TOKENS = tokensOf(TEXT);
export const at = (word: string): number => TOKENS.findIndex((token) => token.text === word);

export function aCandidate(change: Partial<Candidate> = {}): Candidate {
  return {
    label: "A",
    box: [0, 0, 100, 100],
    tokens: [at("left"), at("lung")],
    votes: { [at("left")]: ["k1", "k2", "k3"], [at("lung")]: ["k1", "k2", "k3"] },
    supporters: ["k1", "k2", "k3"],
    conflict: false,
    reasons: [],
    preselected: (change.supporters ?? ["k1", "k2", "k3"]).length > 1,
    ...change,
  };
}

export function aState(change: Partial<FigureState> = {}): FigureState {
  const right = at("right");
  const candidates = [
    aCandidate(),
    aCandidate({
      label: "B",
      box: [100, 0, 200, 100],
      tokens: [right, right + 1, right + 2],
      votes: { [right]: ["k1", "k2", "k3"], [right + 1]: ["k1", "k2"], [right + 2]: ["k1", "k2", "k3"] },
      conflict: true,
      reasons: ["text differs"],
    }),
    aCandidate({ label: "C", box: [0, 100, 200, 200], tokens: [], votes: {}, supporters: ["k3"], conflict: true }),
  ];
  const annotations = ["k1", "k2", "k3"].map((annotator, i) => ({
    annotator,
    status: "accepted" as const,
    reason: "",
    subfigures: candidates
      .filter((candidate) => candidate.supporters.includes(annotator))
      .map(({ label, box: [x0, y0, x1, y1], votes }) => ({
        label,
        box: [x0, y0, x1 - i, y1 - i] as const,
        tokens: Object.keys(votes).map(Number).filter((id) => votes[String(id)]?.includes(annotator)),
      })),
  }));
  return {
    figure_id: "f1",
    image_url: "/i",
    width: 200,
    height: 200,
    caption: { text: TEXT, tokens: TOKENS },
    references: [],
    labels: ["A", "B", "C", "D"],
    palette: [{ label: "A", color: "#0072B2" }],
    version: 0,
    decision: null,
    annotators: ["k1", "k2", "k3"].map((key, i) => ({ key, name: `Annotator ${i + 1}` })),
    annotations,
    candidates,
    agreement: 0.5,
    progress: { decided: 0, total: 2 },
    phase: "1",
    next_url: "/figures/f2",
    csrf: "t",
    reviewer: "rev",
    ...change,
  };
}

/** What a browser keeps, as far as drafts need it. */
export class Shelf {
  private items = new Map<string, string>();
  get length() { return this.items.size; }
  key(i: number) { return [...this.items.keys()][i] ?? null; }
  getItem(key: string) { return this.items.get(key) ?? null; }
  setItem(key: string, value: string) { this.items.set(key, value); }
  removeItem(key: string) { this.items.delete(key); }
}
