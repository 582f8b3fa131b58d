/** Which guideline findings a reviewer is asked about before a save, and how often. */

import { describe, expect, test } from "vitest";
import { reduce } from "../src/session/model";
import { Checks } from "../src/session/guidelines";
import type { Subfigures } from "../src/bodies/subfigures/model";
import type { Finding } from "../src/wire/types";
import { aCandidate, aState, startModel, type Action } from "./fixture";

const D: Finding = { item: "D", check: "box-missing", severity: "warning", message: 'the caption describes a panel "D" that has no box' };
const A: Finding = { item: "A", check: "text-missing", severity: "warning", message: 'subfigure "A" has no text' };
const UNKNOWN: Finding = { item: "A", check: "label-not-in-caption", severity: "note", message: "look again" };
const TINY: Finding = { item: "A", check: "box-tiny", severity: "warning", message: "look again" };

const page = { after: () => () => undefined };
const checks = () => new Checks<Subfigures>(page, () => "", () => undefined);
const agreed = (...actions: Action[]) => actions.reduce(reduce, startModel(aState({ candidates: [aCandidate()] })));
const wordless = (...actions: Action[]) => actions.reduce(reduce, startModel(aState({ candidates: [aCandidate({ tokens: [], votes: {} })] })));
const drawD: Action = { type: "add", id: "k", box: [0, 0, 50, 50] };

describe("a finding that concerns what would be saved keeps a reviewer's save waiting once", () => {
  test("a panel that has no box", () => {
    expect(checks().unseenError(agreed(), [D])).toEqual({ id: null, text: `The figure: ${D.message}. Enter again saves anyway.` });
  });
  test("a box without text whose letter the caption has, which is then chosen", () => {
    expect(checks().unseenError(wordless(), [A])).toMatchObject({ id: "c0" });
  });
  test("one question a figure, which counts the others and is not put again, whatever changes", () => {
    const asking = checks();
    expect(asking.unseenError(wordless(), [D, A])?.text).toContain("(1 more)");
    expect(asking.unseenError(wordless(), [D, A])).toBeNull();
    expect(asking.unseenError(wordless(drawD), [D, A])).toBeNull();
  });
});

describe("no key is asked for", () => {
  test("where nothing is found", () => expect(checks().unseenError(agreed(), [])).toBeNull());
  test("where another finding stands beside its subfigure", () => expect(checks().unseenError(agreed(), [TINY, UNKNOWN])).toBeNull());
  test("where the caption does not have the letter", () => expect(checks().unseenError(wordless(), [A, UNKNOWN])).toBeNull());
  test("where the reviewer said that there is no subcaption", () => {
    expect(checks().unseenError(agreed({ type: "none" }), [A])).toBeNull();
  });
  test("where the text was given since the check", () => expect(checks().unseenError(agreed(), [A])).toBeNull());
  test("where the reviewer rejected the panel that then has no box", () => {
    const missing = { ...D, item: "A" };
    expect(checks().unseenError(agreed({ type: "reject" }), [missing])).toBeNull();
  });
});
