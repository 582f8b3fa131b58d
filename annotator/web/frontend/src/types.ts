/** What the server sends and takes: the JSON of /api/figures/<id>. Boxes are pixels x0 y0 x1 y1 of the stored image. */

import type { Blind } from "./blind";

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
  error_kind?: string | null;
  /** The question for the guidelines. */
  guideline_flag?: string | null;
  awaits?: Awaits | null;
}

export type Awaits = "second" | "tie-break";

export interface Progress {
  decided: number;
  total: number;
}

export interface FigureState {
  /** A mark of the campaign, so that drafts of two campaigns on one address stay apart. */
  campaign?: string;
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
  /** Of a figure that was reopened, the decision that held before: work begins from it. */
  starts_from?: Decision | null;
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
  /** Kinds of errors that a reviewer may name, in order. */
  error_kinds?: readonly string[];
  history_url?: string;
  /** Where the figure's type and pairs are settled; null where it has none. */
  items_url?: string | null;
  /** Key of an annotator to what the guideline checks find in their work; where to ask of one's own. */
  findings?: Readonly<Record<string, readonly Finding[]>>;
  findings_url?: string;
  /** What another reviewer asked for; told: in words, "" for nothing. */
  review?: { needs: Awaits | null; may: boolean; told: string };
  others?: readonly Reviewing[];
  lease_url?: string;
  skip_url?: string;
  /** There where subfigures are given, and the reviewer writes their texts blind. */
  blind?: Blind;
}

export type Severity = "error" | "warning" | "note";

/** A guideline finding. item: the subfigure's label or the pair's id that it is on, "" for the figure. */
export interface Finding {
  item: string;
  check: string;
  severity: Severity;
  message: string;
}

/** Another reviewer at work on the figure, as far as is known. */
export interface Reviewing {
  reviewer: string;
  until: string;
}

/** What is posted. version is the one that was loaded: the server answers 409 where another came first. */
export interface Payload {
  version: number;
  status: Status;
  subfigures: Subfigure[];
  based_on: string[];
  note: string;
  seconds: number;
  error_kind: string | null;
  guideline_flag: string | null;
  /** Another reviewer is to look too. */
  second: boolean;
}

/** clash: both changed it, and differently; merged is then one's own. */
export interface ConflictChoice<T> {
  mine: T;
  theirs: T;
  merged: T;
  clash: boolean;
}

/** A subfigure of one side or both; null where a side does not have it. differs is empty where both say the same. */
export interface ConflictPart {
  id: string;
  label: string;
  mine: Subfigure | null;
  theirs: Subfigure | null;
  merged: Subfigure | null;
  differs: readonly ("only mine" | "only theirs" | "label" | "box" | "tokens")[];
  clash: boolean;
  only_mine: readonly number[];
  only_theirs: readonly number[];
  iou: number | null;
  line: string;
}

/** One's own decision and the one that came before it, as the server compares them. merged: ready to be sent. */
export interface Conflict {
  base: number | null;
  status: ConflictChoice<Status>;
  note: ConflictChoice<string>;
  error_kind: ConflictChoice<string | null>;
  guideline_flag: ConflictChoice<string | null>;
  subfigures: readonly ConflictPart[];
  clashes: number;
  merged: Payload;
}

/** A piece of the guidelines: text, or an element of a kind that the server lets through; an empty one may lack children. */
export type Piece = string | { tag: string; href?: string; align?: string; start?: number; children?: readonly Piece[] };

export interface GuidelineText {
  version: string;
  blocks: readonly Piece[];
}
