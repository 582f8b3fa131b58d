/** The sheet of keys of types and pairs. docs/reference/keys.md holds the same lines; a test holds them together. */

import { SHEET, type Group, type Line } from "./sheet";

const line = (keys: string, what: string, presses: readonly string[]): Line => ({ keys: keys.split("  "), what, presses });
const digits = Array.from({ length: 9 }, (_, i) => String(i + 1));

export const ITEMS_SHEET: readonly Group[] = [
  {
    title: "Settle types and pairs",
    lines: [
      line("Enter", "save and go on; with conflicts open, go to the next one and save nothing", ["Enter"]),
      line("Ctrl Enter", "save all the same, from anywhere", ["Ctrl+Enter"]),
      line("J  K", "next, previous open conflict", ["j", "k"]),
      line("Up  Down", "previous, next item (also Shift J, Shift K)", ["ArrowUp", "ArrowDown", "Shift+j", "Shift+k"]),
      line("1 – 9", "take that annotator's word", digits),
      line("T  1 – 9", "take all that is open from that annotator: two presses", ["t", ...digits]),
      line("A", "accept it as it stands, and go to the next open one", ["a"]),
      line("0", "as it came", ["0"]),
      line("X", "reject the whole figure, or put it off, with a note", ["x"]),
      line("P", "skip the figure: it stays open, and comes last", ["p"]),
      line("Ctrl Z  Ctrl Shift Z", "undo, redo", ["Ctrl+z", "Ctrl+Shift+z", "Ctrl+y"]),
    ],
  },
  {
    title: "A pair",
    lines: [
      line("C", "correct as it came", ["c"]),
      line("I", "incorrect: edit question, options, answer, type; Tab goes on, Enter is done", ["i"]),
      line("N", "a note on the pair", ["n"]),
    ],
  },
  {
    title: "The figure's type",
    lines: [
      line("Left  Right", "move along the types", ["ArrowLeft", "ArrowRight"]),
      line(".  ,", "next, previous type that differs", [".", ","]),
      line("Space", "type in or out", [" "]),
      line("D", "compound or not", ["d"]),
      line("]  [", "one subfigure more, fewer", ["]", "["]),
    ],
  },
  {
    title: "Around it",
    lines: [
      line("M", "write a note on the figure", ["m"]),
      line("E", "name the kind of error", ["e"]),
      line("Q", "ask a question for the guidelines: flags the figure", ["q"]),
      line("Shift S", "ask another reviewer", ["Shift+s"]),
      line("G", "the guidelines, and away with them", ["g"]),
      line("H", "every decision on this figure", ["h"]),
      line("Y", "to the figure's subfigures, where it has some", ["y"]),
      line("+  -  F", "image closer, further, fit; Ctrl wheel zooms, a drag moves it", ["+", "=", "-", "_", "f"]),
      line("Esc", "leave a field, close", ["Escape"]),
      line("?", "this sheet", ["?"]),
    ],
  },
  ...SHEET.filter(({ title }) => ["Another was faster", "Unsaved work found"].includes(title)),
];
