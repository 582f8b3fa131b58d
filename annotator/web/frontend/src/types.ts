/** What the server sends and takes: the JSON of /api/figures/<id>. Boxes are pixels x0 y0 x1 y1 of the stored image. */

export type Box = readonly [number, number, number, number];
export type Status = "accepted" | "rejected" | "ignored";

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

/** Annotators are anonymous here: keys and numbers, in an order shuffled per figure. */
export interface Annotator {
  key: string;
  name: string;
}

export interface Annotation {
  annotator: string;
  status: Status;
  subfigures: readonly Subfigure[];
}

/** A subfigure merged from several annotators. votes: token id (as a string) to the keys that include it. */
export interface Candidate extends Subfigure {
  votes: Readonly<Record<string, readonly string[]>>;
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected?: boolean;
}

export interface Decision {
  status: Status;
  subfigures: readonly Subfigure[];
  note: string;
  reviewer: string;
  decided_at: string;
  based_on: readonly string[];
}

export interface Progress {
  decided: number;
  total: number;
}

export interface FigureState {
  figure_id: string;
  /** Counts from 1, up when caption or image are replaced. */
  revision?: number;
  image_url: string;
  width: number;
  height: number;
  caption: { text: string; tokens: readonly Token[] };
  references: readonly string[];
  labels: readonly string[];
  palette: readonly { label: string; color: string }[];
  version: number;
  decision: Decision | null;
  annotators: readonly Annotator[];
  annotations: readonly Annotation[];
  candidates: readonly Candidate[];
  /** How many supporters preselect a candidate; a strict majority where the server does not say. */
  quorum?: number;
  /** What is to be said of the figure as a whole. */
  reasons?: readonly string[];
  agreement: number | null;
  progress: Progress;
  phase: string;
  next_url: string | null;
  csrf: string;
  reviewer: string;
}

/** What is posted. version is the one that was loaded: the server answers 409 where another came first. */
export interface Payload {
  version: number;
  status: Status;
  subfigures: Subfigure[];
  based_on: string[];
  note: string;
  seconds: number;
}
