/** What can be done to types, pairs and answers. */

import type { KindValue, PairValue } from "./types";
import type { AnswerWork } from "./work";

export type ItemsAction =
  | { type: "accept" | "correct" | "incorrect" | "original" | "compound" | "toggle-type" }
  | { type: "adopt" | "adopt-open"; annotator: number }
  | { type: "edit"; id: string; change: Partial<PairValue> }
  | { type: "note"; id: string; note: string }
  | { type: "retype"; id: string; name: string }
  | { type: "kind"; change: Partial<KindValue> }
  | { type: "count"; by: 1 | -1 }
  | { type: "cursor"; by: 1 | -1; disputed?: boolean }
  | { type: "answer"; id: string; change: Partial<Pick<AnswerWork, "answer" | "note">> }
  | { type: "pick"; option: number }
  | { type: "unanswerable" | "unknown" }
  | { type: "flip"; name: string };
