/**
 * What the server sends and takes, as its own structs say. Written by scripts/write_types.py (make assets): change
 * those structs instead.
 */

/**
 * All that the screen of one figure shows, as it writes it but for addresses.
 *
 * reference_panels: letters of the panels that each reference names, in capitals. palette: every label in use
 * with its colour, the campaign's own first; labels: the same without.
 */
export interface FigureState extends FigureBasics {
  decision: SubfiguresView | null;
  starts_from: SubfiguresView | null;
  caption: ShownCaption;
  reference_panels: readonly (readonly string[])[];
  labels: readonly string[];
  palette: readonly LabelColor[];
  annotations: readonly Opinion[];
  candidates: readonly Proposal[];
}

/**
 * The fields that both screens of a figure show: subfigures, and types and pairs.
 *
 * version: of the last decision, 0 if there was none yet; one on an earlier caption or image counts here, but is
 * not shown. reasons: what the voices differ in beyond single subfigures or items, and what work is on another
 * revision. agreement: in [0, 1], None if undefined. starts_from: of a figure that was reopened, the decision
 * that held before; on an annotator's own task, work that was undone.
 */
export interface FigureBasics {
  figure_id: string;
  revision: number;
  width: number;
  height: number;
  references: readonly string[];
  version: number;
  decision: DecisionBasics | null;
  annotators: readonly Voice[];
  quorum: number;
  reasons: readonly string[];
  agreement: number | null;
  progress: Progress;
  phase: string;
  reviewer: string;
  review: Review;
  starts_from: DecisionBasics | null;
  error_kinds: readonly ErrorKind[];
}

/** The fields of a decision that every screen shows, its adopted voices under keys. */
export interface DecisionBasics {
  version: number;
  status: Status;
  note: string;
  reviewer: string;
  decided_at: string;
  based_on: readonly string[];
  error_kind: ErrorKind | null;
  guideline_flag: string | null;
  awaits: Awaits | null;
}

/** An annotator's status for a task: accepted, rejected (unfit for the campaign), or ignored. */
export type Status = "accepted" | "rejected" | "ignored";

/** The reviewer's reason why annotators went wrong on a figure. */
export type ErrorKind = "ambiguous text" | "guideline gap" | "slip" | "edge case";

/** The review that a decision waits for: by a second reviewer, or by a third who breaks a tie. */
export type Awaits = "second" | "tie-break";

/** An annotator under a key; name: "Annotator 1" ..., or "Prediction". */
export interface Voice {
  key: string;
  name: string;
}

/** The number of decided figures of the queue. */
export interface Progress {
  decided: number;
  total: number;
}

/**
 * The review that a figure waits for. may: whether the present reviewer may give it. told: a line
 * on it, "" where it does not wait.
 */
export interface Review {
  needs: Awaits | null;
  may: boolean;
  told: string;
}

/** A decision on subfigures. restored_from: unset for an annotator's own work. */
export interface SubfiguresView extends DecisionBasics {
  subfigures: readonly Panel[];
  seconds: number | null;
  restored_from?: number | null;
}

/** A subfigure in plain values. box: x0 y0 x1 y1 in pixels; tokens: ids, in any order from a reviewer. */
export interface Panel {
  label: string;
  box: readonly [number, number, number, number];
  tokens: readonly number[];
}

/** A caption with its tokens. */
export interface ShownCaption {
  text: string;
  tokens: readonly Token[];
}

/** A token of the caption. space, newline: what follows it before the next token; gap: other text that does. */
export interface Token {
  id: number;
  start: number;
  end: number;
  text: string;
  space: boolean;
  newline: boolean;
  gap: string;
}

/** A label with its colour. */
export interface LabelColor {
  label: string;
  color: string;
}

/** One annotator's opinion on the figure. reason: why they rejected it or left it out, "" if not given. */
export interface Opinion {
  annotator: string;
  status: Status;
  subfigures: readonly Panel[];
  reason: string;
}

/**
 * A subfigure merged from the voices that have it. votes: token id -> keys of the voices that include it.
 *
 * conflict: the voices differ here, for the `reasons`. preselected: enough voices have it to start from it.
 */
export interface Proposal {
  label: string;
  box: readonly [number, number, number, number];
  tokens: readonly number[];
  votes: Readonly<Record<string, readonly string[]>>;
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected: boolean;
}

/** The fields that the screen of subfigures has. items_url: that of type and pairs; None without these. */
export interface SubfiguresScreenParts extends ReviewerScreenParts {
  items_url: string | null;
}

