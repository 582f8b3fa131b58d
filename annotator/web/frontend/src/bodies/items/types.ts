/** What the server sends and takes of a figure's types and pairs: the JSON of /api/figures/<id>/items. */

import type { Compared, Decided, FigureBasics, Finding, Part, Sent, Status } from "../../wire/types";

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

/** A person's own answer to a question of human evaluation; null for "I don't know". */
export interface AnswerWord {
  item: string;
  answer: string | null;
  note: string;
}

/** A pair as human evaluation asks it. */
export interface Question {
  id: string;
  type: string;
  question: string;
  choices: readonly string[];
}

interface Judged {
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected: boolean;
}

/** The figure's type to adjudicate. disputed: "compound", "count" and names of types. */
export interface KindItem extends Judged {
  original: KindValue | null;
  readings: readonly { annotator: string; value: KindValue }[];
  proposal: KindValue;
  disputed: readonly string[];
}

export type PairReading = Omit<PairWord, "item"> & { annotator: string };

/** A pair to adjudicate. original: null for one that the figure does not have. answers: of human evaluation. */
export interface PairItem extends Judged {
  id: string;
  original: PairValue | null;
  readings: readonly PairReading[];
  proposal: PairWord;
  answers: readonly { annotator: string; answer: string | null; note: string }[];
}

export interface ItemsDecision extends Decided {
  version: number;
  kind: KindValue | null;
  verdicts: readonly PairWord[];
  answers?: readonly AnswerWord[];
}

export interface ItemsState extends FigureBasics<ItemsDecision> {
  caption: string;
  statuses: readonly { annotator: string; status: Status; reason?: string }[];
  kind: KindItem | null;
  pairs: readonly PairItem[];
  /** Of human evaluation, on an annotator's own task. */
  questions: readonly Question[];
  type_names: readonly string[];
  qa_types: readonly string[];
  unanswerable: string;
  /** Question and answer of a pair whose type the figure does not allow; and the name of that choice. */
  impossible: string;
  findings: Readonly<Record<string, readonly Finding[]>>;
  quorum: number;
  reasons: readonly string[];
  subfigures_url: string | null;
}

export interface ItemsPayload extends Sent {
  kind: KindValue | null;
  verdicts: PairWord[];
  /** On an annotator's own task only. */
  answers?: AnswerWord[];
}

/** One item of two decisions. id: the pair's, "" for the figure's type. */
export interface ItemPart<T> extends Part<T> {
  differs: boolean;
}

export interface ItemsConflict extends Compared<ItemsPayload> {
  kind: ItemPart<KindValue> | null;
  pairs: readonly ItemPart<PairWord>[];
}
