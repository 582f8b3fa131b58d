/** Colours of labels and line styles of annotators: the only places where colour is chosen in script. */

import type { FigureState } from "./types";

const SPARE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/** The colour of a label: the palette's, else one of a few spares chosen by its first letter. */
export function colourOf(state: Pick<FigureState, "palette">, label: string): string {
  const known = state.palette.find((entry) => entry.label === label)?.color;
  return known ?? SPARE[(label.codePointAt(0) ?? 0) % SPARE.length] ?? "#0072B2";
}

function channel(hex: string): number {
  const value = parseInt(hex, 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance by WCAG of "#rrggbb", in [0, 1]. */
export function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => channel(colour.slice(at, at + 2))) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on the colour. */
export function inkOn(colour: string): string {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? "#000000" : "#ffffff";
}

/** Dash patterns in screen pixels; the annotator's place in the list picks one. */
const DASHES = ["none", "7 4", "2 3", "9 3 2 3", "14 4", "4 2 1 2 1 2"];
const NAMES = ["solid", "dashed", "dotted", "dash-dot", "long dash", "dash-dot-dot"];

export function dashOf(annotator: number): string {
  return DASHES[annotator % DASHES.length] ?? "none";
}

export function dashName(annotator: number): string {
  return NAMES[annotator % NAMES.length] ?? "solid";
}