/**
 * The fields that a reviewer's screen has. lease_url: says that it is open. skipped: by the reviewer.
 *
 * returns: whether an annotator's work can be sent back, or was. sent_back: whether an annotator is still
 * to correct work that was.
 */
export interface ReviewerScreenParts extends ScreenParts {
  history_url: string;
  lease_url: string;
  others: readonly Reviewing[];
  skipped: boolean;
  returns: boolean;
  sent_back: boolean;
}

/**
 * The fields that every screen has.
 *
 * image_url: None for a figure without an image here. next_url: None leads back to the list. findings: key of an
 * annotator, "" for what the screen starts from -> what the checks find in that work. comments: None for people
 * who may not comment.
 */
export interface ScreenParts {
  image_url: string | null;
  next_url: string | null;
  csrf: string;
  findings: Readonly<Record<string, readonly PanelFinding[]>>;
  findings_url: string;
  skip_url: string;
  comments: CommentsLink | null;
}

/** A guideline finding. item: the subfigure's label or the pair's id that it is on, "" for the figure. */
export interface PanelFinding {
  item: string;
  check: string;
  severity: Severity;
  message: string;
}

/** The severity of a finding: an error; very likely an error; worth a look. */
export type Severity = "error" | "warning" | "note";

/** The address of the comments on a figure, and how many of them are unread. */
export interface CommentsLink {
  url: string;
  unread: number;
}

/** Another reviewer who has the figure open, as far as is known. until: when that ends, ISO 8601. */
export interface Reviewing {
  reviewer: string;
  until: string;
}

/**
 * All that the screen of a figure's items shows, as it writes it but for addresses.
 *
 * kind: None if the figure's type is not requested. type_names: those there are to choose from, the
 * guidelines' first. findings: key of a voice, "" for the decision or proposal, -> what the checks found.
 * questions: of human evaluation, to be answered by an annotator. answered: annotators whose answers are on it.
 * kinds: the fields of drafts and decisions with what the figure asks for; a page may not know one of them.
 * type_words: type of a pair -> the same in words for reading.
 * adjudicated: whether reviewers decide on it, unlike on answers of human evaluation.
 */
export interface ItemsState extends FigureBasics {
  decision: ItemsView | OwnItemsView | null;
  starts_from: ItemsView | OwnItemsView | null;
  kind: KindItem | null;
  pairs: readonly PairItem[];
  caption: string;
  statuses: readonly Statement[];
  type_names: readonly string[];
  findings: Readonly<Record<string, readonly PanelFinding[]>>;
  questions: readonly Question[];
  answered: number;
  kinds: readonly string[];
  adjudicated: boolean;
  qa_types: readonly QAKind[];
  type_words: Readonly<Record<string, string>>;
  unanswerable: string;
  impossible: string;
}

/** A decision on a figure's type and pairs. */
export interface ItemsView extends DecisionBasics {
  kind: KindValue | null;
  verdicts: readonly PairWord[];
}

/** A figure's type: compound or not, of how many subfigures, of which types, in order; None if not said. */
export interface KindValue {
  compound: boolean | null;
  count: number | null;
  types: readonly string[];
  note: string;
}

/** The decision on one pair. item: its id. edited: the corrected pair, None if it was not edited. */
export interface PairWord {
  item: string;
  verdict: Verdict;
  edited: PairValue | null;
  note: string;
}

/** An annotator's judgement of a question-answer pair. */
export type Verdict = "Correct" | "Incorrect.Edit";

/** A question-answer pair without its id. evidence: labels of subfigures, in order. */
export interface PairValue {
  type: QAKind;
  question: string;
  choices: readonly string[];
  answer: string;
  evidence: readonly string[];
}

/** The seven types of question-answer pair, one of each per figure. */
export type QAKind = "closed-ended infinite answer set visual" | "closed-ended infinite answer set non-visual" | "closed-ended finite answer set binary visual" | "closed-ended finite answer set binary non-visual" | "closed-ended finite answer set non-binary visual" | "closed-ended finite answer set non-binary non-visual" | "unanswerable";

/** An annotator's own work on a figure's type, pairs or questions. */
export interface OwnItemsView extends DecisionBasics {
  kind: KindValue | null;
  verdicts: readonly PairWord[];
  answers: readonly AnswerWord[];
  seconds: number | null;
}

/** A person's own answer to a question. item: its pair's id. answer: None for "I don't know". */
export interface AnswerWord {
  item: string;
  answer: string | null;
  note: string;
}

/**
 * The figure's type to be adjudicated. original: what it came with. proposal: what the screen starts from.
 *
 * disputed: which of "compound", "count" and the types' names the voices differ in. conflict: for `reasons`.
 * preselected: enough voices say what is proposed.
 */
