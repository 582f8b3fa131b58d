/** Boxes in pixels of the stored image: x0 y0 x1 y1, origin top left. */

import type { Box } from "./types";

/** The smallest side that a box may have, in image pixels. */
export const MIN_SIDE = 4;

const clampTo = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
const tenth = (value: number): number => Math.round(value * 10) / 10;

/** The box ordered, inside the image, at least MIN_SIDE wide and high (or as large as the image), to a tenth of a pixel. */
export function clampBox(box: Box, width: number, height: number): Box {
  const [x0, x1] = clampSide(box[0], box[2], width);
  const [y0, y1] = clampSide(box[1], box[3], height);
  return [x0, y0, x1, y1];
}

function clampSide(a: number, b: number, limit: number): [number, number] {
  const side = Math.min(MIN_SIDE, limit);
  let low = clampTo(Math.min(a, b), 0, limit);
  let high = clampTo(Math.max(a, b), 0, limit);
  if (high - low < side) {
    low = clampTo(low, 0, limit - side);
    high = low + side;
  }
  return [Math.min(tenth(low), limit), Math.min(tenth(high), limit)];
}

/** The box moved by dx, dy; it stops at the image's edge and keeps its size. */
export function moveBox(box: Box, dx: number, dy: number, width: number, height: number): Box {
  const mx = clampTo(dx, -box[0], width - box[2]);
  const my = clampTo(dy, -box[1], height - box[3]);
  return clampBox([box[0] + mx, box[1] + my, box[2] + mx, box[3] + my], width, height);
}

/** The box with its right and lower edges moved by dx, dy. */
export function resizeBox(box: Box, dx: number, dy: number, width: number, height: number): Box {
  const x1 = Math.max(box[2] + dx, box[0] + MIN_SIDE);
  const y1 = Math.max(box[3] + dy, box[1] + MIN_SIDE);
  return clampBox([box[0], box[1], x1, y1], width, height);
}

export function area(box: Box): number {
  return Math.max(0, box[2] - box[0]) * Math.max(0, box[3] - box[1]);
}

/** Intersection over union, in [0, 1]; 0 where both are empty. */
export function iou(a: Box, b: Box): number {
  const wide = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const high = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  if (wide <= 0 || high <= 0) return 0;
  const shared = wide * high;
  const union = area(a) + area(b) - shared;
  return union > 0 ? shared / union : 0;
}

/** Whether no edge differs by `slack` pixels or more. */
export function sameBox(a: Box, b: Box, slack = 0.05): boolean {
  return a.every((value, i) => Math.abs(value - (b[i] as number)) < slack);
}
