/** An annotator's own tasks on types, pairs and questions: nothing is judged before they judge it. */

import { describe, expect, test } from "vitest";
import { NOTHING_ASKED, OWN_ITEMS, OWN_ITEMS_VIEW, type OwnItemsState } from "../src/bodies/own/items";
import type { Items, ItemsModel } from "../src/bodies/items/model";
import { idOf, KIND, openIds } from "../src/bodies/items/work";
import { keepDraft, recover } from "../src/session/draft";
import { enterDoes, payload, reduce, startModel as start } from "../src/session/model";
import type { CommonAction } from "../src/session/kind";
import type { Session } from "../src/session/session";
import { Shelf } from "./fixture";

type Action = CommonAction<Items> | Items["action"];
const after = (model: ItemsModel, ...actions: Action[]) => actions.reduce(reduce, model);
const Q1 = idOf("q1");

function aTask(change: Partial<OwnItemsState> = {}): OwnItemsState {
  return {
    figure_id: "k", place: 3, shown_id: "", revision: 1, image_url: null, width: 10, height: 10, caption: "", references: [], version: 0,
    decision: null, starts_from: null, annotators: [], statuses: [], kind: null, pairs: [], questions: [],
    type_names: ["bar chart", "tree"], answered: 0, kinds: [], adjudicated: true, qa_types: [], type_words: {}, unanswerable: "It is not possible.", impossible: "None", findings: {},
    quorum: 1, reasons: [], agreement: null, progress: { decided: 2, total: 14 }, phase: "qa", next_url: null, csrf: "c",
    reviewer: "ada", subfigures_url: null, undo_url: "/undo", ...change,
  };
}

const pair = (id: string) => ({
  id, original: { type: "unanswerable" as const, question: "What?", choices: [], answer: "1", evidence: [] }, readings: [], supporters: [],
  proposal: { item: id, verdict: "Correct" as const, edited: null, note: "" },
  conflict: false, reasons: [], preselected: false, answers: [],
});
const pairs = () => start(OWN_ITEMS, aTask({ pairs: [pair("q1"), pair("q2")] }));
const nothing = { compound: null, count: null, types: [], note: "" };
const types = (value: typeof nothing | { compound: boolean; count: number; types: string[]; note: string }, preselected: boolean) =>
  start(OWN_ITEMS, aTask({
    kind: { original: null, readings: [], proposal: value, supporters: [], disputed: [], conflict: false, reasons: [], preselected },
  }));
const questions = () =>
  start(OWN_ITEMS, aTask({
    questions: [
      { id: "q1", type: "unanswerable" as const, question: "What?", choices: [] },
      { id: "q2", type: "unanswerable" as const, question: "Which?", choices: ["x", "y", "z"] },
    ],
  }));

describe("a task on a figure without pairs", () => {
  const bare = () => start(OWN_ITEMS, aTask());
  test("says what is missing and goes out by no key, but may be left out", () => {
    expect(OWN_ITEMS.greeting(bare())).toBe("This figure has no question-answer pairs.");
    for (const forced of [false, true]) expect(OWN_ITEMS.blocked(bare(), forced)).toEqual({ id: null, text: NOTHING_ASKED });
    expect(NOTHING_ASKED).toContain("X leaves it out");
    expect(OWN_ITEMS.nameOf(bare(), null)).toBe("The figure");
    expect(payload(bare(), "ignored", 1).status).toBe("ignored");
  });
});

describe("one's own pairs", () => {
  test("are all open, and go out once each is judged", () => {
    expect(openIds(pairs().work)).toEqual([Q1, idOf("q2")]);
    const done = after(pairs(), { type: "accept" }, { type: "accept" });
    expect(enterDoes(done)).toBe("save");
    const sent = payload(done, "accepted", 1);
    expect([sent.kind, sent.verdicts.map(({ verdict }) => verdict), sent.answers, sent.based_on]).toEqual([null, ["Correct", "Correct"], [], []]);
  });
  test("go out unjudged by no key at all", () => {
    expect(OWN_ITEMS.blocked(pairs(), true)).toEqual({ id: Q1, text: "Pair 1 is open: A if it is correct, I to correct it." });
    expect(OWN_ITEMS.blocked(after(pairs(), { type: "accept" }, { type: "accept" }), true)).toBeNull();
  });
  test("that were submitted and undone are where one begins", () => {
    const verdicts = ["q1", "q2"].map((item) => ({ item, verdict: "Correct" as const, edited: null, note: "n" }));
    const undone = { version: 1, status: "accepted" as const, kind: null, verdicts, answers: [], note: "", reviewer: "ada", decided_at: "", based_on: [] };
    const model = start(OWN_ITEMS, aTask({ pairs: [pair("q1"), pair("q2")], starts_from: undone, version: 2 }));
    expect([openIds(model.work), model.work.pairs[0]!.note, enterDoes(model)]).toEqual([[], "n", "save"]);
  });
});

