/** The screen of types and pairs: its model, drafts and comparison. */

import { describe, expect, test } from "vitest";
import { ITEMS } from "../src/bodies/items/body";
import type { Items, ItemsModel } from "../src/bodies/items/model";
import type { ItemsConflict, ItemsDecision, ItemsState, PairItem, PairValue } from "../src/bodies/items/types";
import { idOf, KIND, openIds, unknownKinds, wordOf } from "../src/bodies/items/work";
import { FIGURE } from "../src/session/kind";
import { mergedDecision, rowsOf, sideOf } from "../src/session/conflict";
import { draftKey, findDraft, keepDraft, recover } from "../src/session/draft";
import { enterDoes, isDirty, payload, reduce, saysSame, startModel as start } from "../src/session/model";
import type { CommonAction } from "../src/session/kind";
import { Shelf } from "./fixture";

type ItemsAction = CommonAction<Items> | Items["action"];
const startModel = (state: ItemsState): ItemsModel => start(ITEMS, state);
const ORIGINAL: PairValue = { type: "unanswerable", question: "What is it?", choices: [], answer: "1", evidence: [] };
const edit = (answer: string): PairValue => ({ ...ORIGINAL, answer });

/** Two annotators: k1 calls q1 correct, k2 edits it; both call q2 correct. */
function aState(change: Partial<ItemsState> = {}): ItemsState {
  const q1: PairItem = {
    id: "q1",
    original: ORIGINAL,
    readings: [
      { annotator: "k1", verdict: "Correct", edited: null, note: "" },
      { annotator: "k2", verdict: "Incorrect.Edit", edited: edit("2"), note: "why" },
    ],
    proposal: { item: "q1", verdict: "Correct", edited: null, note: "" },
    supporters: ["k1"],
    conflict: true,
    reasons: ["1 of 2 finds it incorrect"],
    preselected: false,
    answers: [],
  };
  const q2: PairItem = {
    ...q1,
    id: "q2",
    readings: [{ annotator: "k1", verdict: "Correct", edited: null, note: "" }],
    proposal: { item: "q2", verdict: "Correct", edited: null, note: "" },
    conflict: false,
    preselected: true,
    reasons: [],
  };
  const kind = (annotator: string, types: string[]) => ({ annotator, value: { compound: true, count: 2, types, note: "" } });
  return {
    figure_id: "f1",
    revision: 1,
    image_url: null,
    width: 10,
    height: 10,
    caption: "",
    references: [],
    version: 0,
    decision: null,
    annotators: [
      { key: "k1", name: "Annotator 1" },
      { key: "k2", name: "Annotator 2" },
    ],
    statuses: [
      { annotator: "k1", status: "accepted", reason: "" },
      { annotator: "k2", status: "accepted", reason: "" },
    ],
    kind: {
      original: { compound: false, count: 1, types: ["tree"], note: "" },
      readings: [kind("k1", ["bar chart"]), kind("k2", ["bar chart", "tree"])],
      proposal: { compound: true, count: 2, types: ["bar chart"], note: "" },
      supporters: ["k1"],
      disputed: ["tree"],
      conflict: true,
      reasons: ["types differ: tree"],
      preselected: false,
    },
    pairs: [q1, q2],
    questions: [],
    type_names: ["bar chart", "graph", "tree"],
    answered: 0,
    kinds: ["kind", "verdicts"],
    adjudicated: true,
    qa_types: ["unanswerable"],
    type_words: { unanswerable: "unanswerable" },
    unanswerable: "",
    impossible: "None",
    findings: {},
    quorum: 2,
    reasons: [],
    agreement: 0.5,
    progress: { decided: 0, total: 1 },
    phase: "qa",
    next_url: null,
    csrf: "c",
    reviewer: "rev1",
    error_kinds: [],
    history_url: "",
    subfigures_url: null,
    findings_url: "",
    lease_url: "",
    skip_url: "",
    review: { needs: null, may: true, told: "" },
    others: [],
    ...change,
  };
}

const after = (model: ItemsModel, ...actions: ItemsAction[]) => actions.reduce(reduce, model);
const Q1 = idOf("q1");

