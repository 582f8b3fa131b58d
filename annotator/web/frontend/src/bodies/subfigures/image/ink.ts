/** Where tags of boxes stand: where the picture under them is emptiest, so that they cover no axis label. */

import { area, iou } from "../boxes";
import type { Box } from "../types";

/** Pixels, on the longer side, that the picture is looked at in. */
const LOOK = 800;

/** Levels of brightness between neighbours at which there is an edge, as of a printed letter. */
const EDGE = 48;

/** How busy the picture is in any rectangle, from sums over it (integral images) of brightness, its square, and edges. */
export class Ink {
  private readonly sums: Float64Array;
  private readonly squares: Float64Array;
  private readonly edges: Float64Array;

  /** light: brightness 0 to 255, row by row. scale: of its pixels to those of the figure. */
  constructor(
    light: ArrayLike<number>,
    private readonly width: number,
    private readonly height: number,
    private readonly scale: number,
  ) {
    const stride = width + 1;
    this.sums = new Float64Array(stride * (height + 1));
    this.squares = new Float64Array(stride * (height + 1));
    this.edges = new Float64Array(stride * (height + 1));
    for (let y = 1; y <= height; y += 1) {
      let sum = 0;
      let square = 0;
      let edges = 0;
      for (let x = 1; x <= width; x += 1) {
        const value = light[(y - 1) * width + x - 1] ?? 0;
        sum += value;
        square += value * value;
        const left = x > 1 ? (light[(y - 1) * width + x - 2] ?? 0) : value;
        const above = y > 1 ? (light[(y - 2) * width + x - 1] ?? 0) : value;
        edges += Math.abs(value - left) >= EDGE || Math.abs(value - above) >= EDGE ? 1 : 0;
        this.sums[y * stride + x] = (this.sums[(y - 1) * stride + x] as number) + sum;
        this.squares[y * stride + x] = (this.squares[(y - 1) * stride + x] as number) + square;
        this.edges[y * stride + x] = (this.edges[(y - 1) * stride + x] as number) + edges;
      }
    }
  }

  /**
   * How much of the picture a tag on a rectangle of the figure would hide: 0 for nothing, above 100 for print. The standard
   * deviation of brightness, and more where there are edges. What lies beyond the figure is blank.
   */
  busy([x0, y0, x1, y1]: Box): number {
    const clamp = (value: number, most: number) => Math.min(Math.max(Math.round(value * this.scale), 0), most);
    const [left, right] = [clamp(x0, this.width), clamp(x1, this.width)];
    const [top, bottom] = [clamp(y0, this.height), clamp(y1, this.height)];
    const count = (right - left) * (bottom - top);
    if (count <= 0) return 0;
    const of = (table: Float64Array) => {
      const at = (x: number, y: number) => table[y * (this.width + 1) + x] as number;
      return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
    };
    const mean = of(this.sums) / count;
    return Math.sqrt(Math.max(0, of(this.squares) / count - mean * mean)) + (PRINT * of(this.edges)) / count;
  }
}

/** The ink of a loaded picture; null where the browser does not let it be read. */
export function inkOf(image: HTMLImageElement, figureWidth: number): Ink | null {
  const shrink = Math.min(1, LOOK / Math.max(image.naturalWidth, image.naturalHeight, 1));
  const width = Math.max(1, Math.round(image.naturalWidth * shrink));
  const height = Math.max(1, Math.round(image.naturalHeight * shrink));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  try {
    context.drawImage(image, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const light = new Uint8Array(width * height);
    for (let i = 0; i < light.length; i += 1) {
      const [r, g, b, a] = [data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]] as [number, number, number, number];
      // What is transparent shows the stage: white.
      light[i] = ((0.299 * r + 0.587 * g + 0.114 * b) * a) / 255 + 255 - a;
    }
    return new Ink(light, width, height, width / figureWidth);
  } catch {
    return null;
  }
}

/** What a rectangle full of edges adds. */
const PRINT = 400;

export interface Field {
  width: number;
  height: number;
  /** How far beyond the picture a tag may stand. */
  margin: number;
  ink: Ink | null;
}

/** What else lies in the field: tags that stand already, and boxes that a tag must not be taken to belong to. */
export interface Neighbours {
  taken: readonly Box[];
  foreign: readonly Box[];
}

export type Size = readonly [number, number];

/** size: index of the size that fits. inside: within the box, where it covers some of the panel. away: apart from the box: a line leads to it. */
export interface Spot {
  box: Box;
  size: number;
  inside: boolean;
  away?: boolean;
}

/**
 * Where a tag stands by its box: all in pixels of the figure. Beside it, as large as fits there, where that is no
 * other box's place; else within it, as small as can be; where print or other tags are everywhere there, apart from it.
 */
