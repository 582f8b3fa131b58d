import { describe, expect, test } from "vitest";
import { SUBFIGURES } from "../src/bodies/subfigures/body";
import { chosenPanel, type Model } from "../src/bodies/subfigures/model";
import { kept, openIds, repeatedLabels } from "../src/bodies/subfigures/work";
import { FIGURE } from "../src/session/kind";
import { isDirty, reduce } from "../src/session/model";
import { aCandidate, aState, at, startModel, type Action } from "./fixture";

const after = (model: Model, ...actions: Action[]) => actions.reduce(reduce, model);
const start = () => startModel(aState());

describe("where work begins", () => {
  test("what is agreed is accepted, conflicts are open, the first of them is chosen at its first difference", () => {
    const model = start();
    expect(model.work.panels.map((panel) => panel.review)).toEqual(["accepted", "open", "open"]);
    expect(model.chosen).toBe("c1");
    expect(model.cursor).toBe(at("red"));
    expect(isDirty(model)).toBe(false);
  });
  test("an open panel would be kept only where a majority drew it", () => {
    expect(kept(start().work).map((panel) => panel.label)).toEqual(["A", "B"]);
  });
  test("where the server says what is preselected, that holds", () => {
    const [a, b, c] = aState().candidates;
    const candidates = [{ ...a!, preselected: false }, b!, { ...c!, preselected: true }];
    expect(kept(startModel(aState({ candidates })).work).map((panel) => panel.label)).toEqual(["B", "C"]);
  });
  test("a figure that one annotator would not use is open itself", () => {
    const annotations = aState().annotations.map((each, i) => (i ? each : { ...each, status: "rejected" as const }));
    const model = startModel(aState({ annotations }));
    expect(openIds(model.work)).toEqual([FIGURE, "c1", "c2"]);
    expect(openIds(reduce(model, { type: "accept" }).work)).toEqual(["c1", "c2"]);
  });
  test("a standing decision is shown as it was made, what it left out as rejected", () => {
    const [a] = aState().candidates;
    const decision = {
      status: "accepted" as const, subfigures: [{ label: "Z", box: a!.box, tokens: [1] }],
      note: "n", reviewer: "r", decided_at: "2026-01-01T00:00:00Z", based_on: ["k2"],
    };
    const model = startModel(aState({ decision, version: 3 }));
    expect(model.work.panels.map((panel) => [panel.label, panel.review])).toEqual([
      ["Z", "accepted"], ["B", "rejected"], ["C", "rejected"],
    ]);
    expect(model.work.panels[0]!.basis).toEqual(["k2"]);
    expect(model.remarks.note).toBe("n");
    expect(openIds(model.work)).toEqual([]);
  });
  test("a figure without candidates or caption can be worked on", () => {
    const model = startModel(aState({ candidates: [], annotations: [], caption: { text: "", tokens: [] } }));
    expect(after(model, { type: "toggle" }, { type: "accept" }, { type: "step", by: 1, among: "all" }).chosen).toBeNull();
  });
});

describe("stepping", () => {
  test("conflicts are stepped through in a ring, decided panels are passed over", () => {
    const step = { type: "step", by: 1, among: "open" } as const;
    expect(after(start(), step).chosen).toBe("c2");
    expect(after(start(), step, step).chosen).toBe("c1");
    expect(after(start(), { type: "step", by: -1, among: "all" }).chosen).toBe("c0");
  });
  test("stepping accepts nothing", () => {
    const model = after(start(), { type: "step", by: 1, among: "open" }, { type: "step", by: 1, among: "all" });
    expect(isDirty(model)).toBe(false);
  });
  test("settling goes on to the next conflict, and stays after the last", () => {
    const one = reduce(start(), { type: "accept" });
    expect([one.chosen, one.said]).toEqual(["c2", "B accepted. 1 open."]);
    const two = reduce(one, { type: "reject" });
    expect([two.chosen, two.said]).toEqual(["c2", "C rejected. Nothing is open."]);
  });
});

