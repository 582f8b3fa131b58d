import { describe, expect, test } from "vitest";
import type { Model } from "../src/bodies/subfigures/model";
import type { FigureState } from "../src/bodies/subfigures/types";
import { openIds } from "../src/bodies/subfigures/work";
import { reduce } from "../src/session/model";
import { aCandidate, aState, startModel, type Action } from "./fixture";

const after = (model: Model, ...actions: Action[]) => actions.reduce(reduce, model);
const texts = (model: Model) => Object.fromEntries(model.work.panels.map(({ label, tokens }) => [label, [...tokens]]));

/** Three panels with the texts 1, 5 and 9; k1 and k2 have those of A and C the other way round. */
function mixedUp(): FigureState {
  const votes = (most: number, one: number) => ({ [most]: ["k1", "k2"], [one]: ["k3"] });
  const candidates = [
    aCandidate({ label: "A", tokens: [9], votes: votes(9, 1), conflict: true }),
    aCandidate({ label: "B", box: [100, 0, 200, 100], tokens: [5], votes: { 5: ["k1", "k2", "k3"] } }),
    aCandidate({ label: "C", box: [0, 100, 100, 200], tokens: [1], votes: votes(1, 9), conflict: true }),
  ];
  const annotations = ["k1", "k2", "k3"].map((annotator) => ({
    annotator, status: "accepted" as const, reason: "",
    subfigures: candidates.map(({ label, box }) => ({ label, box, tokens: [] })),
  }));
  return aState({ candidates, annotations });
}

describe("texts that were mixed up", () => {
  test("they change places with one action, and with undo back", () => {
    const swapped = after(startModel(mixedUp()), { type: "choose", id: "c0" }, { type: "swap" });
    expect(texts(swapped)).toEqual({ A: [1], B: [5], C: [9] });
    expect(swapped.said).toBe("The texts of A and C are swapped.");
    expect(texts(reduce(swapped, { type: "undo" }))).toEqual({ A: [9], B: [5], C: [1] });
  });
  test("where nobody mixed them up, it is the next one", () => {
    const swapped = after(startModel(mixedUp()), { type: "choose", id: "c1" }, { type: "swap" });
    expect(texts(swapped)).toEqual({ A: [9], B: [1], C: [5] });
  });
  test("a single subfigure has none to swap with", () => {
    const alone = startModel(aState({ candidates: [aCandidate()] }));
    expect(reduce(alone, { type: "swap" }).work).toBe(alone.work);
  });
});

describe("one annotator for all that is open", () => {
  test("what is open becomes theirs and decided; what is decided stays", () => {
    const took = after(startModel(mixedUp()), { type: "adopt-open", annotator: 2 });
    expect(texts(took)).toEqual({ A: [1], B: [5], C: [9] });
    expect(openIds(took.work)).toEqual([]);
    expect(took.work.panels.map(({ basis }) => basis.length)).toEqual([1, 3, 1]);
  });
  test("what they do not have is left out", () => {
    const took = after(startModel(aState()), { type: "adopt-open", annotator: 0 });
    expect(took.work.panels.map(({ review }) => review)).toEqual(["accepted", "accepted", "rejected"]);
  });
  test("who is not there, or did not accept the figure, changes nothing", () => {
    const model = startModel(aState());
    expect(reduce(model, { type: "adopt-open", annotator: 7 })).toMatchObject({ work: model.work, said: "There is no annotator 8." });
    const state = aState();
    const annotations = state.annotations.map((each, i) => (i === 1 ? { ...each, status: "rejected" as const } : each));
    const other = startModel({ ...state, annotations });
    expect(reduce(other, { type: "adopt-open", annotator: 1 }).work).toBe(other.work);
  });
});

describe("labels", () => {
  const cells = (order: readonly number[]) =>
    order.map((cell, i) => {
      const [x, y] = [(cell % 5) * 40, Math.floor(cell / 5) * 30];
      return aCandidate({ label: `p${i}`, box: [x, y + (cell % 2), x + 30, y + 25], tokens: [], votes: {} });
    });
  test("thirty panels are numbered in reading order at once, and undone so; beyond Z comes AA", () => {
    const order = Array.from({ length: 30 }, (_, i) => (i * 7) % 30);
    const model = startModel(aState({ candidates: cells(order), labels: [..."ABCD"] }));
    const numbered = after(model, { type: "number" });
    const labels = numbered.work.panels.map(({ label }) => label);
    expect([labels.slice(0, 3), labels.slice(25)]).toEqual([["A", "B", "C"], ["Z", "AA", "AB", "AC", "AD"]]);
    const places = numbered.work.panels.map(({ box: [x, y] }) => Math.floor(y / 30) * 5 + x / 40);
    expect(places).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(after(numbered, { type: "undo" }).work).toEqual(model.work);
    expect(after(numbered, { type: "add", id: "n", box: [0, 180, 20, 200] }).work.panels.at(-1)?.label).toBe("AE");
  });
  test("when numbered, each text stays with its label", () => {
    const [first, second] = [aCandidate({ label: "B", tokens: [5], votes: {} }), aCandidate({ label: "A", box: [100, 0, 200, 100], tokens: [1], votes: {} })];
    const numbered = after(startModel(aState({ candidates: [first, second] })), { type: "number" });
    expect(numbered.work.panels.map(({ label, tokens, box }) => [label, tokens, box[0]])).toEqual([["A", [1], 0], ["B", [5], 100]]);
  });
  test("a label that is used changes places, and takes its text along", () => {
    const swapped = after(startModel(mixedUp()), { type: "relabel", id: "c0", label: "B" });
    expect(swapped.work.panels.map(({ id, label, tokens }) => [id, label, tokens])).toEqual([
      ["c0", "B", [5]], ["c1", "A", [9]], ["c2", "C", [1]],
    ]);
    expect(swapped.said).toBe("A and B are swapped, each with its text; W swaps the texts back.");
    const own = after(startModel(mixedUp()), { type: "relabel", id: "c0", label: "inset" });
    expect([own.work.panels[0]?.label, own.work.panels[0]?.tokens, own.said]).toEqual(["inset", [9], "Now labelled inset."]);
  });
  test("a clause is taken out by the same that put it in", () => {
    const model = after(startModel(aState({ candidates: [aCandidate({ tokens: [], votes: {} })] })), { type: "clause", at: 5 });
    expect(model.work.panels[0]?.tokens.length).toBeGreaterThan(1);
    expect(after(model, { type: "clause", at: 5 }).work.panels[0]?.tokens).toEqual([]);
  });
});