export interface KindItem {
  original: KindValue | null;
  readings: readonly KindReading[];
  proposal: KindValue;
  supporters: readonly string[];
  disputed: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected: boolean;
}

/** One annotator's opinion on the figure's type. */
export interface KindReading {
  annotator: string;
  value: KindValue;
}

/** A pair to be adjudicated; see `KindItem`. original: None for a pair that the figure no longer has. */
export interface PairItem {
  id: string;
  original: PairValue | null;
  readings: readonly PairReading[];
  proposal: PairWord;
  supporters: readonly string[];
  conflict: boolean;
  reasons: readonly string[];
  preselected: boolean;
  answers: readonly Answered[];
}

/** One annotator's opinion on a pair. */
export interface PairReading {
  annotator: string;
  verdict: Verdict;
  edited: PairValue | null;
  note: string;
}

/** A person's own answer in human evaluation, None for "I don't know"; shown beside the pair. */
export interface Answered {
  annotator: string;
  answer: string | null;
  note: string;
}

/** The status that one voice gives the figure. reason: why it is rejected or left out, "" if not given. */
export interface Statement {
  annotator: string;
  status: Status;
  reason: string;
}

/** A pair as human evaluation asks it: without its answer. */
export interface Question {
  id: string;
  type: QAKind;
  question: string;
  choices: readonly string[];
}

/** The fields that the screen of type and pairs has. subfigures_url: None for a figure without subfigures. */
export interface ItemsScreenParts extends ReviewerScreenParts {
  subfigures_url: string | null;
}

/**
 * The fields of an annotator's own task, in place of those of the same names that a reviewer sees.
 *
 * figure_id: the task's key. place: in the phase, from 1. undo_url: takes back the last submission. visit: what
 * has to be looked at before it is submitted. shown_id: the figure's id, "" where it is not shown.
 */
export interface OwnScreenParts extends ScreenParts {
  figure_id: string;
  place: number;
  undo_url: string;
  visit: Visit;
  shown_id: string;
  review: null;
  agreement: null;
}

/** The subfigures or items that an annotator has to look at before a submission on Panelwise's own screen. */
export type Visit = "none" | "all";

/** A decision on a figure's subfigures. */
export interface SubfiguresDraft extends DraftBasics {
  type: "subfigures";
  subfigures: readonly Panel[];
}

/**
 * The fields of every decision as a person sends it. version: the one it was loaded with, 0 if there was none.
 *
 * based_on: keys of the annotators whose work was adopted. seconds: time spent on the screen. guideline_flag:
 * what the guidelines leave open. second: a second reviewer is requested. viewed: labels of the subfigures, or
 * ids of the items ("" for the figure's type), that an annotator looked at or changed; None if not recorded.
 */
export interface DraftBasics {
  version: number;
  status: Status;
  based_on: readonly string[];
  note: string;
  seconds: number | null;
  error_kind: ErrorKind | null;
  guideline_flag: string | null;
  second: boolean;
  viewed: readonly string[] | null;
}

/** A decision on a figure's type and pairs. kind: None if the type is not requested. */
export interface ItemsDraft extends DraftBasics {
  type: "items";
  kind: KindValue | null;
  verdicts: readonly PairWord[];
}

/** An annotator's own work on a figure's type, pairs, or the questions of human evaluation. */
export interface OwnItemsDraft extends Omit<ItemsDraft, "type"> {
  type: "own-items";
  answers: readonly AnswerWord[];
}

/**
 * The conflict of a draft with a newer decision. version: of the history's last entry, for the next save.
 *
 * current: the decision that holds, with the draft compared to it; None if none does. error: in words.
 */
export interface Collision {
  version: number;
  current: SubfiguresView | ItemsView | null;
  conflict: SubfiguresComparison | ItemsComparison | null;
  error: string;
}

/** Two decisions on subfigures. merged: what is to be sent where the merge is taken. */
export interface SubfiguresComparison extends ComparisonBasics {
  merged: SubfiguresDraft;
  subfigures: readonly Part[];
}

/**
 * Two decisions side by side. base: the version that both started from, None for the candidates.
 *
 * clashes: how many subfigures or items, and fields, somebody must look at.
 */
export interface ComparisonBasics {
  base: number | null;
  status: Choice<Status>;
  note: Choice<string>;
  error_kind: Choice<ErrorKind | null>;
  guideline_flag: Choice<string | null>;
  clashes: number;
}

