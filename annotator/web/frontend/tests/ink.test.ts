import { describe, expect, test } from "vitest";
import { Ink, placeTag, type Field } from "../src/bodies/subfigures/image/ink";
import type { Box } from "../src/bodies/subfigures/types";

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
    expect(ink.busy([100, 60, 140, 80])).toBe(0);
    expect(ink.busy([0, 0, 40, 40])).toBeGreaterThan(127.5);
    expect(ink.busy([-50, -50, -10, -10])).toBe(0);
  });
  test("print is busier than a picture without edges that differs as much", () => {
    const ramp = Uint8Array.from({ length: 100 * 50 }, (_, i) => (i % 100) * 2.55);
    const smooth = new Ink(ramp, 100, 50, 0.5).busy([0, 0, 200, 100]);
    expect(smooth).toBeGreaterThan(60);
    expect(inkWith([0, 0, 200, 100]).busy([0, 0, 200, 100])).toBeGreaterThan(3 * smooth);
  });
});

const alone = { taken: [], foreign: [BOX] };
/** Where the only size of a tag goes. */
const place = (box: Box, of: Field, near: Parameters<typeof placeTag>[4] = alone) => placeTag(box, [SIZE], 2, of, near).box;

describe("the place of a tag", () => {
  test("over the box's left corner, where that is empty", () => {
    expect(place(BOX, field(inkWith([0, 0, 0, 0])))).toEqual([60, 28, 80, 38]);
    expect(place(BOX, field(null))).toEqual([60, 28, 80, 38]);
  });
  test("elsewhere, where an axis label stands there", () => {
    expect(place(BOX, field(inkWith([56, 26, 90, 40])))).toEqual([120, 28, 140, 38]);
    expect(place(BOX, field(inkWith([0, 20, 200, 40])))).toEqual([60, 82, 80, 92]);
  });
  test("never on another tag, nor beyond the picture's margin", () => {
    expect(place(BOX, field(null), { taken: [[50, 20, 90, 40]], foreign: [] })).toEqual([120, 28, 140, 38]);
    const corner: Box = [0, 0, 200, 100];
    expect(place(corner, field(null))).toEqual([2, 2, 22, 12]);
    expect(place(corner, field(null, 24))).toEqual([0, -12, 20, -2]);
  });
});

describe("the place of a tag where print stands", () => {
  test("in a panel's corner is left free", () => {
    const whole: Box = [0, 0, 200, 100];
    expect(place(whole, field(inkWith([0, 0, 30, 20])))).toEqual([178, 2, 198, 12]);
  });
  test("all around and within is apart from the box, on no other one", () => {
    const all = inkWith([20, 8, 180, 92]);
    const small: Box = [80, 40, 110, 60];
    const near = { taken: [], foreign: [small, [0, 0, 200, 6] as Box] };
    const spot = placeTag(small, [SIZE], 2, field(all, 4), near);
    expect(spot.away).toBe(true);
    expect(spot.box[0] >= 180 || spot.box[2] <= 20 || spot.box[3] <= 8 || spot.box[1] >= 92).toBe(true);
    expect(spot.box[1]).toBeGreaterThanOrEqual(6);
    expect(place(small, field(all, 4), { taken: [], foreign: [small, [0, 0, 200, 100]] })).not.toEqual(spot.box);
  });
});

describe("the place of a tag among other boxes", () => {
  const middle = ([x0, y0, x1, y1]: Box) => [(x0 + x1) / 2, (y0 + y1) / 2] as const;
  const holds = ([x0, y0, x1, y1]: Box, [x, y]: readonly [number, number]) => x > x0 && x < x1 && y > y0 && y < y1;
  const above: Box = [50, 0, 150, 38];
  const around: readonly Box[] = [above, [0, 30, 58, 100], [142, 30, 200, 100], [50, 82, 150, 100]];

  test("is not in the panel above, though that is the first choice", () => {
    const spot = place(BOX, field(null), { taken: [], foreign: [above, BOX] });
    expect(holds(above, middle(spot))).toBe(false);
  });
  test("is within its own where panels are all around", () => {
    const spot = place(BOX, field(null), { taken: [], foreign: [...around, BOX] });
    expect(holds(BOX, middle(spot))).toBe(true);
    expect(spot).toEqual([62, 42, 82, 52]);
  });
  test("is as small as can be within its own, so that it covers little", () => {
    const sizes = [[100, 20], [60, 20], [20, 10]] as const;
    const near = { taken: [], foreign: [...around, BOX] };
    expect(placeTag(BOX, sizes, 2, field(null), near)).toEqual({ box: [62, 42, 82, 52], size: 2, inside: true });
    const gap: Box = [60, 40, 140, 80];
    const below = { taken: [], foreign: [above, [0, 30, 58, 100], [142, 30, 200, 100], gap] as readonly Box[] };
    expect(placeTag(gap, sizes, 2, field(null, 4), below)).toEqual({ box: [60, 82, 120, 102], size: 1, inside: false });
    const tight: Box = [90, 50, 115, 65];
    const wide = placeTag(tight, sizes, 2, field(null), { taken: [], foreign: [[0, 0, 200, 100], tight] });
    expect(wide.size).toBe(2);
    expect(holds(tight, middle(wide.box))).toBe(true);
  });
  test("what another drew of the very same panel is no other box", () => {
    const spot = place(BOX, field(null), { taken: [], foreign: [[58, 26, 142, 82], BOX] });
    expect(spot).toEqual([60, 28, 80, 38]);
  });
  test("within a panel that holds another one it stays out of that", () => {
    const nested: Box = [60, 40, 100, 60];
    const spot = place(BOX, field(null), { taken: [], foreign: [...around, nested, BOX] });
    expect(holds(nested, middle(spot))).toBe(false);
    expect(holds(BOX, middle(spot))).toBe(true);
  });
});
