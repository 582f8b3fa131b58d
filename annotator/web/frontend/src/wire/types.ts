/** What the server sends and takes on every screen. */

export type Status = "accepted" | "rejected" | "ignored";

/** Display names of an annotator's work and of a reviewer's decision, as panelwise/domain/annotation.py has them. */
export const WORK_WORDS: Record<Status, string> = { accepted: "done", rejected: "rejected", ignored: "left out" };
export const DECISION_WORDS: Record<Status, string> = { accepted: "accepted", rejected: "rejected", ignored: "deferred" };

/** The word as a sentence begins with it. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Annotators are anonymous here: keys and numbers, in an order shuffled per figure. */
export interface Annotator {
  key: string;
  name: string;
}

/** What every saved decision has, whatever the figure was judged for. guideline_flag: the question for the guidelines. */
export interface Decided {
  status: Status;
  note: string;
  reviewer: string;
  decided_at: string;
  based_on: readonly string[];
  error_kind?: string | null;
  guideline_flag?: string | null;
  awaits?: Awaits | null;
}

export type Awaits = "second" | "tie-break";

export interface Progress {
  decided: number;
  total: number;
}

/** What the server sends of a figure to every screen. D: a decision there. */
export interface FigureBasics<D extends Decided = Decided> {
  /** A mark of the campaign, so that drafts of two campaigns on one address stay apart. */
  campaign?: string;
  figure_id: string;
  /** Counts from 1, up when caption or image are replaced. */
  revision?: number;
  /** null where the figure has no image here. */
  image_url: string | null;
  width: number;
  height: number;
  references: readonly string[];
  version: number;
  decision: D | null;
  /** Of a figure that was reopened, the decision before: work begins from it. */
  starts_from?: D | null;
  annotators: readonly Annotator[];
  /** What applies to the figure as a whole. */
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
  /** Key of an annotator, "" for what the screen starts from, to the guideline findings in their work. */
  findings?: Readonly<Record<string, readonly Finding[]>>;
  findings_url?: string;
  /** What another reviewer asked for; told: in words, "" for none. */
  review?: { needs: Awaits | null; may: boolean; told: string };
  others?: readonly Reviewing[];
  /** null where the reader may not comment. */
  comments?: { url: string; unread: number } | null;
  lease_url?: string;
  skip_url?: string;
  /** On an annotator's own task: what has to be looked at before it is submitted. */
  visit?: "none" | "all";
  /** Takes back the last submission: on an annotator's own tasks only. */
  undo_url?: string;
}

/**
 * Comments in threads that the reader may read. parties: with whom a thread can be begun. last: number of the last one.
 * earlier: the number before which there are more; null where these are the first.
 */
export interface Conversation {
  threads: readonly {
    id: number;
    between: string;
    comments: readonly { author: string; mine: boolean; at: string; body: string }[];
  }[];
  parties: readonly Annotator[];
  last: number;
  earlier: number | null;
  longest: number;
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

/** What every save posts. version is the one that was loaded: the server answers 409 where another came first. */
export interface Sent {
  version: number;
  status: Status;
  based_on: string[];
  note: string;
  seconds: number;
  error_kind: string | null;
  guideline_flag: string | null;
  /** Another reviewer is to look too. */
  second: boolean;
  /** On an annotator's own task: labels or ids of what they looked at or changed. */
  viewed?: string[];
}

/** clash: both changed it, and differently; merged is then one's own. */
export interface ConflictChoice<T> {
  mine: T;
  theirs: T;
  merged: T;
  clash: boolean;
}

/** A thing of one decision or both: null where a side does not have it. */
export interface Part<T = unknown> {
  id: string;
  mine: T | null;
  theirs: T | null;
  merged: T | null;
  clash: boolean;
}

/** One's own decision and the one that came before it, as the server compares them. merged: ready to be sent. */
export interface Compared<P extends Sent = Sent> {
  base: number | null;
  status: ConflictChoice<Status>;
  note: ConflictChoice<string>;
  error_kind: ConflictChoice<string | null>;
  guideline_flag: ConflictChoice<string | null>;
  clashes: number;
  merged: P;
}

/** A piece of the guidelines: text, or an element of a kind that the server lets through; an empty one may lack children. */
export type Piece = string | { tag: string; href?: string; align?: string; start?: number; children?: readonly Piece[] };

export interface GuidelineText {
  version: string;
  blocks: readonly Piece[];
}