describe("tokens", () => {
  test("a toggle takes the token out, another puts it back in", () => {
    const out = reduce(start(), { type: "toggle" });
    expect(chosenPanel(out)!.tokens).toEqual([at("right"), at("right") + 2]);
    expect(chosenPanel(reduce(out, { type: "toggle" }))!.tokens).toEqual(chosenPanel(start())!.tokens);
  });
  test("a run with a gap is filled first, and emptied then", () => {
    const select: Action[] = [{ type: "toggle" }, { type: "cursor", to: at("right") }, { type: "move", by: 1, extend: true }];
    const model = after(start(), ...select, { type: "toggle" });
    expect(chosenPanel(model)!.tokens).toContain(at("red"));
  });
  test("the cursor stays within the caption", () => {
    expect(after(start(), { type: "cursor", to: 999 }).cursor).toBe(aState().caption.tokens.length - 1);
    expect(after(start(), { type: "cursor", to: -5 }).cursor).toBe(0);
  });
  test("an annotator's text is taken alone, or with the box", () => {
    const text = reduce(start(), { type: "adopt", annotator: 2, box: false });
    expect(chosenPanel(text)).toMatchObject({ tokens: [at("right"), at("right") + 2], box: [100, 0, 200, 100] });
    const both = reduce(start(), { type: "adopt", annotator: 2, box: true });
    expect(chosenPanel(both)).toMatchObject({ box: [100, 0, 198, 98], basis: ["k3"] });
  });
  test("an annotator's text resolves an open conflict, in one step that undo takes back", () => {
    const before = start();
    const text = reduce(before, { type: "adopt", annotator: 2, box: false });
    expect(chosenPanel(before)!.review).toBe("open");
    expect(chosenPanel(text)).toMatchObject({ review: "accepted", keep: true });
    expect(reduce(text, { type: "undo" }).work).toEqual(before.work);
  });
  test("who has no such subfigure gives no text", () => {
    const model = after(start(), { type: "choose", id: "c2" }, { type: "adopt", annotator: 0, box: false });
    expect(model.said).toBe("Annotator 1 has no subfigure C.");
    expect(isDirty(model)).toBe(false);
  });
  test("no subcaption is said outright", () => expect(chosenPanel(reduce(start(), { type: "none" }))!.tokens).toEqual([]));
  test("an open panel that is worked on is meant to stay", () => {
    const model = after(start(), { type: "choose", id: "c2" }, { type: "clause", at: at("both") });
    expect(chosenPanel(model)).toMatchObject({ review: "open", keep: true });
  });
  test("a rejected panel that is worked on comes back", () => {
    const model = after(start(), { type: "reject" }, { type: "choose", id: "c1" }, { type: "none" });
    expect(chosenPanel(model)).toMatchObject({ review: "accepted", keep: true });
  });
});

describe("boxes", () => {
  test("a new box takes the first free label and is chosen", () => {
    const model = reduce(start(), { type: "add", id: "new", box: [10, 10, 60, 60] });
    expect(chosenPanel(model)).toMatchObject({ id: "new", label: "C", candidate: null, review: "accepted" });
  });
  test("a box drawn here goes for good when rejected, and undo brings it back", () => {
    const drawn = reduce(start(), { type: "add", id: "new", box: [10, 10, 60, 60] });
    const gone = reduce(drawn, { type: "reject" });
    expect(gone.work.panels.map((panel) => panel.id)).toEqual(["c0", "c1", "c2"]);
    expect(chosenPanel(reduce(gone, { type: "undo" }))!.id).toBe("new");
  });
  test("boxes are kept inside the image", () => {
    const model = reduce(start(), { type: "box", id: "c0", box: [-5, -5, 900, 50] });
    expect(model.work.panels[0]!.box).toEqual([0, 0, 200, 50]);
  });
  test("two panels of one label are found", () => {
    const twice = [aCandidate(), aCandidate({ box: [100, 0, 200, 100] })];
    expect(repeatedLabels(startModel(aState({ candidates: twice })).work)).toEqual(["A"]);
  });
  test("Enter in place of a drag puts a box in the middle, which arrows then move", () => {
    const effect = SUBFIGURES.run(start(), { drawing: "one" } as never, { do: "save", forced: false });
    expect([effect.show?.drawing, effect.show?.pane, effect.focus]).toEqual([false, "image", "image"]);
    const drawn = after(start(), effect.act as Action, { type: "nudge", dx: 10, dy: 0, resize: false });
    expect(drawn.work.panels.at(-1)).toMatchObject({ label: "C", box: [60, 50, 160, 150] });
  });
});

