/** Where tags of boxes stand: where the picture under them is emptiest, so that they cover no axis label. */

import type { Box } from "./types";

/** Pixels, on the longer side, that the picture is looked at in. */
const LOOK = 480;

/** How busy the picture is in any rectangle, from sums over it (integral images) of brightness and its square. */
export class Ink {
  private readonly sums: Float64Array;
  private readonly squares: Float64Array;

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
    for (let y = 1; y <= height; y += 1) {
      let sum = 0;
      let square = 0;
      for (let x = 1; x <= width; x += 1) {
        const value = light[(y - 1) * width + x - 1] ?? 0;
        sum += value;
        square += value * value;
        this.sums[y * stride + x] = (this.sums[(y - 1) * stride + x] as number) + sum;
        this.squares[y * stride + x] = (this.squares[(y - 1) * stride + x] as number) + square;
      }
    }
  }

  /** The standard deviation of brightness in a rectangle of the figure; what lies beyond it is blank. */
  spread([x0, y0, x1, y1]: Box): number {
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
    return Math.sqrt(Math.max(0, of(this.squares) / count - mean * mean));
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

export interface Field {
  width: number;
  height: number;
  /** How far beyond the picture a tag may stand. */
  margin: number;
  ink: Ink | null;
}

/** Where a tag of this size stands by a box: all in pixels of the figure. taken: by other tags. */
export function placeTag(box: Box, size: readonly [number, number], gap: number, field: Field, taken: readonly Box[]): Box {
  let best: Box | null = null;
  let least = Infinity;
  for (const [rank, spot] of spots(box, size, gap).entries()) {
    if (!within(spot, field)) continue;
    const crowd = taken.reduce((sum, other) => sum + overlap(spot, other), 0) / (size[0] * size[1]);
    const cost = (field.ink?.spread(spot) ?? 0) + 4 * rank + 1000 * crowd;
    if (cost < least) [best, least] = [spot, cost];
  }
  return best ?? (spots(box, size, gap).at(-4) as Box);
}

/** Dearest last: over the box, beside it, under it, within its corners. */
function spots([x0, y0, x1, y1]: Box, [w, h]: readonly [number, number], gap: number): Box[] {
  const at = (x: number, y: number): Box => [x, y, x + w, y + h];
  return [
    at(x0, y0 - h - gap), at(x1 - w, y0 - h - gap),
    at(x0 - w - gap, y0), at(x1 + gap, y0),
    at(x0, y1 + gap), at(x1 - w, y1 + gap),
    at(x0 + gap, y0 + gap), at(x1 - w - gap, y0 + gap), at(x0 + gap, y1 - h - gap), at(x1 - w - gap, y1 - h - gap),
  ];
}

function within([x0, y0, x1, y1]: Box, { width, height, margin }: Field): boolean {
  return x0 >= -margin && y0 >= -margin && x1 <= width + margin && y1 <= height + margin;
}

function overlap(a: Box, b: Box): number {
  const wide = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const high = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return wide > 0 && high > 0 ? wide * high : 0;
}
