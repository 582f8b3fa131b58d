/**
 * Every key of the screen: where it works, what it does, and what the sheet on `?` and docs/reference/keys.md say of it.
 * Both are made from this table, and so is what a press does.
 */

import type { Command } from "./command";

export type ScreenName = "subfigures" | "items" | "blind";

/** At work on the screen: a reviewer, or an annotator on a task of their own. */
export type Who = "reviewer" | "annotator";

export type Group = "decide" | "caption" | "image" | "pair" | "type" | "answer" | "around" | "conflict" | "draft";

const TITLES: Record<Group, string> = {
  decide: "Decide",
  caption: "Caption",
  image: "Image",
  pair: "A pair",
  type: "The figure's type",
  answer: "A question",
  around: "Other",
  conflict: "Another decision came first",
  draft: "Unsaved work found",
};

/** Where a row goes before those without: a notice that waits for an answer, or what the keys work on. */
export type When = "conflict" | "draft" | "taking" | "image" | "type" | "answer";

/** keys: as a person reads them. presses: what each press does, by names such as "Ctrl+Shift+z"; {} for the mouse alone. who: whose
 *  screen has it; both where it is not said. of: the groups that it serves, where that is not its own. */
export interface Row {
  on: readonly ScreenName[];
  who?: Who;
  group: Group;
  keys: string;
  text: string;
  presses: Readonly<Record<string, Command>>;
  when?: When;
  of?: readonly Group[];
}

const S: readonly ScreenName[] = ["subfigures"];
const I: readonly ScreenName[] = ["items"];
const B: readonly ScreenName[] = ["blind"];
const SI: readonly ScreenName[] = ["subfigures", "items"];
const SB: readonly ScreenName[] = ["subfigures", "blind"];
const IB: readonly ScreenName[] = ["items", "blind"];
const ALL: readonly ScreenName[] = ["subfigures", "items", "blind"];

type AnyAction = Extract<Command, { do: "act" }>["action"];
const act = (action: AnyAction): Command => ({ do: "act", action });

