/** A colleague's decision on types and pairs and one's own, and what is made of the two. Pure. */

import { choiceOf, FIELDS, type Choices, type Field, type Pick3 } from "./conflict";
import type { ItemPart, ItemsConflict, ItemsPayload, KindValue, PairWord } from "./itemstypes";
import type { ConflictChoice } from "./types";

/** One line of the comparison. key: a field's name, or "item " and the id of an item. */
export interface ItemRow {
  key: string;
  part: ItemPart<KindValue> | ItemPart<PairWord> | null;
  clash: boolean;
}

const keyOf = (part: { id: string }): string => `item ${part.id}`;

/** What differs: fields first, then the figure's type, then pairs; items only where both keep the figure. */
export function rowsOf(conflict: ItemsConflict): ItemRow[] {
  const fields = FIELDS.filter((field) => conflict[field].mine !== conflict[field].theirs);
  const both = conflict.status.mine === "accepted" && conflict.status.theirs === "accepted";
  const parts = both ? [...(conflict.kind ? [conflict.kind] : []), ...conflict.pairs].filter(({ differs }) => differs) : [];
  return [
    ...fields.map((key): ItemRow => ({ key, part: null, clash: conflict[key].clash })),
    ...parts.map((part): ItemRow => ({ key: keyOf(part), part, clash: part.clash })),
  ];
}

function sidesOf(row: ItemRow, conflict: ItemsConflict): { mine: unknown; theirs: unknown; merged: unknown } {
  return row.part ?? conflict[row.key as Field];
}

/** Whether the merge of a line is neither side's, and so a choice of its own. */
export function mergeIsNew(row: ItemRow, conflict: ItemsConflict): boolean {
  const { mine, theirs, merged } = sidesOf(row, conflict);
  const made = JSON.stringify(merged);
  return made !== JSON.stringify(mine) && made !== JSON.stringify(theirs);
}

/** Which of the sides a line's choice comes to. */
export function sideOf(row: ItemRow, conflict: ItemsConflict, choices: Choices): Pick3 {
  const picked = choiceOf(choices, row.key);
  if (picked !== "merged" || mergeIsNew(row, conflict)) return picked;
  const { mine, merged } = sidesOf(row, conflict);
  return JSON.stringify(merged) === JSON.stringify(mine) ? "mine" : "theirs";
}

/** The decision that the choices make. seconds: spent by now. */
export function mergedItems(conflict: ItemsConflict, choices: Choices, sent: ItemsPayload, seconds: number): ItemsPayload {
  const field = <T>(key: Field, of: ConflictChoice<T>): T => of[choiceOf(choices, key)];
  const item = <T>(part: ItemPart<T>): T | null => part[choiceOf(choices, keyOf(part))];
  const status = field("status", conflict.status);
  const accepted = status === "accepted";
  const verdicts = conflict.pairs.map(item).filter((word): word is PairWord => word !== null);
  return {
    ...conflict.merged,
    status,
    note: field("note", conflict.note),
    error_kind: field("error_kind", conflict.error_kind),
    guideline_flag: field("guideline_flag", conflict.guideline_flag),
    second: sent.second,
    kind: accepted && conflict.kind ? item(conflict.kind) : null,
    verdicts: accepted ? verdicts : [],
    based_on: accepted ? conflict.merged.based_on : [],
    seconds: Math.round(seconds * 10) / 10,
  };
}