describe("the model of types and pairs", () => {
  test("what differs is open, the rest is as most say", () => {
    const model = startModel(aState());
    expect(openIds(model.work)).toEqual([KIND, Q1]);
    expect(model.chosen).toBe(KIND);
    expect(isDirty(model)).toBe(false);
    expect(payload(model, "accepted", 1).verdicts.map(({ verdict }) => verdict)).toEqual(["Correct", "Correct"]);
  });
  test("an error that the checks find in what all say leaves it open", () => {
    const wrong = { item: "q2", check: "c", severity: "error", message: "m" } as const;
    expect(openIds(startModel(aState({ findings: { "": [wrong] } })).work)).toContain(idOf("q2"));
    expect(openIds(startModel(aState({ findings: { "": [{ ...wrong, severity: "note" }] } })).work)).not.toContain(idOf("q2"));
  });
  test("using an annotator's answer decides the item, and says whose it is", () => {
    const model = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "adopt", annotator: 1 });
    expect(openIds(model.work)).toEqual([KIND]);
    const sent = payload(model, "accepted", 0);
    expect(sent.verdicts[0]).toEqual({ item: "q1", verdict: "Incorrect.Edit", edited: edit("2"), note: "why" });
    expect(sent.based_on).toEqual(["k1", "k2"]);
    expect(model.said).toBe("Pair 1 uses Annotator 2's answer.");
  });
  test("taking the word of one who did not judge it changes nothing", () => {
    const before = after(startModel(aState()), { type: "choose", id: idOf("q2") });
    const model = reduce(before, { type: "adopt", annotator: 1 });
    expect([model.work, model.said]).toEqual([before.work, "Annotator 2 did not judge it."]);
  });
  test("all that is open is taken at once, what that one did not judge stays open", () => {
    const model = reduce(startModel(aState()), { type: "adopt-open", annotator: 1 });
    expect(openIds(model.work)).toEqual([]);
    expect(model.work.kind?.value.types).toEqual(["bar chart", "tree"]);
    expect(reduce(model, { type: "undo" }).work).toEqual(startModel(aState()).work);
    expect(reduce(model, { type: "adopt-open", annotator: 7 }).said).toBe("There is no annotator 8.");
  });
  test("accepting goes on to the next open one", () => {
    const model = reduce(startModel(aState()), { type: "accept" });
    expect([model.chosen, openIds(model.work)]).toEqual([Q1, [Q1]]);
    expect(reduce(model, { type: "accept" }).said).toBe("Pair 1 is accepted. Nothing is open.");
  });
  test("what was typed is kept aside under Correct, and sent under Incorrect.Edit alone", () => {
    const typed = after(
      startModel(aState()),
      { type: "choose", id: Q1 },
      { type: "incorrect" },
      { type: "edit", id: "q1", change: { answer: "3" } },
      { type: "edit", id: "q1", change: { answer: "34" } },
    );
    expect(wordOf(typed.state, typed.work.pairs[0]!).edited).toEqual(edit("34"));
    const correct = reduce(typed, { type: "correct" });
    expect(wordOf(correct.state, correct.work.pairs[0]!)).toEqual({ item: "q1", verdict: "Correct", edited: null, note: "" });
    const again = reduce(correct, { type: "incorrect" });
    expect(again.work.pairs[0]!.edit.answer).toBe("34");
    // What is typed into one field is one step.
    expect(reduce(typed, { type: "undo" }).work.pairs[0]!.edit.answer).toBe("1");
  });
  test("an edit that changes nothing but blanks is none", () => {
    const model = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "incorrect" }, { type: "edit", id: "q1", change: { answer: " 1 " } });
    expect(wordOf(model.state, model.work.pairs[0]!)).toEqual({ item: "q1", verdict: "Incorrect.Edit", edited: null, note: "" });
  });
  test("a pair of a type that the figure does not allow has nothing in it, until it gets another type", () => {
    const given = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "incorrect" }, { type: "retype", id: "q1", name: "None" });
    const nothing = { ...ORIGINAL, question: "None", choices: [], answer: "None" };
    expect(wordOf(given.state, given.work.pairs[0]!).edited).toEqual(nothing);
    const again = reduce(given, { type: "retype", id: "q1", name: "infinite" });
    expect(again.work.pairs[0]!.edit).toEqual({ ...ORIGINAL, type: "infinite" });
    const typed = after(given, { type: "edit", id: "q1", change: { question: "Who?" } }, { type: "retype", id: "q1", name: "infinite" });
    expect(typed.work.pairs[0]!.edit.question).toBe("Who?");
  });
  test("types, flag and count change by keys, and count never falls below none", () => {
    const model = after(startModel(aState()), { type: "toggle-type" }, { type: "compound" }, ...Array<ItemsAction>(4).fill({ type: "count", by: -1 }));
    expect(model.work.kind?.value).toEqual({ compound: false, count: 0, types: ["bar chart", "tree"], note: "" });
    expect(reduce(model, { type: "original" }).work.kind?.value).toEqual({ compound: false, count: 1, types: ["tree"], note: "" });
    expect(reduce(model, { type: "cursor", by: 1 }).cursor).toBe(0);
    expect(reduce(model, { type: "cursor", by: -1, disputed: true }).cursor).toBe(2);
  });
  test("a figure that some reject is open itself", () => {
    const model = startModel(aState({ statuses: [{ annotator: "k1", status: "rejected", reason: "" }] }));
    expect(model.chosen).toBe(FIGURE);
    expect(reduce(model, { type: "accept" }).work.figureOpen).toBe(false);
  });
  test("a figure that is rejected sends neither type nor pairs", () => {
    const sent = payload(startModel(aState()), "rejected", 2.34);
    expect([sent.kind, sent.verdicts, sent.based_on, sent.seconds]).toEqual([null, [], [], 2.3]);
  });
  test("a standing decision is where one begins; what it leaves out is open", () => {
    const decision: ItemsDecision = {
      version: 1, status: "accepted", kind: null, verdicts: [{ item: "q1", verdict: "Incorrect.Edit", edited: edit("9"), note: "" }],
      note: "n", reviewer: "rev2", decided_at: "2026-11-21T10:00:00Z", based_on: ["k1"],
    };
    const model = startModel(aState({ decision, version: 1 }));
    expect(openIds(model.work)).toEqual([KIND, idOf("q2")]);
    expect(model.work.pairs[0]!.edit.answer).toBe("9");
    expect(saysSame(ITEMS, payload(model, "accepted", 0), decision)).toBe(false);
    expect(model.remarks.note).toBe("n");
    const theirs = reduce(startModel(aState()), { type: "theirs", decision, version: 1 });
    expect([theirs.version, theirs.work.pairs[0]!.edit.answer]).toEqual([1, "9"]);
    expect(reduce(theirs, { type: "undo" }).work.pairs[0]!.edit.answer).toBe("1");
  });
  test("a second reviewer confirms by Enter, the one who decided goes on, and both are told so", () => {
    const decision: ItemsDecision = {
      version: 1, status: "accepted", kind: null, note: "", reviewer: "rev2", decided_at: "2026-11-21T10:00:00Z", based_on: [],
      verdicts: ["q1", "q2"].map((item) => ({ item, verdict: "Correct", edited: null, note: "" })),
    };
    const review = (may: boolean) => ({ decision, kind: null, review: { needs: "second" as const, may, told: "" } });
    expect(enterDoes(startModel(aState(review(true))))).toBe("confirm");
    expect(startModel(aState(review(true))).said).toBe("Enter confirms as second reviewer.");
    expect(enterDoes(startModel(aState(review(false))))).toBe("next");
    expect(startModel(aState(review(false))).said).toBe("Adjudicated: Enter opens the next.");
    expect(enterDoes(reduce(startModel(aState(review(false))), { type: "remark", change: { note: "n" } }))).toBe("save");
  });
});

