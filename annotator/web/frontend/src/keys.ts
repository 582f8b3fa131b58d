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
  field: "text" | "select" | "button" | "reading" | null;
  sheet: boolean;
  /** Whether another reviewer's decision waits for an answer. */
  overtaken: boolean;
  /** Whether unsaved work of an earlier visit waits for an answer. */
  draft: boolean;
  /** Whether the next digit names whose reading all that is open takes. */
  taking: boolean;
  /** Whether the caption runs from right to left: then the arrows swap. */
  rtl: boolean;
}

export type Command =
  | { do: "act"; action: Action }
  | { do: "save"; forced: boolean }
  | { do: "draw" | "reject-figure" | "relabel" | "sheet" | "note" | "error-kind" | "flag" | "guideline" | "escape" | "caption" | "image" | "fit" }
  | { do: "zoom"; by: 1 | -1 }
  | { do: "layers" | "pan" | "keep-mine" | "take-theirs" | "second" | "taking" | "history" | "items" | "skip" | "restore-draft" | "discard-draft" | "save-merge" }
  | { do: "conflict-row"; by: 1 | -1 }
  | { do: "conflict-pick"; side: "mine" | "theirs" | "merged" }
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

const SCROLLS = new Set([" ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Enter"]);

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
    const answer = conflictFor(press, letter);
    if (answer) return answer;
  }
  if (place.draft && !ctrl && !press.altKey) {
    if (letter === "u") return { do: "restore-draft" };
    if (letter === "d") return { do: "discard-draft" };
  }
  const bracket = bracketFor(press);
  if (bracket) return bracket;
  if (ctrl) return null;
  // The guidelines are scrolled by the browser's own keys.
  if (place.field === "reading" && SCROLLS.has(press.key)) return null;
  if (place.field === "button" && (press.key === "Enter" || press.key === " ")) return null;
  if (press.key === "Enter") return { do: "save", forced: false };
  const arrow = ARROWS[press.key];
  if (arrow) return place.pane === "image" ? nudgeFor(press, arrow) : moveFor(press, arrow, place.rtl);
  const digit = digitOf(press);
  if (digit !== null && digit > 0 && place.taking && !press.altKey) return act({ type: "adopt-open", annotator: digit - 1 });
  if (digit !== null) return digitFor(press, digit);
  return press.altKey ? null : letterFor(press, letter, place);
}

/** The comparison with a colleague's decision stands over the caption: its keys go first. */
function conflictFor(press: Press, letter: string): Command | null {
  if (letter === "t") return { do: "take-theirs" };
  if (letter === "m") return { do: "keep-mine" };
  if (letter === "s") return { do: "save-merge" };
  if (letter === "j" || press.key === "ArrowDown") return { do: "conflict-row", by: 1 };
  if (letter === "k" || press.key === "ArrowUp") return { do: "conflict-row", by: -1 };
  if (press.key === "ArrowLeft") return { do: "conflict-pick", side: "mine" };
  if (press.key === "ArrowRight") return { do: "conflict-pick", side: "theirs" };
  if (letter === "b") return { do: "conflict-pick", side: "merged" };
  return null;
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
  if (press.altKey) return y === 0 || press.shiftKey ? null : act({ type: "reorder", by: y as 1 | -1 });
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
    case "t":
      return { do: "taking" };
    case "w":
      return act({ type: "swap" });
    case "e":
      return { do: "error-kind" };
    case "q":
      return { do: "flag" };
    case "s":
      return press.shiftKey ? { do: "second" } : null;
    case "g":
      return { do: "guideline" };
    case "h":
      return { do: "history" };
    case "y":
      return { do: "items" };
    case "p":
      return { do: "skip" };
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
