/** What can be done to subfigures: boxes and tokens. */

import type { Box } from "./types";

export type SubfigureAction =
  | { type: "cursor"; to: number; extend?: boolean }
  | { type: "move"; by: 1 | -1; extend?: boolean }
  | { type: "differing"; by: 1 | -1 }
  | { type: "toggle" }
  | { type: "run"; from: number; to: number; on: boolean }
  | { type: "clause"; at: number }
  | { type: "adjust"; edge: "start" | "end"; by: 1 | -1 }
  | { type: "adopt"; annotator: number; box: boolean }
  | { type: "adopt-open"; annotator: number }
  | { type: "swap" }
  | { type: "number" }
  | { type: "none" }
  | { type: "accept" }
  | { type: "reject"; id?: string }
  | { type: "relabel"; id: string; label: string }
  | { type: "reorder"; by: 1 | -1 }
  | { type: "place"; id: string; at: number }
  | { type: "box"; id: string; box: Box }
  | { type: "nudge"; dx: number; dy: number; resize: boolean }
  | { type: "add"; id: string; box: Box };
