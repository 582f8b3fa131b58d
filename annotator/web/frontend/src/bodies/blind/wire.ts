/** What the server sends and takes of a blind task: the JSON of /api/blind/<key>. Other people's work is never in it. */

import type { Box, Token } from "../subfigures/types";
import type { Status } from "../../wire/types";

/** texts of `own`: token ids, a list for each given subfigure. reason: why the figure is unfit. */
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
  caption: { text: string; tokens: readonly Token[] };
  references: readonly string[];
  reference_panels?: readonly (readonly string[])[];
  given: readonly { label: string; box: Box; color: string }[];
  source: string;
  version: number;
  own: OwnWork | null;
  told: string;
  reviewer: string;
  next_url: string | null;
  csrf: string;
}

export interface OwnWork {
  status: Status;
  texts: readonly (readonly number[])[];
  saved_at: string;
  reason: string;
}

/** What is posted: no box is in it. */
export interface BlindPayload {
  version: number;
  status: Status;
  texts: number[][];
  seconds: number;
  reason: string;
}
