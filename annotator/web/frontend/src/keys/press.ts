/** Which command a press gives, by the table of keys. Pure: an event in, a command out. */

import { KEYMAP, type Row, type ScreenName, type When, type Who } from "./keymap";
import type { Command } from "./command";

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
  on: ScreenName;
  who: Who;
  field: "text" | "select" | "button" | "reading" | null;
  sheet: boolean;
  /** Whether another reviewer's decision waits for an answer. */
  overtaken: boolean;
  /** Whether unsaved work of an earlier visit waits for an answer. */
  draft: boolean;
  /** Whether the next digit names an annotator for all that is open. */
  taking: boolean;
  /** What the keys work on, where it has keys of its own. */
  part: "image" | "type" | "answer" | null;
  /** Whether the caption runs from right to left: then the arrows swap. */
  rtl: boolean;
}

const SCROLLS = new Set([" ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Enter"]);

export function commandFor(press: Press, place: Place): Command | null {
  const names = namesOf(press);
  const { key } = press;
  if (key === "Escape" || names[0] === "Ctrl+Enter") return find(names, place, []);
  if (/^Ctrl\+(Shift\+)?[zy]$/.test(names[0] as string)) {
    // Annotorious would undo a box behind our back: it must never see this key, in a text field least of all.
    return place.field === "text" ? { do: "shield" } : find(names, place, []);
  }
  if (place.field === "select" && key === "Enter") return { do: "home" };
  if (place.field === "text" || place.field === "select" || place.sheet) return null;
  const answer = find(names, place, [place.overtaken && "conflict", place.draft && "draft"], false);
  if (answer) return answer;
  // The guidelines are scrolled, and the divider is moved, by keys of their own.
  if (place.field === "reading" && SCROLLS.has(key)) return null;
  if (place.field === "button" && (key === "Enter" || key === " ")) return null;
  return find(names, place, [place.taking && "taking", place.part]);
}

/** The command of the first row that has one of the names: of those that hold `when`, then (`plain`) of those that always do. */
function find(names: readonly string[], place: Place, when: readonly (When | false | null)[], plain = true): Command | null {
  for (const each of [...when.filter((one) => one !== false && one !== null), ...(plain ? [undefined] : [])]) {
    for (const name of names) {
      const rows = KEYMAP.filter((row) => row.when === each && name in row.presses && (row.who ?? place.who) === place.who);
      const command = rows.find(({ on }) => on.includes(place.on))?.presses[name];
      if (command) return turned(command, place.rtl);
      if (place.on === "blind" && each !== "conflict" && rows.some(lockedRow)) return { do: "locked" };
    }
  }
  return null;
}

/** Blind work is on the screen of subfigures, of which it lacks what changes a box or shows other people's work. */
function lockedRow({ on }: Row): boolean {
  return on.includes("subfigures");
}

function turned(command: Command, rtl: boolean): Command {
  if (!rtl || command.do !== "act" || command.action.type !== "move") return command;
  return { do: "act", action: { ...command.action, by: command.action.by === 1 ? -1 : 1 } };
}

/** What the table may call a press, closest first: where Shift has no meaning of its own, the name without it too. */
function namesOf(press: Press): string[] {
  const ctrl = press.ctrlKey || press.metaKey;
  if (press.key === "Escape") return ["Escape"];
  if (press.key === "Enter") return [ctrl ? "Ctrl+Enter" : "Enter"];
  // AltGr gives these on many keyboards, and arrives as Ctrl+Alt.
  if (/^[[\]{}]$/.test(press.key)) return press.metaKey || (press.ctrlKey && !press.altKey) ? [""] : [press.key];
  const digit = digitOf(press);
  const base = digit ?? letterOf(press);
  const held = (ctrl ? "Ctrl+" : "") + (press.altKey ? "Alt+" : "");
  // A character such as "?" says already that Shift is held.
  if (!press.shiftKey || (digit === null && /^[^a-z ]$/.test(base))) return [held + base];
  const plain = digit === null ? !press.altKey : press.altKey || press.key === digit;
  return plain ? [`${held}Shift+${base}`, held + base] : [`${held}Shift+${base}`];
}

/** The letter pressed; on a layout without Latin letters, the one at its place. */
function letterOf(press: Press): string {
  if (/^[\x20-\x7e]$/.test(press.key)) return press.key.toLowerCase();
  return /^Key[A-Z]$/.test(press.code) ? press.code.slice(3).toLowerCase() : press.key;
}

function digitOf(press: Press): string | null {
  if (/^[0-9]$/.test(press.key)) return press.key;
  const code = /^Digit([0-9])$/.exec(press.code);
  return code && (press.shiftKey || press.altKey) ? (code[1] as string) : null;
}
