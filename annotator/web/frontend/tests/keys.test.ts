import { describe, expect, test } from "vitest";
import { commandFor, type Place, type Press } from "../src/keys";

const press = (key: string, change: Partial<Press> = {}): Press => ({
  key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...change,
});
const place = (change: Partial<Place> = {}): Place => ({ pane: "caption", field: null, sheet: false, overtaken: false, draft: false, taking: false, rtl: false, ...change });
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
    expect(act("ArrowRight", { shiftKey: true, altKey: true }, { pane: "image" })).toEqual({
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
  test("the browser's own shortcuts stay", () => {
    for (const key of ["r", "l", "n", "f", "+"]) expect(act(key, { ctrlKey: true })).toBeNull();
  });
});
