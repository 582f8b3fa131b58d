import { describe, expect, test } from "vitest";
import { brief, gist, adjustRun, clauseAt, differing, nextId, runAt, runs, setRun, textOf, tokensOf } from "../src/bodies/subfigures/caption/tokens";
import { aState, at, TOKENS, tokensOf as cut } from "./fixture";

const B = aState().candidates[1]!;

describe("runs of tokens", () => {
  test("a run goes in and out whichever end it is drawn from", () => {
    expect(setRun([1], 5, 3, true)).toEqual([1, 3, 4, 5]);
    expect(setRun([1, 3, 4, 5], 4, 5, false)).toEqual([1, 3]);
  });
  test("neighbours make one run, gaps part them", () => expect(runs([1, 2, 5, 7, 8])).toEqual([[1, 2], [5, 5], [7, 8]]));
  test("the nearest run is meant where the cursor is in none", () => {
    expect(runAt([1, 2, 8], 6)).toEqual([8, 8]);
    expect(runAt([], 3)).toBeNull();
  });
  test("a span's end gains and loses one token", () => {
    expect(adjustRun([2, 3], 2, "end", 1, 10)).toEqual([[2, 3, 4], 4]);
    expect(adjustRun([2, 3], 2, "end", -1, 10)).toEqual([[2], 2]);
    expect(adjustRun([2, 3], 3, "start", 1, 10)).toEqual([[1, 2, 3], 1]);
    expect(adjustRun([2, 3], 3, "start", -1, 10)).toEqual([[3], 3]);
  });
  test("a span stops at the caption's ends, and an empty one begins at the cursor", () => {
    expect(adjustRun([0], 0, "start", 1, 3)[0]).toEqual([0]);
    expect(adjustRun([2], 2, "end", 1, 3)[0]).toEqual([2]);
    expect(adjustRun([], 1, "end", 1, 3)[0]).toEqual([1]);
    expect(adjustRun([], 1, "end", -1, 3)[0]).toEqual([]);
  });
  test("stepping among differences goes round", () => {
    expect(nextId([2, 5], 5, 1)).toBe(2);
    expect(nextId([2, 5], 2, -1)).toBe(5);
    expect(nextId([], 2, 1)).toBeNull();
  });
});

describe("votes", () => {
  test("tokens that some but not all include differ", () => expect(differing(B)).toEqual([at("red")]));
  test("an annotator's text is read off the votes", () =>
    expect(tokensOf(B, "k3")).toEqual([at("right"), at("right") + 2]));
});

describe("clauses", () => {
  const clause = (tokens: typeof TOKENS, word: string) => {
    const [first, last] = clauseAt(tokens, tokens.findIndex((token) => token.text === word));
    return textOf(tokens, Array.from({ length: last - first + 1 }, (_, i) => first + i));
  };
  test("a clause runs from its mark to its stop", () => {
    expect(clause(TOKENS, "left")).toBe("(A) left lung.");
    expect(clause(TOKENS, "red")).toBe("(B) right red lung;");
    expect(clause(TOKENS, "both")).toBe("both.");
  });
  test("the stop in a number ends no clause, a line's end does", () => {
    const tokens = cut("took 0.5 mg\nthen rest");
    expect(clause(tokens, "took")).toBe("took 0.5 mg");
  });
});

describe("the gist of a reading", () => {
  const text = [10, 11, 12, 13, 14, 15, 16, 30, 31, 32, 33, 34];
  const words = Array.from({ length: 40 }, (_, id) => ({ id, start: 0, end: 1, text: "w", space: true, newline: false, gap: "" }));
  test("where nobody differs it is the reading, run by run", () => {
    expect(gist([1, 2, 5], new Set(), words)).toEqual([1, 2, null, 5]);
    expect(gist([], new Set(), words)).toEqual([]);
  });
  test("where somebody does, its beginning and what stands around that", () => {
    expect(gist(text, new Set([31]), words, 1)).toEqual([10, null, 30, 31, 32, null]);
  });
  test("what this annotator left out is there too", () => {
    expect(gist([10, 11, 12], new Set([13, 14]), words, 1)).toEqual([10, null, 12, 13, 14]);
    expect(gist([], new Set([4]), words)).toEqual([4]);
  });
  test("of a long run both ends are there, so that what follows it is too", () => {
    const loud = new Set(Array.from({ length: 12 }, (_, i) => 10 + i));
    expect(gist([8, 9, 22, 23], loud, words, 1)).toEqual([8, 9, 10, 11, null, 20, 21, 22, null]);
    const has = Array.from({ length: 14 }, (_, i) => 8 + i);
    expect(gist(has, loud, words, 1)).toEqual([8, 9, 10, 11, 12, 13, null, 18, 19, 20, 21]);
    expect(gist([8], new Set([10, 11, 12, 13]), words, 1)).toEqual([8, null, 10, 11, 12, 13]);
  });
  test("no word is cut at its edge", () => {
    const cut = words.map((word) => ({ ...word, space: word.id !== 31 && word.id !== 32 && word.id !== 10 }));
    expect(gist(text, new Set([34]), cut, 1)).toEqual([10, 11, null, 31, 32, 33, 34]);
  });
});

test("a brief text is its first words and its last", () => {
  expect(brief("(a) left lung")).toBe("(a) left lung");
  expect(brief("one two three four five six seven")).toBe("one two three four five six seven");
  expect(brief("one two three four five six seven eight")).toBe("one two three four … seven eight");
});
