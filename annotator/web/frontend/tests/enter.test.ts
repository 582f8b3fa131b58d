import { describe, expect, test } from "vitest";
import type { Model } from "../src/bodies/subfigures/model";
import type { Decision, FigureState } from "../src/bodies/subfigures/types";
import { enterDoes, isDirty, reduce } from "../src/session/model";
import { aCandidate, aState, at, startModel, type Action } from "./fixture";

const decided: Decision = {
  status: "accepted", subfigures: [{ label: "A", box: [0, 0, 100, 100], tokens: [at("left")] }], note: "as seen", reviewer: "first",
  decided_at: "2026-01-02T03:04:05Z", based_on: ["k1"],
};
const agreed: Partial<FigureState> = { candidates: [aCandidate()] };
const model = (change: Partial<FigureState>, ...actions: Action[]) => actions.reduce(reduce, startModel(aState(change)));
const does = enterDoes;
const button = (found: Model) => found.body.buttons[does(found)];

describe("what Enter does, and what is said of it", () => {
  test("with conflicts it goes on to the next one; the last, chosen, waits for a word", () => {
    expect(does(model({}))).toBe("open");
    const last = model({}, { type: "accept" });
    expect(does(last)).toBe("here");
    expect(button(last)).not.toContain("Enter");
  });
  test("where all agree it saves", () => {
    const found = model(agreed);
    expect(does(found)).toBe("save");
    expect(found.said).toBe("All agree: Enter saves.");
    const alone = model({ ...agreed, annotators: found.state.annotators.slice(0, 1) });
    expect(alone.said).toBe("Nothing is open: Enter saves.");
  });
  test("a second reviewer confirms, and changes are saved", () => {
    const waiting = { decision: { ...decided, awaits: "second" as const }, review: { needs: "second" as const, may: true, told: "t" } };
    const found = model({ ...agreed, ...waiting });
    expect(does(found)).toBe("confirm");
    expect(found.said).toBe("Enter confirms as second reviewer.");
    expect(button(found)).toBe("Confirm, next");
    expect(does(reduce(found, { type: "none" }))).toBe("save");
  });
  test("the reviewer who decided saves nothing by Enter, and is told so", () => {
    const found = model({ ...agreed, decision: decided });
    expect(does(found)).toBe("next");
    expect([found.said, button(found)]).toEqual(["Adjudicated: Enter opens the next.", "Next"]);
    const waits = { decision: { ...decided, reviewer: "rev", awaits: "second" as const } };
    expect(model({ ...agreed, ...waits }).said).toBe("Awaiting a second reviewer: Enter opens the next.");
  });
  test("a figure put off or rejected is not called agreed", () => {
    const found = model({ ...agreed, decision: { ...decided, status: "rejected", subfigures: [] } });
    expect(does(found)).toBe("held");
    expect(found.said).toBe("Rejected.");
  });
});

describe("a figure that was reopened", () => {
  test("begins from the decision that held before, and Enter saves it anew", () => {
    const found = model({ starts_from: decided });
    expect(found.work.panels.map(({ label, review }) => [label, review])).toEqual([["A", "accepted"], ["B", "rejected"], ["C", "rejected"]]);
    expect(found.remarks.note).toBe("as seen");
    expect(found.said).toBe("Starts from first's decision: Enter saves.");
    expect([does(found), isDirty(found)]).toEqual(["save", false]);
  });
});