describe("drafts of types and pairs", () => {
  const worked = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "adopt", annotator: 1 });

  test("come back on the same version, with the time they took", () => {
    const shelf = new Shelf();
    expect(keepDraft(shelf, worked, 7, new Date(0))).toBe(true);
    const { model, notice, seconds } = recover(shelf, startModel(aState()));
    expect([model.work, notice?.kind, seconds]).toEqual([worked.work, "draft", 7]);
  });
  test("are offered where somebody decided since, and told where the pairs are others", () => {
    const shelf = new Shelf();
    keepDraft(shelf, worked, 7, new Date(0));
    expect(recover(shelf, startModel(aState({ version: 3 }))).notice?.kind).toBe("stale");
    const others = aState({ pairs: aState().pairs.slice(1) });
    expect(findDraft(shelf, startModel(others))?.kind).toBe("replaced");
    expect(findDraft(shelf, startModel(aState({ reviewer: "rev2" })))).toBeNull();
  });
  test("what looks like none is dropped", () => {
    const shelf = new Shelf();
    shelf.setItem(draftKey(worked), JSON.stringify({ work: { pairs: [{}] } }));
    expect(recover(shelf, startModel(aState())).notice).toBeNull();
    expect(shelf.length).toBe(0);
  });
});

describe("the comparison of two decisions on types and pairs", () => {
  const same = <T>(value: T) => ({ mine: value, theirs: value, merged: value, clash: false });
  const word = (answer: string) => ({ item: "q1", verdict: "Incorrect.Edit" as const, edited: edit(answer), note: "" });
  const sent = payload(startModel(aState()), "accepted", 1);
  const conflict: ItemsConflict = {
    base: null,
    status: same("accepted" as const),
    note: { mine: "a", theirs: "b", merged: "b\na", clash: true },
    error_kind: same(null),
    guideline_flag: same(null),
    kind: null,
    pairs: [{ id: "q1", mine: word("2"), theirs: word("3"), merged: word("2"), differs: true, clash: true }],
    clashes: 2,
    merged: { ...sent, type: "items", viewed: null, version: 4, note: "b\na", verdicts: [word("2")] },
  };

  test("has a line for each thing that differs, and the merge stands until another is chosen", () => {
    const rows = rowsOf(ITEMS, conflict);
    expect(rows.map(({ key }) => key)).toEqual(["note", "part q1"]);
    expect(sideOf(rows[0]!, {})).toBe("merged");
    expect(sideOf(rows[1]!, {})).toBe("mine");
    const merged = mergedDecision(ITEMS, conflict, { "part q1": "theirs", note: "mine" }, sent, 9);
    expect([merged.verdicts, merged.note, merged.version, merged.seconds]).toEqual([[word("3")], "a", 4, 9]);
  });
  test("a figure that one side rejects keeps nothing of its items", () => {
    const rejected: ItemsConflict = { ...conflict, status: { mine: "rejected", theirs: "accepted", merged: "rejected", clash: false } };
    expect(rowsOf(ITEMS, rejected).map(({ key }) => key)).toEqual(["status", "note"]);
    expect(mergedDecision(ITEMS, rejected, {}, sent, 0).verdicts).toEqual([]);
  });
});

