/** A colleague's decision and one's own, and what is made of the two: line by line. Pure. */

import type { Compared, ConflictChoice, Part, Sent } from "../wire/types";
import type { Body } from "./body";
import type { Kind } from "./kind";
import { toTenths } from "./model";
import type { Choices, Side } from "./screen";

const FIELDS = ["status", "note", "error_kind", "guideline_flag"] as const;
type Field = (typeof FIELDS)[number];

const FIELD_NAMES: Record<Field, string> = {
  status: "Figure",
  note: "Note",
  error_kind: "Error kind",
  guideline_flag: "For the guidelines",
};

/** One line of the comparison that the reviewer has to look at. part: null for a field, which `name` then names. */
export interface Row {
  key: string;
  name: string;
  part: Part | null;
  clash: boolean;
  sides: Record<Side, unknown>;
}

/** What differs: fields first, then the body's parts. */
export function rowsOf<K extends Kind>(body: Body<K>, conflict: K["conflict"]): Row[] {
  const fields = FIELDS.filter((field) => conflict[field].mine !== conflict[field].theirs);
  const parts = body.parts(conflict).filter(({ differs }) => differs);
  return [
    ...fields.map((key): Row => ({ key, name: FIELD_NAMES[key], part: null, clash: conflict[key].clash, sides: conflict[key] })),
    ...parts.map(({ part }): Row => ({ key: keyOf(part), name: "", part, clash: part.clash, sides: part })),
  ];
}

const keyOf = (part: Part): string => `part ${part.id}`;

/** Without a choice the merge of both applies. */
function choiceOf(choices: Choices, key: string): Side {
  return choices[key] ?? "merged";
}

/** Whether the merge of a line is neither side's, and so a choice of its own. */
export function mergeIsNew({ sides }: Row): boolean {
  const merged = JSON.stringify(sides.merged);
  return merged !== JSON.stringify(sides.mine) && merged !== JSON.stringify(sides.theirs);
}

/** Which of the sides a line's choice comes to: the merge, where it is one side's, is that side. */
export function sideOf(row: Row, choices: Choices): Side {
  const choice = choiceOf(choices, row.key);
  if (choice !== "merged" || mergeIsNew(row)) return choice;
  return JSON.stringify(row.sides.merged) === JSON.stringify(row.sides.mine) ? "mine" : "theirs";
}

/** The decision that the choices make. seconds: spent by now. */
export function mergedDecision<K extends Kind>(
  body: Body<K>,
  conflict: K["conflict"],
  choices: Choices,
  sent: K["payload"],
  seconds: number,
): K["payload"] {
  const field = <T>(key: Field, of: ConflictChoice<T>): T => of[choiceOf(choices, key)];
  const status = field("status", conflict.status);
  const accepted = status === "accepted";
  const compared: Compared = conflict;
  const pick = <T>(part: Part<T>): T | null => (accepted ? part[choiceOf(choices, keyOf(part))] : null);
  return {
    ...compared.merged,
    status,
    note: field("note", conflict.note),
    error_kind: field("error_kind", conflict.error_kind),
    guideline_flag: field("guideline_flag", conflict.guideline_flag),
    second: sent.second,
    ...body.merge(conflict, pick),
    based_on: accepted ? compared.merged.based_on : [],
    seconds: toTenths(seconds),
  } satisfies Sent as K["payload"];
}
