import { describe, expect, test } from "vitest";
import type { Model } from "../src/bodies/subfigures/model";
import type { Decision, FigureState } from "../src/bodies/subfigures/types";
import { draftKey, dropDraft, findDraft, keepDraft, recover } from "../src/session/draft";
import { payload, reduce } from "../src/session/model";
import { aCandidate, aState, Shelf, startModel, type Action } from "./fixture";

const now = new Date("2026-11-21T10:00:00Z");
const fresh = (change: Partial<FigureState> = {}) => startModel(aState({ campaign: "c", revision: 1, ...change }));
const settle = (model: Model) => ([{ type: "accept" }, { type: "reject" }] as Action[]).reduce(reduce, model);
const edited = () => reduce(settle(fresh()), { type: "remark", change: { note: "n" } });

function shelfWith(model: Model): Shelf {
  const shelf = new Shelf();
  expect(keepDraft(shelf, model, 5, now)).toBe(true);
  return shelf;
}

function decided(model: Model, change: Partial<Decision> = {}): Decision {
  const { status, subfigures, note, based_on } = payload(model, "accepted", 1);
  return { status, subfigures, note, based_on, reviewer: "rev", decided_at: "2026-11-21T11:00:00Z", ...change };
}

describe("drafts in the browser", () => {
  test("a draft comes back as it was", () => {
    const found = findDraft(shelfWith(edited()), fresh());
    expect(found).toMatchObject({ kind: "fits", draft: { work: edited().work, remarks: { note: "n" }, seconds: 5 } });
  });
  test("campaign, reviewer and figure each have their own", () => {
    const shelf = shelfWith(edited());
    for (const other of [{ campaign: "d" }, { reviewer: "other" }, { figure_id: "f2" }]) {
      expect(findDraft(shelf, fresh(other))).toBeNull();
    }
  });
  test("a draft of an earlier version or revision is told apart, and neither dropped nor taken for a fitting one", () => {
    const shelf = shelfWith(edited());
    expect(findDraft(shelf, fresh({ version: 1 }))?.kind).toBe("behind");
    expect(findDraft(shelf, fresh({ revision: 2 }))?.kind).toBe("replaced");
    expect(shelf.length).toBe(1);
  });
  test("a draft that does not fit the figure is dropped", () => {
    const shelf = new Shelf();
    const panels = '{"remarks":{"note":"","error_kind":null,"guideline_flag":"","second":false},"saved_at":"","candidates":"","seconds":1,"work":{"figureOpen":false,"panels":[{}]}}';
    for (const text of ["{", "null", '{"note": 1}', panels]) {
      shelf.setItem(draftKey(fresh()), text);
      expect(findDraft(shelf, fresh())).toBeNull();
    }
    expect(shelf.length).toBe(0);
  });
  test("storage that is forbidden is told, not thrown", () => {
    const shelf = new Shelf();
    const forbid = () => { throw new Error("forbidden"); };
    Object.assign(shelf, { setItem: forbid, getItem: forbid, removeItem: forbid, key: forbid });
    expect(keepDraft(shelf, edited(), 1, now)).toBe(false);
    expect(findDraft(shelf, fresh())).toBeNull();
    expect(() => dropDraft(shelf, "k")).not.toThrow();
  });
});

describe("opening a figure again", () => {
  test("work that fits is put back and told; its time counts on", () => {
    const again = recover(shelfWith(edited()), fresh());
    expect(again.model.work).toEqual(edited().work);
    expect(again.model.remarks.note).toBe("n");
    expect(again.seconds).toBe(5);
    expect(again.notice).toEqual({ kind: "draft", saved_at: now.toISOString() });
    expect(again.model.past).toEqual([]);
  });
  test("where someone decided since, the work waits, with what differs", () => {
    const theirs = decided(reduce(fresh(), { type: "reject" }), { reviewer: "rev2", subfigures: [] });
    const again = recover(shelfWith(edited()), fresh({ version: 1, decision: theirs }));
    expect(again.model.remarks.note).toBe("");
    expect(again.notice).toMatchObject({ kind: "stale", lines: ["A: only in your work", "B: only in your work", "note differs"] });
  });
  test("what had arrived after all is not offered again", () => {
    const shelf = shelfWith(edited());
    const again = recover(shelf, fresh({ version: 1, decision: decided(edited()) }));
    expect(again.notice).toBeNull();
    expect(shelf.length).toBe(0);
  });
  test("work on another caption or image is kept, and not put on this one", () => {
    const shelf = shelfWith(edited());
    const again = recover(shelf, fresh({ revision: 2 }));
    expect(again.notice).toMatchObject({ kind: "stale", found: { kind: "replaced" } });
    expect(again.model.remarks.note).toBe("");
    expect(shelf.length).toBe(1);
  });
  test("work is put on the candidates of today: a new one is there to be decided, the others keep what was decided", () => {
    const shelf = shelfWith(edited());
    const late = aCandidate({ label: "D", box: [0, 150, 90, 200], supporters: ["k1"], conflict: true });
    const state = { ...aState(), candidates: [late, ...aState().candidates] };
    const { panels } = recover(shelf, fresh({ candidates: state.candidates })).model.work;
    expect(panels.map(({ label, review, candidate }) => [label, review, candidate])).toEqual([
      ["A", "accepted", 1], ["B", "accepted", 2], ["C", "rejected", 3], ["D", "open", 0],
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(4);
  });
});
