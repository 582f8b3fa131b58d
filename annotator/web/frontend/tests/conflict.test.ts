import { describe, expect, test } from "vitest";
import { SUBFIGURES } from "../src/bodies/subfigures/body";
import type { Conflict, ConflictPart, Payload, Subfigure } from "../src/bodies/subfigures/types";
import { mergedDecision as merge, mergeIsNew, rowsOf, sideOf, type Row } from "../src/session/conflict";
import type { Choices } from "../src/session/screen";

const mergedDecision = (conflict: Conflict, choices: Choices, sent: Payload, seconds: number) =>
  merge(SUBFIGURES, conflict, choices, sent, seconds);

const sub = (label: string, tokens: number[]): Subfigure => ({ label, box: [0, 0, 10, 10], tokens });
const part = (id: string, change: Partial<ConflictPart>): ConflictPart => ({
  id, label: "A", mine: null, theirs: null, merged: null, differs: [], clash: false,
  only_mine: [], only_theirs: [], iou: 1, line: "", ...change,
});
const same = <T>(value: T) => ({ mine: value, theirs: value, merged: value, clash: false });
const SENT: Payload = {
  version: 1, status: "accepted", subfigures: [], based_on: ["k1"], note: "mine", seconds: 3,
  error_kind: null, guideline_flag: null, second: true,
};

function aConflict(change: Partial<Conflict> = {}): Conflict {
  return {
    base: 1,
    status: same("accepted" as const),
    note: { mine: "mine", theirs: "theirs", merged: "mine", clash: true },
    error_kind: same(null),
    guideline_flag: same(null),
    subfigures: [
      part("p0", { label: "A", mine: sub("A", [1]), theirs: sub("A", [1]), merged: sub("A", [1]) }),
      part("p1", { label: "B", mine: sub("B", [2]), theirs: sub("B", [2, 3]), merged: sub("B", [2, 3]), differs: ["tokens"] }),
      part("p2", { label: "C", mine: sub("C", [4]), theirs: null, merged: null, differs: ["only mine"] }),
      part("p3", { label: "D", mine: sub("D", [5]), theirs: sub("D", [6]), merged: sub("D", [5, 6]), differs: ["tokens"] }),
    ],
    clashes: 1,
    merged: { ...SENT, type: "subfigures", viewed: null, version: 2, based_on: ["k1", "k2"] },
    ...change,
  };
}

const labels = (decision: Payload) => decision.subfigures.map(({ label, tokens }) => [label, [...tokens]]);

describe("a conflict, line by line", () => {
  test("only what differs asks to be looked at, fields first", () => {
    expect(rowsOf(SUBFIGURES, aConflict()).map(({ key, clash }) => [key, clash])).toEqual([
      ["note", true], ["part p1", false], ["part p2", false], ["part p3", false],
    ]);
  });
  test("a merge that is one side's is that side; one that is neither's is a choice of its own", () => {
    const conflict = aConflict();
    const [note, b, c, d] = rowsOf(SUBFIGURES, conflict) as [Row, Row, Row, Row];
    expect([note, b, c, d].map((row) => sideOf(row, {}))).toEqual(["mine", "theirs", "theirs", "merged"]);
    expect([note, b, c, d].map((row) => mergeIsNew(row))).toEqual([false, false, false, true]);
    expect(sideOf(b, { "part p1": "mine" })).toBe("mine");
  });
  test("untouched, the merge is what the server made, against the version that came between", () => {
    const merged = mergedDecision(aConflict(), {}, SENT, 7.77);
    expect(labels(merged)).toEqual([["A", [1]], ["B", [2, 3]], ["D", [5, 6]]]);
    expect(merged).toMatchObject({ version: 2, note: "mine", based_on: ["k1", "k2"], second: true, seconds: 7.8 });
  });
  test("each line goes the way that was chosen for it", () => {
    const chosen = { note: "theirs", "part p1": "mine", "part p2": "mine", "part p3": "theirs" } as const;
    const merged = mergedDecision(aConflict(), chosen, SENT, 1);
    expect(labels(merged)).toEqual([["A", [1]], ["B", [2]], ["C", [4]], ["D", [6]]]);
    expect(merged.note).toBe("theirs");
  });
  test("a figure left out by choice carries no subfigures", () => {
    const status = { mine: "accepted", theirs: "rejected", merged: "accepted", clash: false } as const;
    const merged = mergedDecision(aConflict({ status }), { status: "theirs" }, SENT, 1);
    expect(merged).toMatchObject({ status: "rejected", subfigures: [], based_on: [] });
  });
  test("a label that two choices would give twice is seen", () => {
    const twice = { ...SENT, subfigures: [sub("A", []), sub("B", []), sub("A", [])] };
    expect(SUBFIGURES.refusesMerge(twice)).toContain("labelled A");
    expect(SUBFIGURES.refusesMerge(mergedDecision(aConflict(), {}, SENT, 1))).toBeNull();
  });
});