describe("history", () => {
  test("boxes and tokens share one history", () => {
    const model = after(start(), { type: "toggle" }, { type: "box", id: "c0", box: [0, 0, 50, 50] });
    const once = reduce(model, { type: "undo" });
    expect(once.work.panels[0]!.box).toEqual([0, 0, 100, 100]);
    expect(chosenPanel(once)!.tokens).not.toContain(at("red"));
    const twice = reduce(once, { type: "undo" });
    expect(isDirty(twice)).toBe(false);
    expect(after(twice, { type: "redo" }, { type: "redo" }).work).toEqual(model.work);
  });
  test("an arrow held down is one step", () => {
    const nudge = { type: "nudge", dx: 1, dy: 0, resize: true } as const;
    const model = after(startModel(aState()), { type: "choose", id: "c0" }, nudge, nudge, nudge);
    expect(model.work.panels[0]!.box).toEqual([0, 0, 103, 100]);
    expect(model.past).toHaveLength(1);
  });
  test("what changes nothing is no step", () => {
    const model = after(start(), { type: "box", id: "c0", box: [0, 0, 100, 100] }, { type: "undo" });
    expect(model.said).toBe("Nothing to undo.");
  });
  test("a change after an undo forgets what was undone", () => {
    const model = after(start(), { type: "toggle" }, { type: "undo" }, { type: "none" });
    expect(reduce(model, { type: "redo" }).said).toBe("Nothing to redo.");
  });
});

describe("the order of subfigures", () => {
  const order = (model: ReturnType<typeof startModel>) => model.work.panels.map(({ label }) => label).join("");
  test("the chosen one moves up and down, and stops at the ends", () => {
    let model = reduce(startModel(aState()), { type: "choose", id: "c0" });
    model = reduce(model, { type: "reorder", by: 1 });
    expect(order(model)).toBe("BAC");
    expect(model.said).toBe("A is 2 of 3.");
    model = reduce(reduce(model, { type: "reorder", by: 1 }), { type: "reorder", by: 1 });
    expect(order(model)).toBe("BCA");
    expect(isDirty(model)).toBe(true);
    expect(order(reduce(model, { type: "undo" }))).toBe("ABC");
  });
  test("a row is put where it is dropped; nothing happens for one that is not there", () => {
    const model = startModel(aState());
    expect(order(reduce(model, { type: "place", id: "c2", at: 0 }))).toBe("CAB");
    expect(reduce(model, { type: "place", id: "none", at: 0 })).toBe(model);
    expect(reduce(model, { type: "place", id: "c0", at: 7 })).toBe(model);
  });
});

describe("a colleague's decision taken, or merged", () => {
  const theirs = {
    status: "accepted" as const, subfigures: [], note: "theirs", reviewer: "rev2", decided_at: "2026-11-21T10:00:00Z",
    based_on: [], error_kind: "slip" as const, guideline_flag: null,
  };
  test("theirs stands, and undo brings one's own back, note and all", () => {
    const mine = reduce(startModel(aState()), { type: "remark", change: { note: "mine" } });
    const took = reduce(mine, { type: "theirs", decision: theirs, version: 7 });
    expect([took.version, took.remarks.note, took.remarks.error_kind]).toEqual([7, "theirs", "slip"]);
    expect(took.work.panels.every(({ review }) => review === "rejected")).toBe(true);
    const back = reduce(took, { type: "undo" });
    expect([back.work, back.remarks.note, back.version]).toEqual([mine.work, "mine", 7]);
    expect(reduce(back, { type: "redo" }).remarks.note).toBe("theirs");
  });
  test("a merge is one step, against the version that it names", () => {
    const mine = startModel(aState());
    const merged = reduce(mine, { type: "merged", decision: {
      version: 9, status: "accepted", note: "both", seconds: 1, based_on: ["k1"], error_kind: null, guideline_flag: "q",
      second: true, subfigures: [{ label: "A", box: [0, 0, 100, 100], tokens: [at("left")] }],
    } });
    expect(merged.version).toBe(9);
    expect(merged.remarks).toEqual({ note: "both", error_kind: null, guideline_flag: "q", second: true });
    expect(merged.work.panels.filter(({ review }) => review === "accepted").map(({ label }) => label)).toEqual(["A"]);
    expect(reduce(merged, { type: "undo" }).work).toEqual(mine.work);
  });
});