/** The same for each of the digits 1 to 9, by the annotator's place. */
function digits(before: string, command: (annotator: number) => Command): Record<string, Command> {
  return Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${before}${i + 1}`, command(i)]));
}

/** Moves or resizes the box: four arrows, ten pixels with Shift. */
function nudges(before: string, resize: boolean): Record<string, Command> {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const;
  const of = (held: string, far: number) =>
    Object.entries(ways).map(([key, [x, y]]) => [held + key, act({ type: "nudge", dx: x * far, dy: y * far, resize })] as const);
  return Object.fromEntries([...of(before, 1), ...of(`${before}Shift+`, 10)]);
}

const step = (by: 1 | -1, among: "open" | "all") => act({ type: "step", by, among });
const move = (by: 1 | -1, extend: boolean) => act({ type: "move", by, extend });
const adjust = (edge: "start" | "end", by: 1 | -1) => act({ type: "adjust", edge, by });
const pick = (side: "mine" | "theirs" | "merged"): Command => ({ do: "conflict-pick", side });
const adoptText = (annotator: number) => act({ type: "adopt", annotator, box: false });
const adoptBox = (annotator: number) => act({ type: "adopt", annotator, box: true });
const adoptOpen = (annotator: number) => act({ type: "adopt-open", annotator });
const SAVE: Command = { do: "save", forced: false };
const FORCE: Command = { do: "save", forced: true };
const OPEN = { j: step(1, "open"), k: step(-1, "open") };
const EACH = { ArrowUp: step(-1, "all"), ArrowDown: step(1, "all"), "Shift+j": step(1, "all"), "Shift+k": step(-1, "all") };
const UNDO = { "Ctrl+z": act({ type: "undo" }), "Ctrl+Shift+z": act({ type: "redo" }), "Ctrl+y": act({ type: "redo" }) };
const SWAP = { w: act({ type: "swap" }) };
const TAKING: Readonly<Record<string, Command>> = { t: { do: "taking" } };
const OTHER_TAB: Readonly<Record<string, Command>> = { m: { do: "keep-mine" }, t: { do: "take-theirs" } };
const LAYERS: Readonly<Record<string, Command>> = { v: { do: "layers" }, "Alt+0": { do: "layers" } };
const ZOOM: Readonly<Record<string, Command>> = {
  "+": { do: "zoom", by: 1 },
  "=": { do: "zoom", by: 1 },
  "-": { do: "zoom", by: -1 },
  _: { do: "zoom", by: -1 },
  f: { do: "fit" },
};

function row(on: Row["on"], group: Group, keys: string, text: string, presses: Row["presses"], when?: When): Row {
  return { on, group, keys, text, presses, ...(when && { when }) };
}

/** Rows of a reviewer's screens alone, and of an annotator's own tasks. */
const reviewers = (...rows: Row[]): Row[] => rows.map((each) => ({ ...each, who: "reviewer" }));
const annotators = (...rows: Row[]): Row[] => rows.map((each) => ({ ...each, who: "annotator" }));

/** Rows of what was imported or predicted, which a question of human evaluation is not. */
const imported = (...rows: Row[]): Row[] => rows.map((each) => ({ ...each, of: ["pair", "type"] }));

export const KEYMAP: readonly Row[] = [
  ...reviewers(
    row(SI, "decide", "Enter", "save and open the next figure; with open conflicts, go to the next one without saving", { Enter: SAVE }),
  ),
  ...annotators(
    row(S, "decide", "Enter", "submit and open the next figure", { Enter: SAVE }),
    row(I, "decide", "Enter", "submit and open the next figure; if anything is left to judge, go there first", { Enter: SAVE }),
  ),
  row(B, "decide", "Enter", "go to the next subfigure to write; if all are written, save and open the next figure", { Enter: SAVE }),
  ...reviewers(row(SI, "decide", "Ctrl Enter", "save anyway, from anywhere", { "Ctrl+Enter": FORCE })),
  ...annotators(
    row(S, "decide", "Ctrl Enter", "submit anyway, from anywhere", { "Ctrl+Enter": FORCE }),
    row(I, "decide", "Ctrl Enter", "submit, from anywhere", { "Ctrl+Enter": FORCE }),
  ),
  row(B, "decide", "Ctrl Enter", "save anyway, from anywhere: the others get no subcaption", { "Ctrl+Enter": FORCE }),
  ...reviewers(row(SI, "decide", "J  K", "next, previous open conflict", OPEN)),
  ...annotators(
    row(S, "decide", "J  K", "next, previous subfigure to check", OPEN),
    row(I, "decide", "J  K", "next, previous item to judge", OPEN),
  ),
  row(B, "decide", "J  K", "next, previous subfigure to write", OPEN),
  row(SB, "decide", "Up  Down", "previous, next subfigure (also Shift J, Shift K)", EACH),
  row(I, "decide", "Up  Down", "previous, next item (also Shift J, Shift K)", EACH),
  row(S, "decide", "A", "accept the subfigure", { a: act({ type: "accept" }) }),
  row(I, "decide", "A", "accept it as it is, and go to the next open one", { a: act({ type: "accept" }) }),
  row(B, "decide", "A", "the same as J, once this one is written", { a: act({ type: "accept" }) }),
  row(S, "decide", "R  Delete", "reject it", {
    r: act({ type: "reject" }), Delete: act({ type: "reject" }), Backspace: act({ type: "reject" }),
  }),
  row(S, "decide", "Alt Up  Alt Down", "move it up, down in the list; or drag its row", {
    "Alt+ArrowUp": act({ type: "reorder", by: -1 }), "Alt+ArrowDown": act({ type: "reorder", by: 1 }),
  }),
  ...reviewers(
    row(I, "decide", "1 – 9", "use that annotator's answer, and resolve the conflict", digits("", (annotator) => act({ type: "adopt", annotator }))),
    row(I, "decide", "T  1 – 9", "use that annotator's answers for everything open: two presses", TAKING),
  ),
  ...annotators(...imported(row(I, "decide", "1", "use the prediction's answer", { "1": act({ type: "adopt", annotator: 0 }) }))),
  ...imported(row(I, "decide", "0", "as imported", { "0": act({ type: "original" }) })),
  ...reviewers(row(SI, "decide", "X", "reject the whole figure, or defer it, with a note", { x: { do: "reject-figure" } })),
  ...annotators(row(SI, "decide", "X", "reject the figure as unfit, or leave it out, with the reason", { x: { do: "reject-figure" } })),
  row(B, "decide", "X", "mark the whole figure as unfit, with the reason", { x: { do: "reject-figure" } }),
  row(SI, "decide", "P", "skip the figure: it stays open and moves to the end", { p: { do: "skip" } }),
  row(B, "decide", "P", "skip the figure: it stays open; your marks stay in this browser", { p: { do: "skip" } }),
  ...annotators(row(SI, "decide", "U", "undo your last submission, and open its figure again", { u: { do: "undo-submission" } })),
  row(S, "decide", "Ctrl Z  Ctrl Shift Z", "undo, redo: boxes and text alike", UNDO),
  row(IB, "decide", "Ctrl Z  Ctrl Shift Z", "undo, redo", UNDO),

  row(SB, "caption", "Left  Right", "move along the tokens; with Shift, select a run", {
    ArrowLeft: move(-1, false), ArrowRight: move(1, false), "Shift+ArrowLeft": move(-1, true), "Shift+ArrowRight": move(1, true),
  }),
  row(SB, "caption", "Space", "token or run in or out", { " ": act({ type: "toggle" }) }),
  ...reviewers(
    row(S, "caption", ".  ,", "next, previous token that differs", {
      ".": act({ type: "differing", by: 1 }), ",": act({ type: "differing", by: -1 }),
    }),
  ),
  row(SB, "caption", "]  [", "one token more, fewer at the span's end", { "]": adjust("end", 1), "[": adjust("end", -1) }),
  row(SB, "caption", "{  }", "one token more, fewer at its start", { "{": adjust("start", 1), "}": adjust("start", -1) }),
  ...reviewers(
    row(S, "caption", "1 – 9", "use the text of that annotator, and resolve the conflict", digits("", adoptText)),
    row(S, "caption", "Shift 1 – 9", "use the box as well", digits("Shift+", adoptBox)),
    row(S, "caption", "T  1 – 9", "use that annotator's work for everything open: two presses", TAKING),
    row(SI, "caption", "", "", { ...digits("", adoptOpen), ...digits("Shift+", adoptOpen) }, "taking"),
    row(S, "caption", "W", "swap texts with the subfigure it was confused with, else the next", SWAP),
  ),
  ...annotators(
    row(S, "caption", "1", "use the prediction's text", { "1": adoptText(0) }),
    row(S, "caption", "Shift 1", "use its box as well", { "Shift+1": adoptBox(0) }),
    row(S, "caption", "W", "swap texts with the next subfigure", SWAP),
  ),
  row(SB, "caption", "0", "no subcaption", { "0": act({ type: "none" }) }),
  row(SB, "caption", "Drag  Double-click", "a run in or out; the clause in or out", {}),

  row(S, "image", "N", "draw a new box: then drag, or Enter puts one in the middle for the arrows", { n: { do: "draw", several: false } }),
  row(S, "image", "Shift N", "draw several boxes, a drag each; Esc stops", { "Shift+n": { do: "draw", several: true } }),
  row(S, "image", "L", "change the label; one that is used changes places, with its text", { l: { do: "label" } }),
  row(S, "image", "Shift L", "number all in reading order; each text stays with its label", { "Shift+l": act({ type: "number" }) }),
  row(S, "image", "B  C", "to the boxes, back to the caption", { b: { do: "image" }, c: { do: "home" } }),
  row(B, "image", "C", "to the caption", { c: { do: "home" } }),
  row(S, "image", "Arrows", "move the box; with Shift by ten", nudges("", false), "image"),
  row(S, "image", "Alt Arrows", "resize it; with Shift by ten", nudges("Alt+", true), "image"),
  row(ALL, "image", "+  -  F", "zoom in, zoom out, fit", ZOOM),
  row(SB, "image", "Ctrl wheel", "zoom; drag with Space or the middle button to move the image", { " ": { do: "pan" } }, "image"),
  row(I, "image", "Ctrl wheel", "zoom; drag to move the image", {}),
  ...reviewers(
    row(S, "image", "V", "annotators' boxes on and off", LAYERS),
    row(S, "image", "Alt 1 – 9", "boxes of one annotator on and off", digits("Alt+", (annotator) => ({ do: "layer", annotator }))),
  ),
  ...annotators(row(S, "image", "V", "the prediction's boxes on and off", LAYERS)),

  row(I, "pair", "C", "correct as imported", { c: act({ type: "correct" }) }),
  row(I, "pair", "I", "incorrect: edit question, options, answer, type; Tab for the next field, Enter to finish", { i: { do: "edit" } }),
  row(I, "pair", "N", "a note on the pair", { n: { do: "pair-note" } }),

  row(I, "type", "Left  Right", "move along the types", {
    ArrowLeft: act({ type: "cursor", by: -1 }), ArrowRight: act({ type: "cursor", by: 1 }),
  }, "type"),
  ...reviewers(
    row(I, "type", ".  ,", "next, previous type that differs", {
      ".": act({ type: "cursor", by: 1, disputed: true }), ",": act({ type: "cursor", by: -1, disputed: true }),
    }, "type"),
  ),
  row(I, "type", "Space", "type in or out", { " ": act({ type: "toggle-type" }) }, "type"),
  row(I, "type", "D", "compound or not", { d: act({ type: "compound" }) }, "type"),
  row(I, "type", "]  [", "one subfigure more, fewer", {
    "]": act({ type: "count", by: 1 }), "[": act({ type: "count", by: -1 }),
  }, "type"),

  ...annotators(
    row(I, "answer", "1 – 9", "that option in or out", digits("", (option) => act({ type: "pick", option })), "answer"),
    row(I, "answer", "I", "write the answer; Enter to finish", { i: { do: "edit" } }, "answer"),
    row(I, "answer", "C", "it cannot be answered", { c: act({ type: "unanswerable" }) }, "answer"),
    row(I, "answer", "D", "you don't know: say why in the note (N)", { d: act({ type: "unknown" }) }, "answer"),
  ),

  ...reviewers(
    row(SI, "around", "M", "write a note on the figure", { m: { do: "note" } }),
    row(SI, "around", "E", "set the kind of error", { e: { do: "error-kind" } }),
    row(SI, "around", "Q", "write a question for the guidelines, which flags the figure", { q: { do: "flag" } }),
    row(SI, "around", "Shift S", "request a second reviewer", { "Shift+s": { do: "second" } }),
  ),
  row(ALL, "around", "G", "show or hide the guidelines", { g: { do: "guideline" } }),
  row(SI, "around", "O", "show or hide the comments on the figure; Enter sends what you write there", { o: { do: "comments" } }),
  ...reviewers(
    row(SI, "around", "H", "show all decisions on this figure", { h: { do: "history" } }),
    row(S, "around", "Y", "open the figure's type and pairs, if it has any", { y: { do: "other-screen" } }),
    row(I, "around", "Y", "open the figure's subfigures, if it has any", { y: { do: "other-screen" } }),
  ),
  row(ALL, "around", "Tab  Left  Right", "with Tab on the line between figure and text: move it (Home, End; Enter resets); or drag it", {}),
  row(ALL, "around", "Esc", "leave a field, stop drawing, close", { Escape: { do: "escape" } }),
  row(ALL, "around", "?", "show this sheet", { "?": { do: "sheet" } }),

  ...reviewers(
    row(SI, "conflict", "Up  Down", "previous, next line that differs (also K, J)", {
      ArrowUp: { do: "conflict-row", by: -1 }, ArrowDown: { do: "conflict-row", by: 1 },
      k: { do: "conflict-row", by: -1 }, j: { do: "conflict-row", by: 1 },
    }, "conflict"),
    row(SI, "conflict", "Left  Right  B", "on this line, keep yours, theirs, both", {
      ArrowLeft: pick("mine"), ArrowRight: pick("theirs"), b: pick("merged"),
    }, "conflict"),
    row(SI, "conflict", "S", "save the lines as chosen", { s: { do: "save-merge" } }, "conflict"),
    row(SI, "conflict", "M", "keep your decision", { m: { do: "keep-mine" } }, "conflict"),
    row(SI, "conflict", "T", "use the other reviewer's decision", { t: { do: "take-theirs" } }, "conflict"),
  ),
  row(B, "conflict", "M  T", "saved in another tab: save this instead, or use what is saved", OTHER_TAB, "conflict"),
  ...annotators(row(SI, "conflict", "M  T", "saved in another tab: submit this instead, or use what is saved", OTHER_TAB, "conflict")),
  row(ALL, "draft", "D", "discard it", { d: { do: "discard-draft" } }, "draft"),
  row(ALL, "draft", "U", "restore work that is older than what is saved", { u: { do: "restore-draft" } }, "draft"),
];

/** A line of the sheet of one screen. */
export interface Line {
  keys: readonly string[];
  text: string;
}

/** Titles of groups in other words: on blind work, and on an annotator's own tasks. */
const BLIND_TITLES: Partial<typeof TITLES> = { decide: "Write", conflict: "Saved in another tab" };
const OWN_TITLES: Partial<typeof TITLES> = { decide: "Work", conflict: "Saved in another tab" };

/** The sheet of a screen, in groups. absent: what the figure on the screen does not have. */
export function sheetOf(screen: ScreenName, who: Who, absent: readonly Group[] = []): { title: string; lines: Line[] }[] {
  const serves = ({ group, of = [group] }: Row) => of.some((each) => !absent.includes(each));
  const rows = KEYMAP.filter((each) => each.on.includes(screen) && each.text !== "" && (each.who ?? who) === who && serves(each));
  const groups = [...new Set(rows.map(({ group }) => group))];
  const titles = { ...TITLES, ...(screen === "blind" ? BLIND_TITLES : who === "annotator" ? OWN_TITLES : {}) };
  return groups.map((group) => ({
    title: titles[group],
    lines: rows.filter((each) => each.group === group).map(({ keys, text }) => ({ keys: keys.split("  "), text })),
  }));
}

/** The same as a table of docs/reference/keys.md. */
export function tableOf(screen: ScreenName, who: Who): string {
  const lines = sheetOf(screen, who).flatMap(({ title, lines }) =>
    lines.map(({ keys, text }) => `| ${title} | ${keys.map((key) => `\`${key}\``).join(" ")} | ${text} |`),
  );
  return ["| where | key | what |", "|---|---|---|", ...lines].join("\n");
}