describe("the figure's type on one's own task", () => {
  test("is explained while it is chosen, and the pairs once they are", () => {
    const kind = { original: null, readings: [], proposal: nothing, supporters: [], disputed: [], conflict: false, reasons: [], preselected: false };
    const model = start(OWN_ITEMS, aTask({ kind, pairs: [pair("q1")] }));
    expect([model.chosen, model.said]).toEqual([KIND, "D: compound or not. ] and [: subfigures. Arrows and Space: types."]);
    expect(OWN_ITEMS.greeting(reduce(model, { type: "choose", id: Q1 }))).toBe("A: the pair is correct. I: correct it.");
  });
  test("goes out by one key where it is filled in", () => {
    const model = types({ compound: true, count: 2, types: ["tree"], note: "" }, true);
    expect([openIds(model.work), enterDoes(model), model.said]).toEqual([[], "save", "Correct what is wrong; Enter submits."]);
  });
  test("goes out empty by no key", () => {
    const model = types(nothing, false);
    expect(openIds(model.work)).toEqual([KIND]);
    expect(OWN_ITEMS.blocked(reduce(model, { type: "accept" }), true)?.id).toBe(KIND);
    const half = after(model, { type: "toggle-type" }, { type: "compound" });
    expect([enterDoes(half), OWN_ITEMS.blocked(half, true)?.text]).toEqual(["held", "Give the number of subfigures: ] and [."]);
    expect(enterDoes(after(half, { type: "count", by: 1 }))).toBe("save");
  });
  test("may have types that the list does not, which stay when another is flipped", () => {
    const model = types({ compound: true, count: 2, types: ["tree", " flow chart"], note: "" }, true);
    const flipped = reduce(model, { type: "flip", name: "bar chart" });
    expect(payload(flipped, "accepted", 0).kind?.types).toEqual(["bar chart", "tree", "flow chart"]);
    expect(reduce(flipped, { type: "flip", name: " flow chart" }).work.kind?.value.types).toEqual(["bar chart", "tree"]);
  });
});

describe("questions", () => {
  const q2 = () => reduce(questions(), { type: "choose", id: idOf("q2") });

  test("are open until they have an answer, and A does not pass over one without", () => {
    const model = reduce(questions(), { type: "accept" });
    expect([model.chosen, model.said]).toEqual([Q1, "Question 1 has no answer yet."]);
    const blank = reduce(model, { type: "answer", id: "q1", change: { answer: "  " } });
    expect(openIds(blank.work)).toContain(Q1);
    const typed = reduce(model, { type: "answer", id: "q1", change: { answer: " 0.8 " } });
    expect(openIds(typed.work)).toEqual([idOf("q2")]);
    expect(payload(typed, "accepted", 0).answers?.[0]).toEqual({ item: "q1", answer: "0.8", note: "" });
  });
  test("take several options, in their order, in or out by their digits", () => {
    const model = after(q2(), { type: "pick", option: 2 }, { type: "pick", option: 0 });
    expect(payload(model, "accepted", 0).answers?.[1]?.answer).toBe("A,C");
    expect(reduce(model, { type: "pick", option: 0 }).work.answers[1]!.answer).toBe("C");
    expect(reduce(model, { type: "pick", option: 7 }).said).toBe("There is no option 8.");
    expect(reduce(questions(), { type: "pick", option: 0 }).said).toBe("This question has no options: I writes an answer.");
  });
  test("may be unanswerable or unknown; the same again takes it back", () => {
    const none = reduce(q2(), { type: "unanswerable" });
    expect(payload(none, "accepted", 0).answers?.[1]?.answer).toBe("It is not possible.");
    const unknown = reduce(none, { type: "unknown" });
    expect([unknown.work.answers[1]!.answer, openIds(unknown.work)]).toEqual([null, [Q1]]);
    expect(reduce(unknown, { type: "unknown" }).work.answers[1]).toEqual({ id: "q2", answer: "", note: "", accepted: false });
    expect(reduce(unknown, { type: "pick", option: 1 }).work.answers[1]!.answer).toBe("B");
    expect(reduce(none, { type: "pick", option: 1 }).work.answers[1]!.answer).toBe("B");
  });
  test("have keys of their own, and a draft that comes back", () => {
    const part = (model: ItemsModel) => OWN_ITEMS_VIEW.part({ model } as Session<Items>);
    expect([part(questions()), part(pairs()), part(types(nothing, false))]).toEqual(["answer", null, "type"]);
    const shelf = new Shelf();
    const worked = reduce(questions(), { type: "answer", id: "q1", change: { answer: "0.8" } });
    keepDraft(shelf, worked, 7, new Date(0));
    expect(recover(shelf, questions()).model.work).toEqual(worked.work);
  });
});

test("a task is called by its number, with what is done, and by its figure's id unless the phase hides it", () => {
  const shown = OWN_ITEMS_VIEW.header({ model: start(OWN_ITEMS, aTask({ shown_id: "f7" })) } as Session<Items>);
  expect(shown.title).toBe("Figure 3 of 14: f7");
  const texts = OWN_ITEMS_VIEW.header({ model: pairs() } as Session<Items>);
  expect([texts.title, texts.progress.text, texts.agreement]).toEqual(["Figure 3 of 14", "2 done", null]);
  expect(OWN_ITEMS.other(aTask()).none).not.toContain("annotator");
});
