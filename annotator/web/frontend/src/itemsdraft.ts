/** Unsaved work on types and pairs, kept in the browser as that on subfigures is, and what becomes of it. */

import { dropDraft, type Shelf } from "./draft";
import { isDirty, payload, reduce, says, type ItemsModel } from "./itemsmodel";
import type { ItemsState } from "./itemstypes";
import type { Work } from "./itemswork";
import { isRemarks, type Remarks } from "./remarks";

/** pairs: the ids that it is on, in order; another set of pairs is another figure to settle. */
export interface ItemsDraft {
  work: Work;
  remarks: Remarks;
  chosen: string | null;
  seconds: number;
  saved_at: string;
  pairs: readonly string[];
}

/** fits: same figure, version and pairs; behind: somebody decided since; replaced: it is on other ones. */
export interface FoundDraft {
  key: string;
  draft: ItemsDraft;
  kind: "fits" | "behind" | "replaced";
}

export type ItemsDraftNotice =
  | { kind: "draft"; saved_at: string }
  | { kind: "stale"; found: FoundDraft };

const PREFIX = "panelwise.items";

function prefixOf({ campaign = "", reviewer, figure_id }: ItemsState): string {
  return [PREFIX, campaign, reviewer, figure_id, ""].map(encodeURIComponent).join("/");
}

export function draftKey({ state, version }: Pick<ItemsModel, "state" | "version">): string {
  return `${prefixOf(state)}${state.revision}-${version}`;
}

/** Whether it was kept: storage may be full or forbidden, and then only a warning is lost, not the work. */
export function keepDraft(shelf: Shelf, model: ItemsModel, seconds: number, now: Date): boolean {
  const { work, remarks, chosen, state } = model;
  const pairs = state.pairs.map(({ id }) => id);
  const draft: ItemsDraft = { work, remarks, chosen, seconds, saved_at: now.toISOString(), pairs };
  try {
    shelf.setItem(draftKey(model), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** The draft of this very version, else the latest of another one, else null. What looks like none is dropped. */
export function findDraft(shelf: Shelf, model: ItemsModel): FoundDraft | null {
  const prefix = prefixOf(model.state);
  const own = draftKey(model);
  const pairs = model.state.pairs.map(({ id }) => id).join("\n");
  let best: FoundDraft | null = null;
  for (const key of keysOf(shelf, prefix)) {
    const draft = read(shelf, key);
    if (draft === null) {
      dropDraft(shelf, key);
      continue;
    }
    const alike = key.startsWith(`${prefix}${model.state.revision}-`) && draft.pairs.join("\n") === pairs;
    const found: FoundDraft = { key, draft, kind: !alike ? "replaced" : key === own ? "fits" : "behind" };
    if (found.kind === "fits") return found;
    if (best === null || draft.saved_at > best.draft.saved_at) best = found;
  }
  return best;
}

/** Puts unsaved work back where it fits; where something came between, the reviewer is to be asked. */
export function recover(
  shelf: Shelf,
  model: ItemsModel,
): { model: ItemsModel; notice: ItemsDraftNotice | null; seconds: number } {
  const none = { model, notice: null, seconds: 0 };
  const found = findDraft(shelf, model);
  if (!found) return none;
  if (found.kind === "replaced") return { ...none, notice: { kind: "stale", found } };
  const again = recovered(model, found.draft);
  if (found.kind === "fits" && isDirty(again)) {
    // What was recovered is where undo ends: Discard is the way back.
    const { saved_at, seconds } = found.draft;
    return { model: { ...again, past: [] }, notice: { kind: "draft", saved_at }, seconds };
  }
  const { decision } = model.state;
  if (found.kind === "fits" || (decision !== null && says(payload(again, "accepted", 0), decision))) {
    // It was saved, though the page was closed before it could hear so.
    dropDraft(shelf, found.key);
    return none;
  }
  return { ...none, notice: { kind: "stale", found } };
}

/** The model with a draft's work in place of its own. */
export function recovered(model: ItemsModel, { work, remarks, chosen }: ItemsDraft): ItemsModel {
  return reduce(model, { type: "replace", work, remarks, chosen, said: "Unsaved work restored." });
}

function keysOf(shelf: Shelf, prefix: string): string[] {
  try {
    const keys = Array.from({ length: shelf.length }, (_, i) => shelf.key(i));
    return keys.filter((key): key is string => key?.startsWith(prefix) ?? false);
  } catch {
    return [];
  }
}

function read(shelf: Shelf, key: string): ItemsDraft | null {
  try {
    const draft: unknown = JSON.parse(shelf.getItem(key) ?? "null");
    return isDraft(draft) ? draft : null;
  } catch {
    return null;
  }
}

function isDraft(value: unknown): value is ItemsDraft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Partial<ItemsDraft>;
  if (!isRemarks(draft.remarks) || typeof draft.saved_at !== "string" || !Number.isFinite(draft.seconds)) return false;
  if (!texts(draft.pairs) || typeof draft.work?.figureOpen !== "boolean" || !Array.isArray(draft.work.pairs)) return false;
  const { kind, pairs } = draft.work;
  const typed = kind === null || (typeof kind?.settled === "boolean" && texts(kind.basis) && texts(kind.value?.types));
  return (
    typed &&
    pairs.every(
      (pair) =>
        typeof pair.id === "string" &&
        ["Correct", "Incorrect.Edit"].includes(pair.verdict) &&
        typeof pair.note === "string" &&
        typeof pair.settled === "boolean" &&
        texts(pair.basis) &&
        typeof pair.edit?.type === "string" &&
        typeof pair.edit.question === "string" &&
        typeof pair.edit.answer === "string" &&
        texts(pair.edit.choices) &&
        texts(pair.edit.evidence),
    )
  );
}

function texts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
