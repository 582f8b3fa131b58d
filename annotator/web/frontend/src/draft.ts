/** Unsaved work, kept in the browser: one draft a campaign, reviewer, figure, revision and version. */

import type { Model } from "./model";
import { isRemarks, type Remarks } from "./remarks";
import type { FigureState } from "./types";
import type { Work } from "./work";

/** candidates: a mark of those that the work points into; annotations that come in later change them. */
export interface Draft {
  work: Work;
  remarks: Remarks;
  chosen: string | null;
  seconds: number;
  saved_at: string;
  candidates: string;
}

/** fits: same figure and version; behind: somebody decided since; replaced: it is on another caption or image. */
export interface Found {
  key: string;
  draft: Draft;
  kind: "fits" | "behind" | "replaced";
}

export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "panelwise.draft";

function prefixOf({ campaign = "", reviewer, figure_id }: FigureState): string {
  return [PREFIX, campaign, reviewer, figure_id, ""].map(encodeURIComponent).join("/");
}

export function draftKey(model: Pick<Model, "state" | "version">): string {
  return `${prefixOf(model.state)}${model.state.revision ?? 1}-${model.version}`;
}

/** Whether it was kept: storage may be full or forbidden, and then only a warning is lost, not the work. */
export function keepDraft(shelf: Shelf, model: Model, seconds: number, now: Date): boolean {
  const { work, remarks, chosen, state } = model;
  const draft: Draft = { work, remarks, chosen, seconds, saved_at: now.toISOString(), candidates: markOf(state) };
  try {
    shelf.setItem(draftKey(model), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** The draft of this very version, else the latest of another one, else null. What looks like none is dropped. */
export function findDraft(shelf: Shelf, model: Model): Found | null {
  const prefix = prefixOf(model.state);
  const own = draftKey(model);
  const revision = `${prefix}${model.state.revision ?? 1}-`;
  let best: Found | null = null;
  for (const key of keysOf(shelf, prefix)) {
    const kind = key === own ? "fits" : key.startsWith(revision) ? "behind" : "replaced";
    const draft = read(shelf, key, kind === "replaced" ? Infinity : model.state.caption.tokens.length);
    if (draft === null) dropDraft(shelf, key);
    else if (kind === "fits") return { key, draft, kind };
    else if (best === null || draft.saved_at > best.draft.saved_at) best = { key, draft, kind };
  }
  return best;
}

/** Forgets one draft. */
export function dropDraft(shelf: Shelf, key: string): void {
  try {
    shelf.removeItem(key);
  } catch {
    // Storage is forbidden: there is nothing to drop.
  }
}

/** Whether the draft's work points into these very candidates. */
export function sameCandidates(draft: Draft, state: FigureState): boolean {
  return draft.candidates === markOf(state);
}

/** FNV-1a over what tells candidates apart. */
function markOf(state: FigureState): string {
  const text = JSON.stringify(state.candidates.map(({ label, box, supporters }) => [label, box, supporters]));
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return (mark >>> 0).toString(16);
}

function keysOf(shelf: Shelf, prefix: string): string[] {
  try {
    const keys = Array.from({ length: shelf.length }, (_, i) => shelf.key(i));
    return keys.filter((key): key is string => key?.startsWith(prefix) ?? false);
  } catch {
    return [];
  }
}

function read(shelf: Shelf, key: string, tokens: number): Draft | null {
  try {
    const draft: unknown = JSON.parse(shelf.getItem(key) ?? "null");
    return isDraft(draft, tokens) ? draft : null;
  } catch {
    return null;
  }
}

function isDraft(value: unknown, tokens: number): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Partial<Draft>;
  if (!isRemarks(draft.remarks) || typeof draft.saved_at !== "string") return false;
  if (typeof draft.candidates !== "string" || !Number.isFinite(draft.seconds)) return false;
  if (typeof draft.work?.figureOpen !== "boolean" || !Array.isArray(draft.work.panels)) return false;
  return draft.work.panels.every(
    (panel) =>
      typeof panel.id === "string" &&
      typeof panel.label === "string" &&
      typeof panel.keep === "boolean" &&
      ["open", "accepted", "rejected"].includes(panel.review) &&
      Array.isArray(panel.box) &&
      panel.box.length === 4 &&
      panel.box.every((edge: unknown) => Number.isFinite(edge)) &&
      Array.isArray(panel.tokens) &&
      panel.tokens.every((id: number) => Number.isInteger(id) && id >= 0 && id < tokens) &&
      Array.isArray(panel.basis) &&
      (panel.candidate === null || Number.isInteger(panel.candidate)),
  );
}
