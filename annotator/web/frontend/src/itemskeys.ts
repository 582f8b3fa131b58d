/** Which key does what on the screen of types and pairs. Pure: an event in, a command out. */

import type { ItemsAction } from "./itemsmodel";
import type { Press } from "./keys";

/** field: what kind of control holds the focus. kind: whether the figure's type is chosen, not a pair. */
export interface ItemsPlace {
  field: "text" | "select" | "button" | "reading" | null;
  kind: boolean;
  sheet: boolean;
  overtaken: boolean;
  draft: boolean;
  taking: boolean;
}

export type ItemsCommand =
  | { do: "act"; action: ItemsAction }
  | { do: "save"; forced: boolean }
  | { do: "edit" | "reject-figure" | "pair-note" | "note" | "error-kind" | "flag" | "guideline" | "sheet" | "escape" | "caption" }
  | { do: "taking" | "second" | "history" | "skip" | "other-screen" | "fit" | "restore-draft" | "discard-draft" }
  | { do: "zoom"; by: 1 | -1 }
  | { do: "keep-mine" | "take-theirs" | "save-merge" }
  | { do: "conflict-row"; by: 1 | -1 }
  | { do: "conflict-pick"; side: "mine" | "theirs" | "merged" };

const act = (action: ItemsAction): ItemsCommand => ({ do: "act", action });

const SCROLLS = new Set([" ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Enter"]);

/** The letter pressed; on a layout without Latin letters, the one at its place. */
function letterOf(press: Press): string {
  if (/^[\x20-\x7e]$/.test(press.key)) return press.key.toLowerCase();
  return /^Key[A-Z]$/.test(press.code) ? press.code.slice(3).toLowerCase() : press.key;
}

export function commandFor(press: Press, place: ItemsPlace): ItemsCommand | null {
  const ctrl = press.ctrlKey || press.metaKey;
  const letter = letterOf(press);
  if (press.key === "Escape") return { do: "escape" };
  if (press.key === "Enter" && ctrl) return { do: "save", forced: true };
  if (place.field === "select" && press.key === "Enter") return { do: "caption" };
  if (place.field === "text" || place.field === "select" || place.sheet) return null;
  if (ctrl && !press.altKey && (letter === "z" || letter === "y")) {
    return act({ type: letter === "y" || press.shiftKey ? "redo" : "undo" });
  }
  if (place.overtaken && !ctrl && !press.altKey) {
    const answer = conflictFor(press, letter);
    if (answer) return answer;
  }
  if (place.draft && !ctrl && !press.altKey) {
    if (letter === "u") return { do: "restore-draft" };
    if (letter === "d") return { do: "discard-draft" };
  }
  const typed = place.kind && !press.metaKey && (!press.ctrlKey || press.altKey) ? bracketFor(press) : null;
  if (typed) return typed;
  if (ctrl || press.altKey) return null;
  // The guidelines are scrolled by the browser's own keys.
  if (place.field === "reading" && SCROLLS.has(press.key)) return null;
  if (place.field === "button" && (press.key === "Enter" || press.key === " ")) return null;
  if (press.key === "Enter") return { do: "save", forced: false };
  if (press.key === "ArrowUp" || press.key === "ArrowDown") {
    return act({ type: "step", by: press.key === "ArrowDown" ? 1 : -1, among: "all" });
  }
  if (/^[0-9]$/.test(press.key)) return digitFor(Number(press.key), place);
  return (place.kind ? kindFor(press, letter) : null) ?? letterFor(press, letter);
}

/** The comparison with a colleague's decision stands over the items: its keys go first. */
function conflictFor(press: Press, letter: string): ItemsCommand | null {
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

/** AltGr gives these on many keyboards, and arrives as Ctrl+Alt. */
function bracketFor(press: Press): ItemsCommand | null {
  if (press.key === "]") return act({ type: "count", by: 1 });
  return press.key === "[" ? act({ type: "count", by: -1 }) : null;
}

function digitFor(digit: number, place: ItemsPlace): ItemsCommand {
  if (digit === 0) return act({ type: "original" });
  return act({ type: place.taking ? "adopt-open" : "adopt", annotator: digit - 1 });
}

/** Keys of the figure's type alone. */
function kindFor(press: Press, letter: string): ItemsCommand | null {
  switch (press.key) {
    case "ArrowLeft":
      return act({ type: "cursor", by: -1 });
    case "ArrowRight":
      return act({ type: "cursor", by: 1 });
    case " ":
      return act({ type: "toggle-type" });
    case ".":
      return act({ type: "cursor", by: 1, disputed: true });
    case ",":
      return act({ type: "cursor", by: -1, disputed: true });
  }
  return letter === "d" ? act({ type: "compound" }) : null;
}

function letterFor(press: Press, letter: string): ItemsCommand | null {
  switch (letter) {
    case "a":
      return act({ type: "accept" });
    case "c":
      return act({ type: "correct" });
    case "i":
      return { do: "edit" };
    case "j":
    case "k":
      return act({ type: "step", by: letter === "j" ? 1 : -1, among: press.shiftKey ? "all" : "open" });
    case "n":
      return { do: "pair-note" };
    case "m":
      return { do: "note" };
    case "e":
      return { do: "error-kind" };
    case "q":
      return { do: "flag" };
    case "s":
      return press.shiftKey ? { do: "second" } : null;
    case "t":
      return { do: "taking" };
    case "x":
      return { do: "reject-figure" };
    case "p":
      return { do: "skip" };
    case "g":
      return { do: "guideline" };
    case "h":
      return { do: "history" };
    case "y":
      return { do: "other-screen" };
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
