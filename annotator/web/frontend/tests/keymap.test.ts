/** The table of keys: what a press does, and the page that is made from it. */

/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import DOC from "../../../../docs/reference/keys.md?raw";
import { KEYMAP, sheetOf, tableOf, type Row, type ScreenName, type Who } from "../src/keys/keymap";
import { commandFor, type Place, type Press } from "../src/keys/press";

const press = (key: string, change: Partial<Press> = {}): Press => ({
  key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...change,
});
const place = (change: Partial<Place> = {}): Place => ({
  on: "subfigures", who: "reviewer", part: null, field: null, sheet: false, overtaken: false, draft: false, taking: false, rtl: false, ...change,
});
const act = (key: string, change: Partial<Press> = {}, where: Partial<Place> = {}) => {
  const command = commandFor(press(key, change), place(where));
  return command?.do === "act" ? command.action : command;
};

describe("keys", () => {
  test("Enter saves where it can, Ctrl Enter all the same", () => {
    expect(act("Enter")).toEqual({ do: "save", forced: false });
    expect(act("Enter", { ctrlKey: true }, { field: "text" })).toEqual({ do: "save", forced: true });
  });
  test("a text field keeps its keys, and hides Ctrl Z from Annotorious", () => {
    for (const key of ["a", "Delete", "ArrowLeft", "Enter", " ", "["]) expect(act(key, {}, { field: "text" })).toBeNull();
    expect(act("z", { ctrlKey: true }, { field: "text" })).toEqual({ do: "shield" });
    expect(act("Escape", {}, { field: "text" })).toEqual({ do: "escape" });
  });
  test("a focused button keeps Enter and Space, and no other key", () => {
    expect(act("Enter", {}, { field: "button" })).toBeNull();
    expect(act(" ", {}, { field: "button" })).toBeNull();
    expect(act("a", {}, { field: "button" })).toEqual({ type: "accept" });
  });
  test("arrows move the token cursor in the caption and the box in the image", () => {
    expect(act("ArrowRight", { shiftKey: true })).toEqual({ type: "move", by: 1, extend: true });
    expect(act("ArrowRight", {}, { rtl: true })).toEqual({ type: "move", by: -1, extend: false });
    expect(act("ArrowUp")).toEqual({ type: "step", by: -1, among: "all" });
    expect(act("ArrowRight", { shiftKey: true, altKey: true }, { part: "image" })).toEqual({
      type: "nudge", dx: 10, dy: 0, resize: true,
    });
  });
  test("digits take a text, with Shift the box as well", () => {
    expect(act("2")).toEqual({ type: "adopt", annotator: 1, box: false });
    expect(act("@", { code: "Digit2", shiftKey: true })).toEqual({ type: "adopt", annotator: 1, box: true });
    expect(act("0")).toEqual({ type: "none" });
  });
  test("brackets work where they need AltGr", () => {
    expect(act("]", { ctrlKey: true, altKey: true })).toEqual({ type: "adjust", edge: "end", by: 1 });
    expect(act("{")).toEqual({ type: "adjust", edge: "start", by: 1 });
  });
  test("letters work on a keyboard without Latin letters", () => {
    expect(act("ф", { code: "KeyA" })).toEqual({ type: "accept" });
    expect(act("я", { code: "KeyZ", ctrlKey: true })).toEqual({ type: "undo" });
  });
  test("undo and redo", () => {
    expect(act("z", { metaKey: true })).toEqual({ type: "undo" });
    expect(act("Z", { ctrlKey: true, shiftKey: true })).toEqual({ type: "redo" });
    expect(act("y", { ctrlKey: true })).toEqual({ type: "redo" });
  });
  test("a colleague's decision is answered with a key, and only then", () => {
    expect(act("t", {}, { overtaken: true })).toEqual({ do: "take-theirs" });
    expect(act("m", {}, { overtaken: true })).toEqual({ do: "keep-mine" });
    expect(act("m")).toEqual({ do: "note" });
    expect(act("t")).toEqual({ do: "taking" });
  });
  test("in types and pairs, the figure's type has keys of its own", () => {
    const items = { on: "items" } as const;
    expect(act("ArrowRight", {}, items)).toBeNull();
    expect(act("ArrowRight", {}, { ...items, part: "type" })).toEqual({ type: "cursor", by: 1 });
    expect(act("n", {}, items)).toEqual({ do: "pair-note" });
  });
  test("in blind work, what changes a box or shows others' work is locked", () => {
    const blind = { on: "blind" } as const;
    for (const key of ["r", "n", "l", "w", "1", "v", "y", "t", "m"]) expect(act(key, {}, blind)).toEqual({ do: "locked" });
    expect(act("ArrowUp", {}, { ...blind, part: "image" })).toEqual({ do: "locked" });
    expect(act("m", {}, { ...blind, overtaken: true })).toEqual({ do: "keep-mine" });
    expect(act("s", {}, { ...blind, overtaken: true })).toBeNull();
  });
  test("while a digit is awaited for all that is open, it does that, with Shift too", () => {
    expect(act("2", {}, { taking: true })).toEqual({ type: "adopt-open", annotator: 1 });
    expect(act("@", { code: "Digit2", shiftKey: true }, { taking: true })).toEqual({ type: "adopt-open", annotator: 1 });
  });
  test("the browser's own shortcuts stay", () => {
    for (const key of ["r", "l", "n", "f", "+"]) expect(act(key, { ctrlKey: true })).toBeNull();
  });
});

