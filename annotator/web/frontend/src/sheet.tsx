/** The sheet of keys. docs/reference/keys.md holds the same lines; tests hold them against what the keys do. */

import type { Session } from "./session";

/** keys: as a person reads them; each is one press, or what `presses` spells out. */
export interface Line {
  keys: readonly string[];
  what: string;
  presses: readonly string[];
}

const digits = (before: string): string[] => Array.from({ length: 9 }, (_, i) => `${before}${i + 1}`);
const arrows = (before: string): string[] => ["Left", "Right", "Up", "Down"].map((way) => `${before}Arrow${way}`);
const line = (keys: string, what: string, presses: readonly string[]): Line => ({ keys: keys.split("  "), what, presses });

export interface Group {
  title: string;
  lines: readonly Line[];
}

export const SHEET: readonly Group[] = [
  {
    title: "Settle",
    lines: [
      line("Enter", "save and go on; with conflicts open, go to the next one and save nothing", ["Enter"]),
      line("Ctrl Enter", "save all the same, from anywhere", ["Ctrl+Enter"]),
      line("J  K", "next, previous open conflict", ["j", "k"]),
      line("Up  Down", "previous, next subfigure (also Shift J, Shift K)", ["ArrowUp", "ArrowDown", "Shift+j", "Shift+k"]),
      line("A", "accept the subfigure", ["a"]),
      line("R  Delete", "reject it", ["r", "Delete", "Backspace"]),
      line("Alt Up  Alt Down", "put it further up, down; or drag its row", ["Alt+ArrowUp", "Alt+ArrowDown"]),
      line("X", "reject the whole figure, or put it off, with a note", ["x"]),
      line("P", "skip the figure: it stays open, and comes last", ["p"]),
      line("Ctrl Z  Ctrl Shift Z", "undo, redo: boxes and text alike", ["Ctrl+z", "Ctrl+Shift+z", "Ctrl+y"]),
    ],
  },
  {
    title: "Caption",
    lines: [
      line("Left  Right", "move along the tokens; with Shift, select a run", [
        "ArrowLeft", "ArrowRight", "Shift+ArrowLeft", "Shift+ArrowRight",
      ]),
      line("Space", "token or run in or out", [" "]),
      line(".  ,", "next, previous token that differs", [".", ","]),
      line("]  [", "one token more, fewer at the span's end", ["]", "["]),
      line("{  }", "one token more, fewer at its start", ["{", "}"]),
      line("1 – 9", "take the text of that annotator", digits("")),
      line("Shift 1 – 9", "take the box as well", digits("Shift+")),
      line("T  1 – 9", "take all that is open from that annotator: two presses", ["t", ...digits("")]),
      line("W", "swap its text with the subfigure that it was mixed up with, else the next", ["w"]),
      line("0", "no subcaption", ["0"]),
      line("Drag  Double-click", "a run in or out; the clause", []),
    ],
  },
  {
    title: "Image",
    lines: [
      line("N", "draw a new box: then drag", ["n"]),
      line("L", "change the label", ["l"]),
      line("B  C", "to the boxes, back to the caption", ["b", "c"]),
      line("Arrows", "move the box; with Shift by ten", [...arrows(""), ...arrows("Shift+")]),
      line("Alt Arrows", "resize it; with Shift by ten", [...arrows("Alt+"), ...arrows("Alt+Shift+")]),
      line("+  -  F", "closer, further, fit", ["+", "=", "-", "_", "f"]),
      line("Ctrl wheel", "zoom; drag with Space or the middle button to move the image", [" "]),
      line("V", "annotators' boxes on and off", ["v", "Alt+0"]),
      line("Alt 1 – 9", "those of one annotator", digits("Alt+")),
    ],
  },
  {
    title: "Beside the note",
    lines: [
      line("M", "write a note", ["m"]),
      line("E", "name the kind of error", ["e"]),
      line("Q", "ask a question for the guidelines: flags the figure", ["q"]),
      line("Shift S", "ask another reviewer", ["Shift+s"]),
      line("G", "the guidelines, and away with them", ["g"]),
      line("H", "every decision on this figure", ["h"]),
      line("Y", "to the figure's type and pairs, where it has some", ["y"]),
      line("Esc", "leave a field, stop drawing, close", ["Escape"]),
      line("?", "this sheet", ["?"]),
    ],
  },
  {
    title: "Another was faster",
    lines: [
      line("Up  Down", "previous, next line that differs (also K, J)", ["ArrowUp", "ArrowDown", "j", "k"]),
      line("Left  Right  B", "of this line mine, theirs, both", ["ArrowLeft", "ArrowRight", "b"]),
      line("S", "save the lines as chosen", ["s"]),
      line("M", "keep mine", ["m"]),
      line("T", "take theirs", ["t"]),
    ],
  },
  {
    title: "Unsaved work found",
    lines: [
      line("D", "discard it", ["d"]),
      line("U", "restore what is older than the decision", ["u"]),
    ],
  },
];

