/** Which key does what, and where. Pure: an event in, a command out. */

import type { Action } from "./model";

export interface Press {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** field: what kind of control holds the focus, null for none that takes keys of its own. */
export interface Place {
  pane: "caption" | "image";
  field: "text" | "select" | "button" | null;
  sheet: boolean;
  /** Whether another reviewer's decision waits for an answer. */
  overtaken: boolean;
  /** Whether the caption runs from right to left: then the arrows swap. */
  rtl: boolean;
}

export type Command =
  | { do: "act"; action: Action }
  | { do: "save"; forced: boolean }
  | { do: "draw" | "reject-figure" | "relabel" | "sheet" | "note" | "escape" | "caption" | "image" | "fit" }
  | { do: "zoom"; by: 1 | -1 }
  | { do: "layers" | "pan" | "keep-mine" | "take-theirs" }
  | { do: "layer"; annotator: number }
  /** Ours alone: nothing happens, and no other listener sees the key. The browser's own default stays. */
  | { do: "shield" };

const act = (action: Action): Command => ({ do: "act", action });

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The letter pressed; on a layout without Latin letters, the one at its place. */
function letterOf(press: Press): string {
  if (/^[\x20-\x7e]$/.test(press.key)) return press.key.toLowerCase();
  return /^Key[A-Z]$/.test(press.code) ? press.code.slice(3).toLowerCase() : press.key;
}

export function commandFor(press: Press, place: Place): Command | null {
  const ctrl = press.ctrlKey || press.metaKey;
  const letter = letterOf(press);
  if (press.key === "Escape") return { do: "escape" };
  if (press.key === "Enter" && ctrl) return { do: "save", forced: true };
  if (ctrl && !press.altKey && (letter === "z" || letter === "y")) {
    // Annotorious would undo a box behind our back: it must never see this key, in a text field least of all.
    if (place.field === "text") return { do: "shield" };
    return act({ type: letter === "y" || press.shiftKey ? "redo" : "undo" });
  }
  if (place.field === "select" && press.key === "Enter") return { do: "caption" };
  if (place.field === "text" || place.field === "select" || place.sheet) return null;
  if (place.overtaken && !ctrl && !press.altKey) {
    if (letter === "t") return { do: "take-theirs" };
    if (letter === "m") return { do: "keep-mine" };
  }
  const bracket = bracketFor(press);
  if (bracket) return bracket;
  if (ctrl) return null;
  if (place.field === "button" && (press.key === "Enter" || press.key === " ")) return null;
  if (press.key === "Enter") return { do: "save", forced: false };
  const arrow = ARROWS[press.key];
  if (arrow) return place.pane === "image" ? nudgeFor(press, arrow) : moveFor(press, arrow, place.rtl);
  const digit = digitOf(press);
  if (digit !== null) return digitFor(press, digit);
  return press.altKey ? null : letterFor(press, letter, place);
}

function bracketFor(press: Press): Command | null {
  // AltGr gives these on many keyboards, and arrives as Ctrl+Alt.
  if (press.metaKey || (press.ctrlKey && !press.altKey)) return null;
  switch (press.key) {
    case "[":
      return act({ type: "adjust", edge: "end", by: -1 });
    case "]":
      return act({ type: "adjust", edge: "end", by: 1 });
    case "{":
      return act({ type: "adjust", edge: "start", by: 1 });
    case "}":
      return act({ type: "adjust", edge: "start", by: -1 });
    default:
      return null;
  }
}

function nudgeFor(press: Press, [x, y]: readonly [number, number]): Command {
  const far = press.shiftKey ? 10 : 1;
  return act({ type: "nudge", dx: x * far, dy: y * far, resize: press.altKey });
}

function moveFor(press: Press, [x, y]: readonly [number, number], rtl: boolean): Command | null {
  if (press.altKey) return null;
  if (y !== 0) return act({ type: "step", by: y as 1 | -1, among: "all" });
  return act({ type: "move", by: (rtl ? -x : x) as 1 | -1, extend: press.shiftKey });
}

function digitOf(press: Press): number | null {
  if (/^[0-9]$/.test(press.key)) return Number(press.key);
  const code = /^Digit([0-9])$/.exec(press.code);
  return code && (press.shiftKey || press.altKey) ? Number(code[1]) : null;
}

function digitFor(press: Press, digit: number): Command | null {
  if (press.altKey) return digit === 0 ? { do: "layers" } : { do: "layer", annotator: digit - 1 };
  if (digit === 0) return press.shiftKey ? null : act({ type: "none" });
  return act({ type: "adopt", annotator: digit - 1, box: press.shiftKey });
}

function letterFor(press: Press, letter: string, place: Place): Command | null {
  switch (letter) {
    case " ":
      return place.pane === "caption" ? act({ type: "toggle" }) : { do: "pan" };
    case "a":
      return act({ type: "accept" });
    case "r":
    case "Delete":
    case "Backspace":
      return act({ type: "reject" });
    case "j":
    case "k":
      return act({ type: "step", by: letter === "j" ? 1 : -1, among: press.shiftKey ? "all" : "open" });
    case ",":
    case ".":
      return act({ type: "differing", by: letter === "." ? 1 : -1 });
    case "n":
      return { do: "draw" };
    case "x":
      return { do: "reject-figure" };
    case "l":
      return { do: "relabel" };
    case "m":
      return { do: "note" };
    case "c":
      return { do: "caption" };
    case "b":
      return { do: "image" };
    case "v":
      return { do: "layers" };
    case "f":
      return { do: "fit" };
    case "+":
    case "=":
      return { do: "zoom", by: 1 };
    case "-":
    case "_":
      return { do: "zoom", by: -1 };
    case "?":
      return { do: "sheet" };
    default:
      return null;
  }
}

/** The shortcut sheet, in groups. */
export const SHEET: readonly { title: string; rows: readonly (readonly [string, string])[] }[] = [
  {
    title: "Settle",
    rows: [
      ["Enter", "save and go on; with conflicts open, go to the next one"],
      ["Ctrl Enter", "save all the same, from anywhere"],
      ["J  K", "next, previous open conflict"],
      ["Up  Down", "previous, next subfigure (also Shift J, K)"],
      ["A", "accept the subfigure"],
      ["R  Delete", "reject it"],
      ["X", "reject or put off the whole figure"],
      ["Ctrl Z  Ctrl Shift Z", "undo, redo: boxes and text alike"],
    ],
  },
  {
    title: "Caption",
    rows: [
      ["Left  Right", "move along the tokens; with Shift, select a run"],
      ["Space", "token or run in or out"],
      [".  ,", "next, previous token that differs"],
      ["]  [", "one token more, fewer at the span's end"],
      ["{  }", "one token more, fewer at its start"],
      ["1 – 9", "take the annotator's text; with Shift, the box as well"],
      ["0", "no subcaption"],
      ["Drag", "a run in or out; double-click takes the clause"],
    ],
  },
  {
    title: "Image",
    rows: [
      ["N", "draw a new box: then drag"],
      ["L", "change the label"],
      ["B", "to the boxes: arrows move, Alt resizes, Shift by ten"],
      ["C", "back to the caption"],
      ["+  -  F", "closer, further, fit"],
      ["Ctrl wheel", "zoom; drag with Space or the middle button to pan"],
      ["V", "annotators' boxes on and off; Alt 1 – 9 for one"],
    ],
  },
  { title: "Else", rows: [["M", "note"], ["Esc", "leave a field, stop drawing, close"], ["?", "this sheet"]] },
];
