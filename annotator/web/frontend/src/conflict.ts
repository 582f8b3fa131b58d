/** A colleague's decision and one's own, and what is made of the two: subfigure by subfigure. Pure. */

import type { Conflict, ConflictChoice, ConflictPart, Payload, Status, Subfigure } from "./types";

export type Pick3 = "mine" | "theirs" | "merged";

/** One line of the comparison that somebody has to look at. key: a part's id, or the name of a field. */
export interface Row {
  key: string;
  part: ConflictPart | null;
  clash: boolean;
}

export const FIELDS = ["status", "note", "error_kind", "guideline_flag"] as const;
export type Field = (typeof FIELDS)[number];

export const FIELD_NAMES: Record<Field, string> = {
  status: "Figure",
  note: "Note",
  error_kind: "Error kind",
  guideline_flag: "For the guidelines",
};

/** What differs, fields first; parts only where both keep the figure. */
export function rowsOf(conflict: Conflict): Row[] {
  const fields = FIELDS.filter((field) => conflict[field].mine !== conflict[field].theirs);
  const parts = conflict.subfigures.filter((part) => part.differs.length > 0);
  return [
    ...fields.map((key): Row => ({ key, part: null, clash: conflict[key].clash })),
    ...parts.map((part): Row => ({ key: part.id, part, clash: part.clash })),
  ];
}

export type Choices = Readonly<Record<string, Pick3>>;

/** Nothing is chosen at first: then the merge of both stands. */
export function choiceOf(choices: Choices, key: string): Pick3 {
  return choices[key] ?? "merged";
}

/** Whether the merge of a part is neither one's own nor theirs, and so a choice of its own. */
export function mergeIsNew(row: Row, conflict: Conflict): boolean {
  const of: { mine: unknown; theirs: unknown; merged: unknown } = row.part ?? conflict[row.key as Field];
  const merged = JSON.stringify(of.merged);
  return merged !== JSON.stringify(of.mine) && merged !== JSON.stringify(of.theirs);
}

/** Which of the sides a row's choice comes to: the merge, where it is one side's, is that side. */
export function sideOf(row: Row, conflict: Conflict, choices: Choices): Pick3 {
  const choice = choiceOf(choices, row.key);
  if (choice !== "merged" || mergeIsNew(row, conflict)) return choice;
  const of: { mine: unknown; merged: unknown } = row.part ?? conflict[row.key as Field];
  return JSON.stringify(of.merged) === JSON.stringify(of.mine) ? "mine" : "theirs";
}

/** The decision that the choices make. seconds: spent by now. */
export function mergedDecision(conflict: Conflict, choices: Choices, sent: Payload, seconds: number): Payload {
  const field = <T>(key: Field, of: ConflictChoice<T>): T => of[choiceOf(choices, key)];
  const status: Status = field("status", conflict.status);
  const parts = conflict.subfigures.map((part) => part[choiceOf(choices, part.id)]);
  const accepted = status === "accepted";
  return {
    ...conflict.merged,
    status,
    note: field("note", conflict.note),
    error_kind: field("error_kind", conflict.error_kind),
    guideline_flag: field("guideline_flag", conflict.guideline_flag),
    second: sent.second,
    subfigures: accepted ? parts.filter((part): part is Subfigure => part !== null) : [],
    based_on: accepted ? conflict.merged.based_on : [],
    seconds: Math.round(seconds * 10) / 10,
  };
}

/** A label that would be on two subfigures, or null. */
export function repeatedLabel(decision: Pick<Payload, "subfigures">): string | null {
  const labels = decision.subfigures.map(({ label }) => label);
  return labels.find((label, i) => labels.indexOf(label) !== i) ?? null;
}
