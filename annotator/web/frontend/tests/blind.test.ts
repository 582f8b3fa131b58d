import { afterEach, describe, expect, test, vi } from "vitest";
import { BLIND, blindPost, LOCKED, stateOf, wireOf } from "../src/bodies/blind/body";
import type { BlindScreen } from "../src/bodies/blind/wire";
import type { Model } from "../src/bodies/subfigures/model";
import { enterDoes, isDirty, payload, reduce, startModel } from "../src/session/model";
import { TEXT, TOKENS, type Action } from "./fixture";

function aScreen(change: Partial<BlindScreen> = {}): BlindScreen {
  return {
    key: "0f", phase: "2", place: 1, total: 3, written: 0, image_url: "/blind/0f/image", width: 200, height: 200, revision: 1,
    caption: { text: TEXT, tokens: TOKENS }, references: [], reference_panels: [], source: "from the gold", version: 0, own: null, told: "",
    given: [
      { label: "A", box: [0, 0, 100, 100], color: "#0072B2" },
      { label: "A", box: [100, 0, 200, 100], color: "#0072B2" },
      { label: "B", box: [0, 100, 200, 200], color: "#E69F00" },
    ],
    reviewer: "rev1", next_url: null, csrf: "seal", ...change,
  };
}
const start = (change: Partial<BlindScreen> = {}): Model => startModel(BLIND, stateOf(aScreen(change)));
const run = (model: Model, ...actions: Action[]): Model => actions.reduce(reduce, model);
const reviews = (model: Model) => model.work.panels.map(({ review }) => review);
const own = (texts: number[][], status = "accepted" as const) => ({ status, texts, saved_at: "2026-11-21T12:00:00Z", reason: "" });

describe("what is given", () => {
  test("is a panel each, in order, to be written, and nobody else's", () => {
    const model = start();
    expect(model.work.panels.map(({ id, label }) => [id, label])).toEqual([["g0", "A"], ["g1", "A"], ["g2", "B"]]);
    expect(reviews(model)).toEqual(["open", "open", "open"]);
    expect(model.chosen).toBe("g0");
    const { annotators, annotations, candidates, agreement } = model.state;
    expect([annotators, annotations, candidates, agreement]).toEqual([[], [], [], null]);
  });
  test("comes with one's own words where some were saved", () => {
    const model = start({ version: 1, own: own([[1], [], [2, 3]]) });
    expect(model.work.panels.map(({ tokens }) => tokens)).toEqual([[1], [], [2, 3]]);
    expect(reviews(model)).toEqual(["accepted", "accepted", "accepted"]);
    expect(isDirty(model)).toBe(false);
    expect(reviews(start({ own: { ...own([]), status: "rejected" } }))).toEqual(["open", "open", "open"]);
  });
  test("is changed by nothing but words", () => {
    const model = start();
    const tried: Action[] = [
      { type: "box", id: "g0", box: [1, 1, 5, 5] }, { type: "nudge", dx: 1, dy: 1, resize: true }, { type: "reject" },
      { type: "add", id: "n", box: [0, 0, 9, 9] }, { type: "relabel", id: "g0", label: "Z" }, { type: "reorder", by: 1 },
      { type: "place", id: "g0", at: 2 }, { type: "adopt", annotator: 0, box: true }, { type: "adopt-open", annotator: 0 },
      { type: "swap" },
    ];
    for (const action of tried) {
      const after = reduce(model, action);
      expect([after.work, after.remarks, after.said]).toEqual([model.work, model.remarks, LOCKED]);
    }
  });
});

describe("writing", () => {
  test("a panel is written by its first word, or by saying that it has none", () => {
    const written = run(start(), { type: "cursor", to: 3 }, { type: "toggle" });
    expect(reviews(written)).toEqual(["accepted", "open", "open"]);
    const none = run(written, { type: "step", by: 1, among: "open" }, { type: "none" });
    expect(reviews(none)).toEqual(["accepted", "accepted", "open"]);
    expect(none.said).toBe("A: no subcaption.");
    expect(reviews(run(none, { type: "undo" }))).toEqual(["accepted", "open", "open"]);
    expect(reviews(run(none, { type: "undo" }, { type: "undo" }, { type: "redo" }))).toEqual(["accepted", "open", "open"]);
  });
  test("A goes on once the panel is written, and says so before", () => {
    const model = start();
    expect(reduce(model, { type: "accept" })).toMatchObject({ chosen: "g0", work: model.work });
    expect(run(model, { type: "none" }, { type: "accept" }).chosen).toBe("g1");
    const all = run(model, ...(["g0", "g1", "g2"].flatMap((id) => [{ type: "choose", id }, { type: "none" }]) as Action[]));
    expect(reduce(all, { type: "accept" }).said).toBe("All are written: Enter saves.");
  });
  test("what is left keeps a save waiting, a given label that stands twice does not", () => {
    const model = start();
    expect([enterDoes(model), BLIND.openIds(model.work)]).toEqual(["open", ["g0", "g1", "g2"]]);
    expect(BLIND.blocked(model, true)).toBeNull();
  });
  test("what is sent has texts in the given order and no box", () => {
    const model = run(start({ version: 4 }), { type: "choose", id: "g2" }, { type: "run", from: 2, to: 4, on: true });
    expect(wireOf(payload(model, "accepted", 2.34))).toEqual({ version: 4, status: "accepted", texts: [[], [], [2, 3, 4]], seconds: 2.3, reason: "" });
    const unfit = run(model, { type: "remark", change: { note: "no caption" } });
    expect(wireOf(payload(unfit, "rejected", 1))).toMatchObject({ status: "rejected", texts: [], reason: "no caption" });
    expect(wireOf(payload(unfit, "accepted", 1)).reason).toBe("");
  });
});

describe("the answer of the server", () => {
  afterEach(() => vi.unstubAllGlobals());
  const answering = (code: number, body: unknown) =>
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(body), {
      status: code, headers: { "Content-Type": "application/json" },
    })));
  const send = () => {
    const model = start();
    return blindPost(model.state.blind!, "rev1")("/api/blind/0f", "seal", payload(model, "accepted", 1));
  };
  test("to a save that another tab came before is one's own work there", async () => {
    answering(409, { error: "late", version: 2, current: own([[1], [2], []]) });
    const answer = await send();
    expect(answer).toMatchObject({ kind: "conflict", version: 2, conflict: null, current: { reviewer: "rev1", status: "accepted" } });
    if (answer.kind !== "conflict" || !answer.current) throw new Error("no conflict");
    expect(answer.current.subfigures.map(({ label, tokens }) => [label, tokens])).toEqual([["A", [1]], ["A", [2]], ["B", []]]);
    const taken = reduce(start(), { type: "theirs", decision: answer.current, version: 2 });
    expect([taken.version, taken.said]).toEqual([2, "Using the version saved there; undo restores yours."]);
    expect(taken.work.panels.map(({ tokens }) => tokens)).toEqual([[1], [2], []]);
  });
  test("to a save is where to go on", async () => {
    answering(200, { version: 1, written: 1, total: 3, next_url: "/blind/aa" });
    expect(await send()).toEqual({ kind: "saved", version: 1, next: "/blind/aa" });
  });
});