/** One field of two decisions. clash: both changed it, each otherwise. */
export interface Choice<T> {
  mine: T;
  theirs: T;
  merged: T;
  clash: boolean;
}

/**
 * A subfigure of two decisions; None on a side without it, and in `merged` if it is removed.
 *
 * differs: "only mine", "only theirs", or some of "label", "box", "tokens"; empty if both are alike.
 * only_mine, only_theirs: tokens, where both have the subfigure. iou: of the boxes. line: what differs, in words.
 */
export interface Part {
  id: string;
  label: string;
  mine: Panel | null;
  theirs: Panel | null;
  merged: Panel | null;
  differs: readonly string[];
  clash: boolean;
  only_mine: readonly number[];
  only_theirs: readonly number[];
  iou: number | null;
  line: string;
}

/** Two decisions on type and pairs. merged: what is to be sent where the merge is taken. */
export interface ItemsComparison extends ComparisonBasics {
  kind: ItemPart<KindValue> | null;
  pairs: readonly ItemPart<PairWord>[];
  merged: ItemsDraft;
}

/** One item of two decisions. id: the pair's, "" for the figure's type. differs: they do not say the same. */
export interface ItemPart<Value> {
  id: string;
  mine: Value | null;
  theirs: Value | null;
  merged: Value | null;
  differs: boolean;
  clash: boolean;
}

/**
 * A page of the comments on a figure that the reader may read: of the newest, or those before them.
 *
 * last: the number of the last one, 0 for none. earlier: the number before which there are more comments, None if
 * these are the first. longest: characters that one may have.
 */
export interface Conversation {
  threads: readonly Thread[];
  parties: readonly Party[];
  last: number;
  earlier: number | null;
  longest: number;
}

/** Comments that answer each other, oldest first. between: with whom the reader shares them. */
export interface Thread {
  id: number;
  between: string;
  comments: readonly ShownComment[];
}

/** A comment as its reader sees it. mine: the reader wrote it. */
export interface ShownComment {
  author: string;
  mine: boolean;
  at: string;
  body: string;
}

/** Somebody with whom the reader can begin a thread. */
export interface Party {
  key: string;
  name: string;
}

/** The parsed guidelines. version: from campaign.toml, or "". */
export interface Guidelines {
  version: string;
  blocks: readonly (Element | string)[];
}

/**
 * An element of the guidelines. children: () for an empty one such as a rule or an empty cell.
 *
 * start: first number of a numbered list if it is not 1.
 */
export interface Element {
  tag: string;
  children: readonly (Element | string)[];
  href?: string;
  align?: string;
  start?: number | null;
}

/**
 * All that the screen of one blind task shows.
 *
 * key: stands for the task in addresses. place, total: its number among those of the phase. written: how many of
 * them have work of this reviewer. version: counts this reviewer's own saves. told: what there is to say of the
 * figure, from what the reviewer themselves did before, "" for nothing. next_url: None leads back to the list.
 */
export interface BlindScreen {
  key: string;
  phase: string;
  place: number;
  total: number;
  written: number;
  image_url: string;
  width: number;
  height: number;
  revision: number;
  caption: ShownCaption;
  references: readonly string[];
  reference_panels: readonly (readonly string[])[];
  given: readonly BlindBox[];
  source: string;
  version: number;
  own: OwnWork | null;
  told: string;
  reviewer: string;
  next_url: string | null;
  csrf: string;
}

/** A subfigure that is given: its label, its box in pixels (x0 y0 x1 y1), and the label's colour. */
export interface BlindBox {
  label: string;
  box: readonly [number, number, number, number];
  color: string;
}

/**
 * The reviewer's own last save. texts: token ids, a list for each given subfigure, in their order.
 *
 * reason: why the figure is unfit, "" if it is not.
 */
export interface OwnWork {
  status: Status;
  texts: readonly (readonly number[])[];
  saved_at: string;
  reason: string;
}

/**
 * The subcaptions as the reviewer wrote them: token ids, a list for each given subfigure, in their order.
 *
 * There is no box in it: those are given. version: the one that the work began from, 0 for none. status:
 * accepted, or rejected for a figure that is unfit, and then `texts` is empty and `reason` says why.
 */
export interface BlindDraft {
  version: number;
  status: Status;
  texts: readonly (readonly number[])[];
  seconds: number | null;
  reason: string;
}

/** The answer to a save. */
export interface BlindSaved {
  version: number;
  written: number;
  total: number;
  next_url: string | null;
}

/** The answer to a save that another tab of the same reviewer came before. current: what that one saved. */
export interface BlindOvertaken {
  error: string;
  version: number;
  current: OwnWork | null;
}