export function placeTag(box: Box, sizes: readonly Size[], gap: number, field: Field, near: Neighbours): Spot {
  const boxes = near.foreign.filter((other) => iou(box, other) < SAME);
  const costOf = (spot: Box, rank: number): number => {
    const whole = area(spot);
    const crowd = near.taken.reduce((sum, other) => sum + overlap(spot, other), 0) / whole;
    const strange = boxes.reduce((most, other) => Math.max(most, overlap(spot, other)), 0) / whole;
    return (field.ink?.busy(spot) ?? 0) + 4 * rank + 1000 * crowd + 200 * strange;
  };
  let best: Spot | null = null;
  let least = Infinity;
  const offer = (spot: Spot, rank: number) => {
    const cost = costOf(spot.box, rank);
    if (within(spot.box, field) && cost < least) [best, least] = [spot, cost];
  };
  for (const [size, full] of sizes.entries()) {
    for (const [rank, spot] of beside(box, full, gap).entries()) {
      if (!boxes.some((other) => holds(other, spot))) offer({ box: spot, size, inside: false }, rank + SMALLER * size);
    }
  }
  const size = sizes.length - 1;
  const inner = inside(box, sizes[size] as Size, gap);
  for (const [rank, spot] of inner.entries()) {
    // Another box within this one: its place is not this one's.
    const away = boxes.some((other) => holds(other, spot)) ? 100 : 0;
    offer({ box: spot, size, inside: true }, INSIDE + away + rank);
  }
  for (const [rank, spot] of least < CROWDED ? [] : around(box, sizes[size] as Size, gap).entries()) {
    if (!boxes.some((other) => overlap(other, spot) > 0)) offer({ box: spot, size, inside: false, away: true }, AWAY + rank / 4);
  }
  return best ?? { box: inner[0] as Box, size, inside: true };
}

/** Boxes that overlap so much are one panel's, as several people drew it. */
const SAME = 0.5;

/** Ranks that the next smaller tags come after, and places within the box. */
const SMALLER = 8;
const INSIDE = 30;

/** The cost from which a place apart from the box is looked for, and the rank that it comes after. */
const CROWDED = 190;
const AWAY = 40;

/** Dearest last: over the box, beside it, under it. */
function beside([x0, y0, x1, y1]: Box, [w, h]: Size, gap: number): Box[] {
  const at = (x: number, y: number): Box => [x, y, x + w, y + h];
  return [
    at(x0, y0 - h - gap), at(x1 - w, y0 - h - gap),
    at(x0 - w - gap, y0), at(x1 + gap, y0),
    at(x0, y1 + gap), at(x1 - w, y1 + gap),
    at(x0 - w - gap, y1 - h), at(x1 + gap, y1 - h),
  ];
}

/** Apart from the box, nearest first: over it, under it, and to both sides. */
function around([x0, y0, x1, y1]: Box, [w, h]: Size, gap: number): Box[] {
  const at = (x: number, y: number): Box => [x, y, x + w, y + h];
  return [1, 2, 3, 4].flatMap((step) => {
    const far = 2 * gap + step * h;
    const [left, top, right, bottom] = [x0 - far - w, y0 - far - h, x1 + far, y1 + far];
    const middle = (y0 + y1 - h) / 2;
    return [at(x0, top), at(x1 - w, top), at(left, y0), at(right, y0), at(left, middle), at(right, middle), at(x0, bottom), at(x1 - w, bottom)];
  });
}

/** Within the corners; where the tag is larger than the box, over the box's middle. */
function inside([x0, y0, x1, y1]: Box, [w, h]: Size, gap: number): Box[] {
  const [left, right] = w + 2 * gap <= x1 - x0 ? [x0 + gap, x1 - w - gap] : [(x0 + x1 - w) / 2, (x0 + x1 - w) / 2];
  const [top, bottom] = h + 2 * gap <= y1 - y0 ? [y0 + gap, y1 - h - gap] : [(y0 + y1 - h) / 2, (y0 + y1 - h) / 2];
  const at = (x: number, y: number): Box => [x, y, x + w, y + h];
  const [centre, middle] = [(x0 + x1 - w) / 2, (y0 + y1 - h) / 2];
  return [
    at(left, top), at(right, top), at(left, bottom), at(right, bottom),
    at(centre, bottom), at(centre, top), at(left, middle), at(right, middle),
  ];
}

/** Whether the middle of the spot lies in the box. */
function holds([x0, y0, x1, y1]: Box, spot: Box): boolean {
  const [x, y] = [(spot[0] + spot[2]) / 2, (spot[1] + spot[3]) / 2];
  return x > x0 && x < x1 && y > y0 && y < y1;
}

function within([x0, y0, x1, y1]: Box, { width, height, margin }: Field): boolean {
  return x0 >= -margin && y0 >= -margin && x1 <= width + margin && y1 <= height + margin;
}

function overlap(a: Box, b: Box): number {
  const wide = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const high = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return wide > 0 && high > 0 ? wide * high : 0;
}
