/** What the screen remembers beside the model, and what it asks of the page that it is on. */

import type { Choices } from "./conflict";
import type { Failed } from "./figuresession";
import type { DraftNotice } from "./recovery";
import type { Box, Conflict, Decision, GuidelineText, Payload, Reviewing } from "./types";

export type Notice =
  | ConflictNotice
  | Failed<Payload>
  | DraftNotice
  | { kind: "reject" };

/** row: index of the line that keys work on. conflict: null where nobody's decision holds any more. */
export interface ConflictNotice {
  kind: "conflict";
  message: string;
  version: number;
  current: Decision | null;
  conflict: Conflict | null;
  sent: Payload;
  choices: Choices;
  row: number;
}

/** The campaign's guidelines, beside the caption. null: not asked for yet. */
export interface Guideline {
  shown: boolean;
  text: GuidelineText | "loading" | "failed" | null;
}

export interface Screen {
  pane: "caption" | "image";
  layers: readonly boolean[];
  drawing: boolean;
  panning: boolean;
  /** The next digit names an annotator whose reading all that is open takes. */
  taking: boolean;
  sheet: boolean;
  saving: boolean;
  offline: boolean;
  notice: Notice | null;
  /** Other reviewers on this figure. */
  others: readonly Reviewing[];
  guideline: Guideline;
  moving: { id: string; box: Box } | null;
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
}

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
  /** Commits what the mouse has changed and not yet told. */
  flush(): void;
  focus(what: "caption" | "image" | "label" | "note" | "sheet" | "reject" | "conflict" | "error-kind" | "flag" | "guideline"): void;
  /** The scale at which the image fits its pane. */
  fit(): number;
}
