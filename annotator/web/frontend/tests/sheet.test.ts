/** The sheet on `?`, docs/reference/keys.md and what the keys do are one and the same. */

/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import DOC from "../../../../docs/reference/keys.md?raw";
import { commandFor, type Place, type Press } from "../src/keys";
import { SHEET } from "../src/sheet";

const PLACES: Place[] = (["caption", "image"] as const).flatMap((pane) =>
  [{}, { overtaken: true }, { draft: true }, { taking: true }].map(
    (change): Place => ({ pane, field: null, sheet: false, overtaken: false, draft: false, taking: false, rtl: false, ...change }),
  ),
);
const NAMED = ["Enter", "Escape", "Delete", "Backspace", "Tab", "Home", "End", "PageUp", "PageDown", "F1"];
const PRINTED = Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i)).filter((key) => !/[A-Z]/.test(key));
const KEYS = [...PRINTED, ...NAMED, ...["Left", "Right", "Up", "Down"].map((way) => `Arrow${way}`)];
const MODIFIERS = ["", "Shift+", "Ctrl+", "Alt+", "Ctrl+Shift+", "Alt+Shift+"];

/** "Ctrl+Shift+z" as the browser tells it. */
function pressOf(name: string): Press {
  const key = /([^+]+|\+)$/.exec(name)?.[1] ?? "";
  const held = name.slice(0, name.length - key.length);
  const shiftKey = held.includes("Shift+");
  const code = /^[0-9]$/.test(key) ? `Digit${key}` : /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : "";
  const typed = shiftKey && /^[a-z]$/.test(key) ? key.toUpperCase() : key;
  return { key: typed, code, shiftKey, ctrlKey: held.includes("Ctrl+"), metaKey: false, altKey: held.includes("Alt+") };
}

const doneBy = (name: string, place: Place): string | null => {
  const command = commandFor(pressOf(name), place);
  return command === null || command.do === "shield" ? null : JSON.stringify(command);
};
const TOLD = new Set(SHEET.flatMap(({ lines }) => lines.flatMap(({ presses }) => presses)));

describe("the sheet of keys", () => {
  test("every key that does something is on it", () => {
    const untold = new Set<string>();
    for (const place of PLACES) {
      for (const name of MODIFIERS.flatMap((held) => KEYS.map((key) => held + key))) {
        const done = doneBy(name, place);
        // Where a modifier changes nothing, the key is told without.
        const without = ["Shift+", "Ctrl+", "Alt+"].map((held) => name.replace(held, ""));
        const plain = without.some(
          (each) => each !== name && doneBy(each, place) === done,
        );
        if (done !== null && !plain && !TOLD.has(name)) untold.add(name);
      }
    }
    expect([...untold]).toEqual([]);
  });
  test("every key on it does something", () => {
    const idle = [...TOLD].filter((name) => PLACES.every((place) => doneBy(name, place) === null));
    expect(idle).toEqual([]);
  });
  test("no key stands twice in a group, and no line says nothing", () => {
    for (const { lines } of SHEET) {
      expect(new Set(lines.map(({ keys }) => keys.join())).size).toBe(lines.length);
      for (const { keys, what } of lines) expect([keys.length > 0, what !== ""]).toEqual([true, true]);
    }
  });
  test("docs/reference/keys.md has the same lines", () => {
    const lines = SHEET.flatMap(({ title, lines }) =>
      lines.map(({ keys, what }) => `| ${title} | ${keys.map((key) => `\`${key}\``).join(" ")} | ${what} |`),
    );
    const there = DOC.split("\n").filter((each) => SHEET.some(({ title }) => each.startsWith(`| ${title} |`)));
    expect(there).toEqual(lines);
  });
});
