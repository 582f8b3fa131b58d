/** Unsaved work, kept in the browser: one draft a reviewer, figure, revision and version. */

import type { Model } from "./model";
import type { Work } from "./work";

export interface Draft {
  work: Work;
  note: string;
  chosen: string | null;
  seconds: number;
  saved_at: string;
}

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "panelwise.draft";

function prefixOf(model: Model): string {
  return [PREFIX, model.state.reviewer, model.state.figure_id, ""].map(encodeURIComponent).join("/");
}

export function draftKey(model: Model): string {
  const { revision = 1 } = model.state;
  return `${prefixOf(model)}${revision > 1 ? `${revision}-` : ""}${model.version}`;
}

/** Whether it was kept: storage may be full or forbidden, and then only a warning is lost, not the work. */
export function keepDraft(shelf: Shelf, model: Model, seconds: number, now: Date): boolean {
  const { work, note, chosen } = model;
  const draft: Draft = { work, note, chosen, seconds, saved_at: now.toISOString() };
  try {
    shelf.setItem(draftKey(model), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** The draft of this very version, or null. What does not look like one is dropped. */
export function findDraft(shelf: Shelf, model: Model): Draft | null {
  const key = draftKey(model);
  const text = readItem(shelf, key);
  if (text === null) return null;
  try {
    const draft: unknown = JSON.parse(text);
    if (isDraft(draft, model)) return draft;
  } catch {
    // Not JSON: fall through to where it is dropped.
  }
  shelf.removeItem(key);
  return null;
}

/** Forgets the drafts of this figure, of older versions too. */
export function dropDrafts(shelf: Shelf, model: Model): void {
  const prefix = prefixOf(model);
  try {
    const keys = Array.from({ length: shelf.length }, (_, i) => shelf.key(i));
    for (const key of keys) if (key?.startsWith(prefix)) shelf.removeItem(key);
  } catch {
    // Storage is forbidden: there is nothing to drop.
  }
}

function readItem(shelf: Shelf, key: string): string | null {
  try {
    return shelf.getItem(key);
  } catch {
    return null;
  }
}

function isDraft(value: unknown, model: Model): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Partial<Draft>;
  if (typeof draft.note !== "string" || typeof draft.saved_at !== "string") return false;
  if (typeof draft.work?.figureOpen !== "boolean" || !Array.isArray(draft.work.panels)) return false;
  const count = model.state.caption.tokens.length;
  return draft.work.panels.every(
    (panel) =>
      typeof panel.id === "string" &&
      typeof panel.label === "string" &&
      ["open", "accepted", "rejected"].includes(panel.review) &&
      Array.isArray(panel.box) &&
      panel.box.length === 4 &&
      panel.box.every((edge: unknown) => Number.isFinite(edge)) &&
      Array.isArray(panel.tokens) &&
      panel.tokens.every((id: number) => Number.isInteger(id) && id >= 0 && id < count) &&
      Array.isArray(panel.basis) &&
      (panel.candidate === null || model.state.candidates[panel.candidate] !== undefined),
  );
}