/** The lines that hold where subfigures are given: what changes boxes or speaks of others is not on them. */
export const BLIND_SHEET: typeof SHEET = [
  {
    title: "Write",
    lines: [
      line("Enter", "on to the next subfigure to write; with all written, save and go on", ["Enter"]),
      line("Ctrl Enter", "save all the same, from anywhere: what is left has no subcaption", ["Ctrl+Enter"]),
      line("J  K", "next, previous subfigure to write", ["j", "k"]),
      line("Up  Down", "previous, next subfigure (also Shift J, Shift K)", ["ArrowUp", "ArrowDown", "Shift+j", "Shift+k"]),
      line("A", "the same as J, once this one is written", ["a"]),
      line("X", "mark the whole figure as unfit", ["x"]),
      line("P", "later: leave the figure as it is and go on", ["p"]),
      line("Ctrl Z  Ctrl Shift Z", "undo, redo", ["Ctrl+z", "Ctrl+Shift+z", "Ctrl+y"]),
    ],
  },
  {
    title: "Words",
    lines: [
      line("Left  Right", "move along the tokens; with Shift, select a run", [
        "ArrowLeft", "ArrowRight", "Shift+ArrowLeft", "Shift+ArrowRight",
      ]),
      line("Space", "token or run in or out", [" "]),
      line("]  [", "one token more, fewer at the span's end", ["]", "["]),
      line("{  }", "one token more, fewer at its start", ["{", "}"]),
      line("0", "no subcaption", ["0"]),
      line("Drag  Double-click", "a run in or out; the clause", []),
    ],
  },
  {
    title: "Around",
    lines: [
      line("+  -  F", "closer, further, fit", ["+", "=", "-", "_", "f"]),
      line("Ctrl wheel", "zoom; drag with the middle button to move the image", []),
      line("C", "to the caption", ["c"]),
      line("G", "the guidelines, and away with them", ["g"]),
      line("D  U", "unsaved work found: discard it, or restore what is older than what was saved", ["d", "u"]),
      line("M  T", "saved in another tab: save this instead, take what is saved", ["m", "t"]),
      line("Esc", "close", ["Escape"]),
      line("?", "this sheet", ["?"]),
    ],
  },
];

export function Sheet({ session }: { session: Session }) {
  if (!session.screen.sheet) return null;
  const sheet = session.model.state.blind ? BLIND_SHEET : SHEET;
  return <KeySheet groups={sheet} onClose={() => session.run({ do: "escape" })} />;
}

/** The sheet of whichever screen. */
export function KeySheet({ groups, onClose }: { groups: readonly Group[]; onClose: () => void }) {
  return (
    <div class="sheet" role="dialog" aria-label="Keys" id="sheet" tabIndex={-1}>
      <div class="sheet-head">
        <h2>Keys</h2>
        <button type="button" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <div class="groups">
        {groups.map(({ title, lines }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(({ keys, what }) => [
                <dt key={keys.join()}>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>,
                <dd key={what}>{what}</dd>,
              ])}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}
