/** What the server sends and takes of a figure's subfigures: the JSON of /api/figures/<id>. */

import type { Compared, Decided, FigureBasics, Part, Sent, Status } from "../../wire/types";

/** Pixels x0 y0 x1 y1 of the stored image. */
export type Box = readonly [number, number, number, number];

/** A caption token as the server cut it. space: white space follows; newline: a line ends after it; gap: other text does. */
export interface Token {
  id: number;
  start: number;
  end: number;
  text: string;
  space?: boolean;
  newline?: boolean;
  gap?: string;
}

export interface Subfigure {
  label: string;
  box: Box;
  tokens: readonly number[];
}

export interface Annotation {
  annotator: string;
  status: Status;
  subfigures: readonly Subfigure[];
  /** Why they rejected the figure or left it out; "" where they did not say. */
  reason?: string;
}

/** A subfigure merged from several annotators. votes: token id (as a string) to the keys that include it. */
export interface Candidate extends Subfigure {
  votes: Readonly<Record<string, readonly string[]>>;
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected?: boolean;
}

export interface Decision extends Decided {
  subfigures: readonly Subfigure[];
}

/** What the blind mode adds to a figure's state. */
export interface Blind {
  place: number;
  total: number;
  source: string;
  told: string;
  given: readonly Pick<Subfigure, "label" | "box">[];
}

export interface FigureState extends FigureBasics<Decision> {
  image_url: string;
  caption: { text: string; tokens: readonly Token[] };
  /** Letters of the panels that each reference names, in capitals. */
  reference_panels?: readonly (readonly string[])[];
  labels: readonly string[];
  palette: readonly { label: string; color: string }[];
  annotations: readonly Annotation[];
  candidates: readonly Candidate[];
  /** How many supporters preselect a candidate; a strict majority where the server does not say. */
  quorum?: number;
  /** Where the figure's type and pairs are adjudicated; null where it has none. */
  items_url?: string | null;
  /** There where subfigures are given, and the reviewer writes their texts blind. */
  blind?: Blind;
}

export interface Payload extends Sent {
  subfigures: Subfigure[];
}

/** A subfigure of both decisions. differs is empty where both say the same. */
export interface ConflictPart extends Part<Subfigure> {
  label: string;
  differs: readonly ("only mine" | "only theirs" | "label" | "box" | "tokens")[];
  only_mine: readonly number[];
  only_theirs: readonly number[];
  iou: number | null;
  line: string;
}

export interface Conflict extends Compared<Payload> {
  subfigures: readonly ConflictPart[];
}
