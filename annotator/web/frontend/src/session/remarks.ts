/** What a reviewer writes of the decision as a whole. */

import type { Decided, ErrorKind } from "../wire/types";

/** second: whether another reviewer is asked to look too. guideline_flag: the question for the guidelines, "" for none. */
export interface Remarks {
  note: string;
  error_kind: ErrorKind | null;
  guideline_flag: string;
  second: boolean;
}

export const NO_REMARKS: Remarks = { note: "", error_kind: null, guideline_flag: "", second: false };

export type Remarked = Pick<Decided, "note"> & { error_kind?: ErrorKind | null; guideline_flag?: string | null };

/** Those of a standing decision. Whoever asked for a second reviewer has asked; it is not asked again. */
export function remarksOf(decision: Remarked | null): Remarks {
  if (decision === null) return NO_REMARKS;
  const { note, error_kind = null, guideline_flag } = decision;
  return { note, error_kind, guideline_flag: guideline_flag ?? "", second: false };
}

export function sameRemarks(a: Remarks, b: Remarks): boolean {
  return (
    a.note === b.note &&
    a.error_kind === b.error_kind &&
    a.guideline_flag === b.guideline_flag &&
    a.second === b.second
  );
}

export function isRemarks(value: unknown): value is Remarks {
  if (typeof value !== "object" || value === null) return false;
  const { note, error_kind, guideline_flag, second } = value as Partial<Remarks>;
  return (
    typeof note === "string" &&
    (error_kind === null || typeof error_kind === "string") &&
    typeof guideline_flag === "string" &&
    typeof second === "boolean"
  );
}
