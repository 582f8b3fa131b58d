/** The screen of types and pairs: its model, keys, sheet, drafts and comparison. */

/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import DOC from "../../../../docs/reference/keys.md?raw";
import { mergedItems, rowsOf, sideOf } from "../src/itemsconflict";
import { draftKey, findDraft, keepDraft, recover } from "../src/itemsdraft";
import { commandFor, type ItemsPlace } from "../src/itemskeys";
import { enterDoes, isDirty, payload, reduce, says, startModel, type ItemsAction, type ItemsModel } from "../src/itemsmodel";
import { ITEMS_SHEET } from "../src/itemssheet";
import type { ItemsConflict, ItemsDecision, ItemsState, PairItem, PairValue } from "../src/itemstypes";
import { FIGURE, idOf, KIND, openIds, wordOf } from "../src/itemswork";
import type { Press } from "../src/keys";
import { SHEET } from "../src/sheet";

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
      { annotator: "k1", status: "accepted" },
      { annotator: "k2", status: "accepted" },
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
    type_names: ["bar chart", "graph", "tree"],
    qa_types: ["unanswerable"],
    unanswerable: "",
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
  test("what differs is open, the rest settled as most say", () => {
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
  test("taking an annotator's word settles the item, and says whose it is", () => {
    const model = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "adopt", annotator: 1 });
    expect(openIds(model.work)).toEqual([KIND]);
    const sent = payload(model, "accepted", 0);
    expect(sent.verdicts[0]).toEqual({ item: "q1", verdict: "Incorrect.Edit", edited: edit("2"), note: "why" });
    expect(sent.based_on).toEqual(["k1", "k2"]);
    expect(model.said).toBe("Pair 1 as Annotator 2 has it.");
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
    expect(reduce(model, { type: "accept" }).said).toBe("Pair 1 is settled. All settled.");
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
  test("types, flag and count change by keys, and count never falls below none", () => {
    const model = after(startModel(aState()), { type: "toggle-type" }, { type: "compound" }, ...Array<ItemsAction>(4).fill({ type: "count", by: -1 }));
    expect(model.work.kind?.value).toEqual({ compound: false, count: 0, types: ["bar chart", "tree"], note: "" });
    expect(reduce(model, { type: "original" }).work.kind?.value).toEqual({ compound: false, count: 1, types: ["tree"], note: "" });
    expect(reduce(model, { type: "cursor", by: 1 }).cursor).toBe(0);
    expect(reduce(model, { type: "cursor", by: -1, disputed: true }).cursor).toBe(2);
  });
  test("a figure that some reject is open itself", () => {
    const model = startModel(aState({ statuses: [{ annotator: "k1", status: "rejected" }] }));
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
    expect(says(payload(model, "accepted", 0), decision)).toBe(false);
    expect(model.remarks.note).toBe("n");
    const theirs = reduce(startModel(aState()), { type: "theirs", decision, version: 1 });
    expect([theirs.version, theirs.work.pairs[0]!.edit.answer]).toEqual([1, "9"]);
    expect(reduce(theirs, { type: "undo" }).work.pairs[0]!.edit.answer).toBe("1");
  });
  test("a second reviewer confirms by Enter, whoever settled it goes on, and both are told so", () => {
    const decision: ItemsDecision = {
      version: 1, status: "accepted", kind: null, note: "", reviewer: "rev2", decided_at: "2026-11-21T10:00:00Z", based_on: [],
      verdicts: ["q1", "q2"].map((item) => ({ item, verdict: "Correct", edited: null, note: "" })),
    };
    const review = (may: boolean) => ({ decision, kind: null, review: { needs: "second" as const, may, told: "" } });
    expect(enterDoes(aState(review(true)), false)).toBe("confirm");
    expect(startModel(aState(review(true))).said).toBe("Enter confirms as second reviewer.");
    expect(enterDoes(aState(review(false)), false)).toBe("next");
    expect(startModel(aState(review(false))).said).toBe("Settled: Enter goes on.");
    expect(enterDoes(aState(review(false)), true)).toBe("save");
  });
});

function aShelf(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (at: number) => [...kept.keys()][at] ?? null,
    clear: () => kept.clear(),
    get length() {
      return kept.size;
    },
  };
}

