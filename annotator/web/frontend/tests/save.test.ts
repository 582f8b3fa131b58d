import { describe, expect, test } from "vitest";
import { inkOn, luminance } from "../src/bodies/subfigures/colours";
import { diff } from "../src/bodies/subfigures/diff";
import { Clock } from "../src/session/clock";
import { payload, reduce } from "../src/session/model";
import { aCandidate, aState, at, startModel, type Action } from "./fixture";

const model = (...actions: Action[]) => actions.reduce(reduce, startModel(aState()));
const decided = () => model({ type: "accept" }, { type: "reject" });

describe("what keeps a save waiting", () => {
  const blocked = (found: ReturnType<typeof model>, forced: boolean) => found.body.blocked(found, forced);
  test("decided work does not wait", () => expect(blocked(decided(), false)).toBeNull());
  test("a label used twice holds back a forced save too", () => {
    expect(blocked(startModel(aState({ candidates: [aCandidate(), aCandidate({ box: [100, 0, 200, 100] })] })), true)).toMatchObject({ id: "c1" });
  });
  test("an empty figure has to be meant", () => {
    const none = startModel(aState({ candidates: [] }));
    expect(blocked(none, false)).toMatchObject({ id: null });
    expect(blocked(none, true)).toBeNull();
  });
});

describe("the payload", () => {
  test("it carries the version loaded, what is kept, and whose work that is", () => {
    const body = payload(decided(), "accepted", 12.345);
    expect(body).toEqual({
      version: 0, status: "accepted", note: "", error_kind: null, guideline_flag: null, second: false, seconds: 12.3, based_on: ["k1", "k2", "k3"],
      subfigures: [
        { label: "A", box: [0, 0, 100, 100], tokens: [at("left"), at("left") + 1] },
        { label: "B", box: [100, 0, 200, 100], tokens: [at("right"), at("right") + 1, at("right") + 2] },
      ],
    });
  });
  test("a rejected figure carries no subfigures, but its note", () => {
    const body = payload(model({ type: "remark", change: { note: " blurred " } }), "rejected", 1);
    expect(body).toMatchObject({ status: "rejected", subfigures: [], based_on: [], note: "blurred" });
  });
  test("text and box taken from one annotator rest on that one alone", () => {
    const one = model({ type: "choose", id: "c0" }, { type: "reject" }, { type: "choose", id: "c1" });
    expect(payload(reduce(one, { type: "adopt", annotator: 1, box: true }), "accepted", 0).based_on).toEqual(["k2"]);
  });
});

describe("the difference of two decisions", () => {
  const side = (...subfigures: { label: string; box: [number, number, number, number]; tokens: number[] }[]) => ({
    status: "accepted" as const, subfigures,
  });
  const a = { label: "A", box: [0, 0, 10, 10] as [number, number, number, number], tokens: [1, 2] };
  test("the same decision differs in nothing", () => expect(diff(side(a), side(a))).toEqual([]));
  test("tokens, boxes and labels that differ are told", () => {
    expect(diff(side(a), side({ ...a, tokens: [2, 3, 4], box: [0, 0, 10, 5] }))).toEqual([
      "A: 2 tokens more in the other decision; 1 token fewer in the other decision; box differs (overlap 50 %)",
    ]);
    expect(diff(side(a), side({ ...a, label: "B" }))).toEqual(["A: labelled B in the other decision"]);
  });
  test("what only one has is told", () => {
    const far = { label: "B", box: [50, 50, 60, 60] as [number, number, number, number], tokens: [] };
    expect(diff(side(a), side(far))).toEqual(["A: only in your work", "B: only in the other decision"]);
  });
  test("another status is all there is to say", () => {
    expect(diff(side(a), { status: "rejected", subfigures: [] })).toEqual(["the other decision: rejected, yours: accepted"]);
  });
});

test("only the time in view counts", () => {
  const clock = new Clock();
  clock.visible(true, 1000);
  clock.visible(true, 1500);
  clock.visible(false, 3000);
  clock.visible(true, 10_000);
  clock.add(2);
  expect(clock.seconds(11_000)).toBe(5);
});

test("ink on every colour of the palette reaches AA", () => {
  for (const colour of ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999", "#767676"]) {
    const [light, dark] = [luminance(colour), luminance(inkOn(colour))].sort((a, b) => b - a) as [number, number];
    expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
});
