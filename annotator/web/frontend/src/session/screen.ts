/** What the screen remembers beside the model, and what it asks of the page that it is on. */

import type { Conversation, Finding, GuidelineText, Reviewing } from "../wire/types";
import type { Kind } from "./kind";
import type { Remarks } from "./remarks";

export type Side = "mine" | "theirs" | "merged";

/** The side that was chosen for lines, by their keys. */
export type Choices = Readonly<Record<string, Side>>;

/** Unsaved work, as it is stored. */
export interface Draft<K extends Kind> extends Record<string, unknown> {
  work: K["work"];
  remarks: Remarks;
  chosen: string | null;
  seconds: number;
  saved_at: string;
}

/** fits: same figure and version; behind: another decision came since; replaced: it is on another caption or image. */
export interface Found<K extends Kind> {
  key: string;
  draft: Draft<K>;
  kind: "fits" | "behind" | "replaced";
}

/** draft: it was restored. stale: it can be, for another decision, caption or image came after it. */
export type DraftNotice<K extends Kind> =
  | { kind: "draft"; saved_at: string }
  | { kind: "stale"; found: Found<K>; lines: string[] };

export type Notice<K extends Kind> = ConflictNotice<K> | Failed<K> | DraftNotice<K> | { kind: "reject" };

/** row: index of the line that keys work on. conflict: null where no decision is left to compare with. */
export interface ConflictNotice<K extends Kind> {
  kind: "conflict";
  message: string;
  version: number;
  current: K["decision"] | null;
  conflict: K["conflict"] | null;
  sent: K["payload"];
  choices: Choices;
  row: number;
}

/** What could not be sent. left: seconds until the next try; 0 while it is under way; null where only the reviewer tries again. */
export interface Failed<K extends Kind> {
  kind: "failed";
  message: string;
  sent: K["payload"];
  signedOut: boolean;
  left: number | null;
}

/** The campaign's guidelines. null: not loaded yet. */
export type Guideline = GuidelineText | "loading" | "failed" | null;

/** Comments on the figure. text: the one that is being written. to: the thread that it answers, else its recipient's key. */
export interface Talk {
  shown: Conversation | "loading" | "failed";
  unread: number;
  text: string;
  to: string;
}

export interface Screen<K extends Kind> {
  pane: "caption" | "image";
  /** Whether each annotator's boxes show. */
  layers: readonly boolean[];
  /** Whether the next drag over the image draws a box, and whether those after it do. */
  drawing: false | "one" | "several";
  panning: boolean;
  /** The next digit names an annotator: all that is open becomes as that one has it. */
  taking: boolean;
  sheet: boolean;
  saving: boolean;
  offline: boolean;
  notice: Notice<K> | null;
  /** Other reviewers on this figure. */
  others: readonly Reviewing[];
  /** What lies over the figure. */
  over: "guideline" | "comments" | null;
  guideline: Guideline;
  talk: Talk;
  /** Of the guideline checks, in what is on the screen now. */
  findings: readonly Finding[];
  /** The box under the mouse, as x0 y0 x1 y1 in pixels of the image. */
  moving: { id: string; box: readonly [number, number, number, number] } | null;
  /** CSS pixels a pixel of the image; null fits the pane. */
  zoom: number | null;
}

export interface Places {
  stateUrl: string;
  saveUrl: string;
  queueUrl: string;
  csrf: string;
  /** null where the campaign has no guidelines. */
  guidelineUrl: string | null;
  /** The page of the documentation on this screen. */
  helpUrl: string;
}

/** A selector for each thing that can have the focus. */
export const FOCUS = {
  caption: "#caption",
  image: "#figure-view",
  label: "#label",
  item: "#item",
  edit: "#edit",
  "pair-note": "#pair-note",
  note: "#note",
  "error-kind": "#error-kind",
  flag: "#flag",
  sheet: "#sheet",
  reject: "#reject-note",
  conflict: "#conflict",
  guideline: "#guideline",
  comment: "#comment",
} as const;

export type Focus = keyof typeof FOCUS;

/** What the session asks of the page that it runs in. */
export interface Page {
  storage: Storage;
  now(): number;
  /** Calls once after so many milliseconds, unless what is returned is called before. */
  after(milliseconds: number, call: () => void): () => void;
  /** Whether the screen can be seen. */
  seen(): boolean;
  go(url: string): void;
  /** The address of this very figure. */
  here(): string;
  focus(what: Focus): void;
  /** Commits what the mouse has changed and not yet reported. */
  flush(): void;
  /** The scale at which the image fits its pane. */
  fit(): number;
}