describe("a figure without a type and without pairs", () => {
  const bare = () => startModel(aState({ kind: null, pairs: [] }));
  test("is accepted by no key, but may be rejected", () => {
    for (const forced of [false, true]) expect(ITEMS.blocked(bare(), forced)?.text).toContain("X rejects or defers it");
    const answered = { ...bare(), state: { ...bare().state, adjudicated: false } };
    expect(ITEMS.blocked(answered, true)?.text).toContain("nothing to adjudicate");
    expect(ITEMS.greeting(bare())).toContain("there is nothing to accept");
    expect([enterDoes(bare()), payload(bare(), "rejected", 1).status]).toEqual(["held", "rejected"]);
  });
});

describe("a figure whose questions people only answer", () => {
  const closed = () => startModel(aState({ adjudicated: false, answered: 2, kind: null, pairs: [] }));
  test("has nothing to decide, and Enter goes on to the next", () => {
    expect([closed().said, enterDoes(closed())]).toEqual([ITEMS.closed?.(closed().state), "next"]);
    expect(closed().said).toContain("nothing to adjudicate");
    expect(ITEMS.closed?.(aState())).toBeNull();
  });
});

describe("a figure that was reopened", () => {
  const verdicts = ["q1", "q2"].map((item) => ({ item, verdict: "Correct" as const, edited: null, note: "n" }));
  const from: ItemsDecision = { version: 1, status: "accepted", kind: aState().kind!.proposal, verdicts, note: "m", reviewer: "rev2", decided_at: "", based_on: ["k1"] };
  test("starts from the decision before, which one key saves", () => {
    const model = startModel(aState({ starts_from: from, version: 2 }));
    expect([openIds(model.work), model.said, enterDoes(model)]).toEqual([[], "Starts from rev2's decision: Enter saves.", "save"]);
    expect([model.work.pairs[0]!.note, model.remarks.note]).toEqual(["n", "m"]);
  });
  test("says how much a decision that stands leaves open", () => {
    const model = startModel(aState({ decision: { ...from, verdicts: verdicts.slice(1) }, version: 1 }));
    expect(model.said).toMatch(/^rev2's decision leaves 1 open: A accepts/);
  });
});

describe("a kind that the server asks for and this page does not know", () => {
  const axes = { axes: [{ name: "x", unit: "s" }] };
  const decision = { version: 1, status: "accepted", kind: null, verdicts: [], note: "", reviewer: "rev2", decided_at: "", based_on: [], restored_from: 3, ...axes } as ItemsDecision;
  const state = (change: Partial<ItemsState>) => aState({ kinds: ["kind", "verdicts", "axes"], ...change });
  test("is named, and saved again as it was decided", () => {
    const model = startModel(state({ decision, version: 1 }));
    expect(unknownKinds(model.state)).toEqual(["axes"]);
    expect(payload(after(model, { type: "accept" }), "accepted", 1)).toMatchObject(axes);
    expect(payload(model, "accepted", 1)).not.toHaveProperty("restored_from");
  });
  test("is not made up where nothing is decided, nor kept on a figure that is rejected", () => {
    expect(payload(startModel(state({})), "accepted", 1)).not.toHaveProperty("axes");
    expect(payload(startModel(state({ decision, version: 1 })), "rejected", 1)).not.toHaveProperty("axes");
  });
  test("follows the decision that another reviewer saved meanwhile", () => {
    const theirs = { ...decision, axes: [], version: 2 } as ItemsDecision;
    const model = reduce(startModel(state({ decision, version: 1 })), { type: "theirs", decision: theirs, version: 2 });
    expect(payload(model, "accepted", 1)).toMatchObject({ axes: [] });
  });
  test("comes with a draft from the decision that stands", () => {
    const shelf = new Shelf();
    keepDraft(shelf, after(startModel(state({ decision, version: 1 })), { type: "accept" }), 1, new Date());
    expect(payload(recover(shelf, startModel(state({ decision, version: 1 }))).model, "accepted", 1)).toMatchObject(axes);
  });
});


