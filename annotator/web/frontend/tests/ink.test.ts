import { describe, expect, test } from "vitest";
import { Ink, placeTag, type Field } from "../src/ink";
import type { Box } from "../src/types";

/** A white picture, 200 x 100, looked at in half the size, with black and white stripes in one rectangle of it. */
function inkWith([x0, y0, x1, y1]: Box): Ink {
  const light = new Uint8Array(100 * 50).fill(255);
  for (let y = y0 / 2; y < y1 / 2; y += 1) for (let x = x0 / 2; x < x1 / 2; x += 2) light[y * 100 + x] = 0;
  return new Ink(light, 100, 50, 0.5);
}
const field = (ink: Ink | null, margin = 0): Field => ({ width: 200, height: 100, margin, ink });
const BOX: Box = [60, 40, 140, 80];
const SIZE = [20, 10] as const;

describe("ink", () => {
  test("blank is blank, stripes are not, and what lies beyond the picture is blank", () => {
    const ink = inkWith([0, 0, 40, 40]);
    expect(ink.spread([100, 60, 140, 80])).toBe(0);
    expect(ink.spread([0, 0, 40, 40])).toBeCloseTo(127.5);
    expect(ink.spread([-50, -50, -10, -10])).toBe(0);
  });
});

describe("the place of a tag", () => {
  test("over the box's left corner, where that is empty", () => {
    expect(placeTag(BOX, SIZE, 2, field(inkWith([0, 0, 0, 0])), [])).toEqual([60, 28, 80, 38]);
    expect(placeTag(BOX, SIZE, 2, field(null), [])).toEqual([60, 28, 80, 38]);
  });
  test("elsewhere, where an axis label stands there", () => {
    expect(placeTag(BOX, SIZE, 2, field(inkWith([56, 26, 90, 40])), [])).toEqual([120, 28, 140, 38]);
    expect(placeTag(BOX, SIZE, 2, field(inkWith([0, 20, 200, 40])), [])).toEqual([38, 40, 58, 50]);
  });
  test("never on another tag, nor beyond the picture's margin", () => {
    expect(placeTag(BOX, SIZE, 2, field(null), [[50, 20, 90, 40]])).toEqual([120, 28, 140, 38]);
    const corner: Box = [0, 0, 200, 100];
    expect(placeTag(corner, SIZE, 2, field(null), [])).toEqual([2, 2, 22, 12]);
    expect(placeTag(corner, SIZE, 2, field(null, 24), [])).toEqual([0, -12, 20, -2]);
  });
});
