/** What tells one body of the screen from another: the types that belong together, and the actions that all have. */

import type { Compared, Decided, FigureBasics, Sent } from "../wire/types";
import type { Remarks } from "./remarks";

/** The figure itself as something to decide on, where annotators differ on whether it is fit. */
export const FIGURE = "figure";

/** The types that belong together in one body. */
export interface Kind {
  state: FigureBasics;
  work: { figureOpen: boolean };
  decision: Decided;
  payload: Sent;
  conflict: Compared;
  action: { type: string };
}

/** An action that every body has. */
export type CommonAction<K extends Kind> =
  | { type: "choose"; id: string }
  | { type: "step"; by: 1 | -1; among: "open" | "all" }
  | { type: "remark"; change: Partial<Remarks> }
  | { type: "undo" | "redo" }
  | { type: "replace"; work: K["work"]; remarks: Remarks; chosen: string | null; said: string }
  | { type: "theirs"; decision: K["decision"]; version: number }
  | { type: "merged"; decision: K["payload"] }
  | { type: "version"; version: number };