/** "Ctrl+Shift+z" as the browser reports it. */
function pressOf(name: string): Press {
  const key = /([^+]+|\+)$/.exec(name)?.[1] ?? "";
  const held = name.slice(0, name.length - key.length);
  const shiftKey = held.includes("Shift+");
  const code = /^[0-9]$/.test(key) ? `Digit${key}` : /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : "";
  const typed = shiftKey && /^[a-z]$/.test(key) ? key.toUpperCase() : shiftKey && code.startsWith("Digit") ? "#" : key;
  return press(typed, { code, shiftKey, ctrlKey: held.includes("Ctrl+"), altKey: held.includes("Alt+") });
}

/** A place in which a row's keys work. */
function placeOf({ when, who = "reviewer" }: Row, on: ScreenName): Place {
  const part = when === "image" || when === "type" || when === "answer" ? when : null;
  return place({ on, who, part, overtaken: when === "conflict", draft: when === "draft", taking: when === "taking" });
}

const WHO: readonly Who[] = ["reviewer", "annotator"];
const BY_SCREEN = KEYMAP.flatMap((row) => row.on.map((on) => [on, row] as const));

describe("the table of keys", () => {
  test("every press in it does what its row says", () => {
    for (const [on, row] of BY_SCREEN) {
      for (const [name, command] of Object.entries(row.presses)) {
        expect(commandFor(pressOf(name), placeOf(row, on)), `${on}: ${name}`).toEqual(command);
      }
    }
  });
  test("no press is in two rows of one screen, but for T, which two lines explain", () => {
    const names = BY_SCREEN.flatMap(([on, { who, when, presses }]) =>
      (who ? [who] : WHO).flatMap((each) => Object.keys(presses).map((name) => `${on} ${each} ${when ?? ""} ${name}`)),
    );
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
  test("a row without words is one whose keys another row explains", () => {
    expect(KEYMAP.filter(({ keys, text }) => keys === "" || text === "").map(({ when }) => when)).toEqual(["taking"]);
  });
});

describe("an annotator's own task", () => {
  const own = { who: "annotator" } as const;
  test("has no key of a reviewer's, on the sheet or under the finger", () => {
    for (const key of ["t", "m", "e", "q", "h", "y", "."]) expect(act(key, {}, own)).toBeNull();
    for (const screen of ["subfigures", "items"] as const) {
      expect(tableOf(screen, "annotator")).not.toMatch(/reviewer|annotator|conflict|defer|decision/i);
    }
  });
  test("takes the prediction's text with 1, and its last submission back with U", () => {
    expect(act("1", {}, own)).toEqual({ type: "adopt", annotator: 0, box: false });
    expect(act("2", {}, own)).toBeNull();
    expect(act("u", {}, own)).toEqual({ do: "undo-submission" });
    expect(act("u")).toBeNull();
  });
});

/** A list of the page: the screen, and whose. */
type List = readonly [ScreenName, Who];
const FIRST: List = ["subfigures", "reviewer"];
const listOf = (name: string): List => [(name.replace("own-", "") as ScreenName), name.startsWith("own-") ? "annotator" : "reviewer"];

/** The rows of a screen's table: group, keys, text. */
const rowsOf = (list: List) => tableOf(...list).split("\n").slice(2).map((line) => line.slice(2, -2).split(" | "));

/** A part of the page, a list for each group; of what the first part says already, the keys alone. */
function partOf(screen: List): string {
  const first = new Set(String(screen) === String(FIRST) ? [] : rowsOf(FIRST).map(String));
  const rows = rowsOf(screen).filter((row) => !first.has(String(row)));
  const lists = [...new Set(rows.map(([group]) => group))].map((group) =>
    [`**${group}**`, "", ...rows.filter((row) => row[0] === group).map(([, keys, text]) => `- ${keys}: ${text}`)].join("\n"),
  );
  const again = rowsOf(screen).filter((row) => first.has(String(row))).map(([, keys]) => keys);
  return [...lists, ...(again.length ? [`As for subfigures: ${again.join(", ")}.`] : [])].join("\n\n");
}

/** The page with its lists made again: each between two marks. */
function pageOf(page: string): string {
  return page.replace(
    /(<!-- keys: ([\w-]+) -->\n)[^]*?(\n<!-- end -->)/g,
    (_, open: string, name: string, close: string) => `${open}${partOf(listOf(name))}${close}`,
  );
}

// `npm run keys` writes the page.
test("docs/reference/keys.md has the lists that are made from it", async () => {
  expect([...DOC.matchAll(/<!-- keys: ([\w-]+) -->/g)].map(([, name]) => name)).toEqual([
    "subfigures", "items", "blind", "own-subfigures", "own-items",
  ]);
  await expect(pageOf(DOC)).toMatchFileSnapshot("../../../../docs/reference/keys.md");
});

test("the sheet has the keys of what the figure has", () => {
  const keysOf = (absent: Parameters<typeof sheetOf>[2]) => sheetOf("items", "annotator", absent);
  const questions = keysOf(["pair", "type"]);
  expect(questions.map(({ title }) => title)).toContain("A question");
  expect(questions.map(({ title }) => title)).not.toContain("A pair");
  expect(questions.flatMap(({ lines }) => lines).map(({ text }) => text)).not.toContain("use the prediction's answer");
  const pairs = keysOf(["type", "answer"]);
  expect(pairs.map(({ title }) => title)).not.toContain("The figure's type");
  expect(pairs.flatMap(({ lines }) => lines).map(({ text }) => text)).toContain("use the prediction's answer");
});
