/** What every screen sends and gets: the server's own types (server.ts), as far as the screens have them in common. */

import type * as server from "./server";
import type { Status } from "./server";

export type {
  Awaits,
  Choice as ConflictChoice,
  Conversation,
  Element,
  ErrorKind,
  Guidelines as GuidelineText,
  PanelFinding as Finding,
  Progress,
  Reviewing,
  Severity,
  Status,
  Voice as Annotator,
} from "./server";

/** Display names of an annotator's work and of a reviewer's decision, as panelwise/domain/annotation.py has them. */
export const WORK_WORDS: Record<Status, string> = { accepted: "done", rejected: "rejected", ignored: "left out" };
export const DECISION_WORDS: Record<Status, string> = { accepted: "accepted", rejected: "rejected", ignored: "deferred" };

/** The word as a sentence begins with it. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** T, of which a screen does without the fields K. */
export type Without<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

/** A decision without what an annotator's own work, or a blind task, does not have. */
export type Decision<D extends server.DecisionBasics> = Without<
  D,
  "version" | "error_kind" | "guideline_flag" | "awaits"
>;
export type Decided = Decision<server.DecisionBasics>;

type Parts = server.ReviewerScreenParts & server.OwnScreenParts;

/** What there is beside the figure's state on some screens only. */
type SomeParts = Partial<
  Pick<Parts, "history_url" | "returns" | "sent_back" | "findings" | "findings_url" | "comments" | "lease_url" | "skip_url" | "visit" | "undo_url">
>;

/** What some screens do without. */
type Spared = "revision" | "reasons" | "quorum" | "error_kinds";

/**
 * What a screen loads of a figure. D: a decision there, S: the server's state of that screen. campaign: a mark, so that
 * drafts of two campaigns on one address stay apart.
 */
export type FigureBasics<
  D extends Decided = Decided,
  S extends server.FigureBasics = server.FigureBasics,
> = Omit<S, "decision" | "starts_from" | "review" | "findings" | Spared> &
  Partial<Pick<S, Spared>> &
  SomeParts &
  Pick<Parts, "image_url" | "next_url" | "csrf"> & {
    campaign?: string;
    decision: D | null;
    starts_from?: D | null;
    review?: server.Review | null;
    others?: readonly server.Reviewing[];
  };

/** What a save posts. viewed: on annotators' own tasks only. The address says the type. */
export type Payload<D extends server.DraftBasics> = Omit<D, "type" | "viewed"> & Partial<Pick<D, "viewed">>;

/** What every save posts. version is the one that was loaded: the server answers 409 where another came first. */
export type Sent = Payload<server.DraftBasics>;

/** A thing of one decision or both: null where a side does not have it. */
export type Part<T = unknown> = Omit<server.ItemPart<T>, "differs">;

/** One's own decision and the one that came before it, as the server compares them. merged: ready to be sent. */
export type Compared<P extends Sent = Sent> = server.ComparisonBasics & { merged: P };

/** A piece of the guidelines: text, or an element of a kind that the server lets through. */
export type Piece = server.Guidelines["blocks"][number];