describe("drafts of types and pairs", () => {
  const worked = after(startModel(aState()), { type: "choose", id: Q1 }, { type: "adopt", annotator: 1 });

  test("come back on the same version, with the time they took", () => {
    const shelf = aShelf();
    expect(keepDraft(shelf, worked, 7, new Date(0))).toBe(true);
    const { model, notice, seconds } = recover(shelf, startModel(aState()));
    expect([model.work, notice?.kind, seconds]).toEqual([worked.work, "draft", 7]);
  });
  test("are offered where somebody decided since, and told where the pairs are others", () => {
    const shelf = aShelf();
    keepDraft(shelf, worked, 7, new Date(0));
    expect(recover(shelf, startModel(aState({ version: 3 }))).notice?.kind).toBe("stale");
    const others = aState({ pairs: aState().pairs.slice(1) });
    expect(findDraft(shelf, startModel(others))?.kind).toBe("replaced");
    expect(findDraft(shelf, startModel(aState({ reviewer: "rev2" })))).toBeNull();
  });
  test("what looks like none is dropped", () => {
    const shelf = aShelf();
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
    merged: { ...sent, version: 4, note: "b\na", verdicts: [word("2")] },
  };

  test("has a line for each thing that differs, and the merge stands until another is chosen", () => {
    const rows = rowsOf(conflict);
    expect(rows.map(({ key }) => key)).toEqual(["note", "item q1"]);
    expect(sideOf(rows[0]!, conflict, {})).toBe("merged");
    expect(sideOf(rows[1]!, conflict, {})).toBe("mine");
    const merged = mergedItems(conflict, { "item q1": "theirs", note: "mine" }, sent, 9);
    expect([merged.verdicts, merged.note, merged.version, merged.seconds]).toEqual([[word("3")], "a", 4, 9]);
  });
  test("a figure that one side rejects keeps nothing of its items", () => {
    const rejected: ItemsConflict = { ...conflict, status: { mine: "rejected", theirs: "accepted", merged: "rejected", clash: false } };
    expect(rowsOf(rejected).map(({ key }) => key)).toEqual(["status", "note"]);
    expect(mergedItems(rejected, {}, sent, 0).verdicts).toEqual([]);
  });
});

const PLACES: ItemsPlace[] = [{}, { kind: true }, { overtaken: true }, { draft: true }, { taking: true }].map((change) => ({
  field: null, kind: false, sheet: false, overtaken: false, draft: false, taking: false, ...change,
}));

function pressOf(name: string): Press {
  const key = /([^+]+|\+)$/.exec(name)?.[1] ?? "";
  const held = name.slice(0, name.length - key.length);
  const shiftKey = held.includes("Shift+");
  const typed = shiftKey && /^[a-z]$/.test(key) ? key.toUpperCase() : key;
  const code = /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : "";
  return { key: typed, code, shiftKey, ctrlKey: held.includes("Ctrl+"), metaKey: false, altKey: held.includes("Alt+") };
}

const doneBy = (name: string, place: ItemsPlace): string | null => {
  const command = commandFor(pressOf(name), place);
  return command === null ? null : JSON.stringify(command);
};

describe("the keys of types and pairs", () => {
  const told = new Set(ITEMS_SHEET.flatMap(({ lines }) => lines.flatMap(({ presses }) => presses)));
  const printed = Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i)).filter((key) => !/[A-Z]/.test(key));
  const named = ["Enter", "Escape", "Delete", "Backspace", "Tab", "Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

  test("every key that does something is on the sheet, and every key there does something", () => {
    const untold = new Set<string>();
    for (const place of PLACES) {
      for (const name of ["", "Shift+", "Ctrl+", "Ctrl+Shift+"].flatMap((held) => [...printed, ...named].map((key) => held + key))) {
        const done = doneBy(name, place);
        const plainly = ["Shift+", "Ctrl+"].some((held) => name.includes(held) && doneBy(name.replace(held, ""), place) === done);
        if (done !== null && !plainly && !told.has(name)) untold.add(name);
      }
    }
    expect([...untold]).toEqual([]);
    expect([...told].filter((name) => PLACES.every((place) => doneBy(name, place) === null))).toEqual([]);
  });
  test("docs/reference/keys.md has the same lines", () => {
    const own = ITEMS_SHEET.filter(({ title }) => SHEET.every((other) => other.title !== title));
    const lines = own.flatMap((group) => group.lines.map(({ keys, what }) => `| ${group.title} | ${keys.map((key) => `\`${key}\``).join(" ")} | ${what} |`));
    const there = DOC.split("\n").filter((each) => own.some(({ title }) => each.startsWith(`| ${title} |`)));
    expect(there).toEqual(lines);
  });
  test("a text field keeps its keys, but Esc and Ctrl Enter", () => {
    const field = { ...(PLACES[0] as ItemsPlace), field: "text" } as const;
    for (const name of ["a", "Enter", " ", "Ctrl+z", "1"]) expect(doneBy(name, field)).toBeNull();
    expect(commandFor(pressOf("Ctrl+Enter"), field)).toEqual({ do: "save", forced: true });
    expect(commandFor(pressOf("Escape"), field)).toEqual({ do: "escape" });
  });
});
