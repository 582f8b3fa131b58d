import { expect, test } from "vitest";
import { clampBox, iou, moveBox, resizeBox, sameBox } from "../src/bodies/subfigures/boxes";

test("a box is ordered, kept inside and rounded to a tenth", () => {
  expect(clampBox([50.04, 40, -10, 300], 200, 100)).toEqual([0, 40, 50, 100]);
});
test("a box never vanishes, at the edge neither", () => {
  expect(clampBox([199.9, 5, 250, 5], 200, 100)).toEqual([196, 5, 200, 9]);
  expect(clampBox([0, 0, 9, 9], 2, 2)).toEqual([0, 0, 2, 2]);
});
test("a box that is moved against the edge keeps its size", () => {
  expect(moveBox([10, 10, 30, 30], -50, 500, 200, 100)).toEqual([0, 80, 20, 100]);
});
test("a box cannot be turned inside out by resizing", () => {
  expect(resizeBox([10, 10, 30, 30], -100, 5, 200, 100)).toEqual([10, 10, 14, 35]);
});
test("IoU is one for the same box, zero for boxes that only touch", () => {
  expect(iou([0, 0, 2, 2], [0, 0, 2, 2])).toBe(1);
  expect(iou([0, 0, 2, 2], [2, 0, 4, 2])).toBe(0);
  expect(iou([0, 0, 2, 2], [1, 0, 3, 2])).toBeCloseTo(1 / 3);
  expect(sameBox([0, 0, 1, 1], [0, 0, 1, 1.04])).toBe(true);
});
