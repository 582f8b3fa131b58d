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
    annotator, status: "accepted" as const,
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
  test("what is open becomes theirs and settled; what is settled stays", () => {
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
