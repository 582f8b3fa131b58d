/** What the server sends and takes of a figure's types and pairs: the JSON of /api/figures/<id>/items. */

import type { Annotator, Awaits, ConflictChoice, Finding, Progress, Reviewing, Status } from "./types";

export type Verdict = "Correct" | "Incorrect.Edit";

/** A question-answer pair without its id. evidence: labels of subfigures. */
export interface PairValue {
  type: string;
  question: string;
  choices: readonly string[];
  answer: string;
  evidence: readonly string[];
}

/** A figure's type; null where nothing is said. */
export interface KindValue {
  compound: boolean | null;
  count: number | null;
  types: readonly string[];
  note: string;
}

/** What is said of one pair. edited: the pair as it should be, null where nothing was edited. */
export interface PairWord {
  item: string;
  verdict: Verdict;
  edited: PairValue | null;
  note: string;
}

interface Settling {
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected: boolean;
}

/** The figure's type to be settled. disputed: "compound", "count" and names of types. */
export interface KindItem extends Settling {
  original: KindValue | null;
  readings: readonly { annotator: string; value: KindValue }[];
  proposal: KindValue;
  disputed: readonly string[];
}

export type PairReading = Omit<PairWord, "item"> & { annotator: string };

/** A pair to be settled. original: null for one that the figure does not have. answers: of human evaluation. */
export interface PairItem extends Settling {
  id: string;
  original: PairValue | null;
  readings: readonly PairReading[];
  proposal: PairWord;
  answers: readonly { annotator: string; answer: string | null; note: string }[];
}

export interface ItemsDecision {
  version: number;
  status: Status;
  kind: KindValue | null;
  verdicts: readonly PairWord[];
  note: string;
  reviewer: string;
  decided_at: string;
  based_on: readonly string[];
  error_kind?: string | null;
  guideline_flag?: string | null;
  awaits?: Awaits | null;
}

/** findings: key of a voice, "" for what the screen starts from, to what the checks found. */
export interface ItemsState {
  campaign?: string;
  figure_id: string;
  revision: number;
  /** null where the figure has no image here. */
  image_url: string | null;
  width: number;
  height: number;
  caption: string;
  references: readonly string[];
  version: number;
  decision: ItemsDecision | null;
  annotators: readonly Annotator[];
  statuses: readonly { annotator: string; status: Status }[];
  kind: KindItem | null;
  pairs: readonly PairItem[];
  type_names: readonly string[];
  qa_types: readonly string[];
  unanswerable: string;
  findings: Readonly<Record<string, readonly Finding[]>>;
  quorum: number;
  reasons: readonly string[];
  agreement: number | null;
  progress: Progress;
  phase: string;
  next_url: string | null;
  csrf: string;
  reviewer: string;
  error_kinds: readonly string[];
  history_url: string;
  subfigures_url: string | null;
  findings_url: string;
  lease_url: string;
  skip_url: string;
  review: { needs: Awaits | null; may: boolean; told: string };
  others: readonly Reviewing[];
}

/** What is posted. version is the one that was loaded: the server answers 409 where another came first. */
export interface ItemsPayload {
  version: number;
  status: Status;
  kind: KindValue | null;
  verdicts: PairWord[];
  based_on: string[];
  note: string;
  seconds: number;
  error_kind: string | null;
  guideline_flag: string | null;
  second: boolean;
}

/** One item of two decisions. id: the pair's, "" for the figure's type. */
export interface ItemPart<T> {
  id: string;
  mine: T | null;
  theirs: T | null;
  merged: T | null;
  differs: boolean;
  clash: boolean;
}

export interface ItemsConflict {
  base: number | null;
  status: ConflictChoice<Status>;
  note: ConflictChoice<string>;
  error_kind: ConflictChoice<string | null>;
  guideline_flag: ConflictChoice<string | null>;
  kind: ItemPart<KindValue> | null;
  pairs: readonly ItemPart<PairWord>[];
  clashes: number;
  merged: ItemsPayload;
}
