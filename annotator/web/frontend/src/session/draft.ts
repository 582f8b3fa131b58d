/** Unsaved work, stored in the browser: one draft a campaign, reviewer, figure, revision and version; and its recovery. */

import type { Model } from "./body";
import type { Kind } from "./kind";
import { isDirty, payload, reduce, saysSame } from "./model";
import { isRemarks } from "./remarks";
import type { Draft, DraftNotice, Found } from "./screen";

/** seconds: what the restored work had taken. */
export interface Recovery<K extends Kind> {
  model: Model<K>;
  notice: DraftNotice<K> | null;
  seconds: number;
}

export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

function prefixOf<K extends Kind>({ body, state }: Pick<Model<K>, "body" | "state">): string {
  const { campaign = "", reviewer, figure_id } = state;
  return [body.draft.prefix, campaign, reviewer, figure_id, ""].map(encodeURIComponent).join("/");
}

export function draftKey<K extends Kind>(model: Pick<Model<K>, "body" | "state" | "version">): string {
  return `${prefixOf(model)}${model.state.revision ?? 1}-${model.version}`;
}

/** Whether it was stored: storage may be full or forbidden, and then only a warning is lost, not the work. */
export function keepDraft<K extends Kind>(shelf: Shelf, model: Model<K>, seconds: number, now: Date): boolean {
  const { work, remarks, chosen, state, body } = model;
  const draft: Draft<K> = { work, remarks, chosen, seconds, saved_at: now.toISOString(), ...body.draft.mark(state) };
  try {
    shelf.setItem(draftKey(model), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** The draft of this very version, else the latest of another one, else null. What looks like none is dropped. */
export function findDraft<K extends Kind>(shelf: Shelf, model: Model<K>): Found<K> | null {
  const { state, body } = model;
  const prefix = prefixOf(model);
  const own = draftKey(model);
  let best: Found<K> | null = null;
  for (const key of keysOf(shelf, prefix)) {
    const current = key.startsWith(`${prefix}${state.revision ?? 1}-`);
    const draft = read(shelf, key, model, current);
    if (draft === null) {
      dropDraft(shelf, key);
      continue;
    }
    const belongs = current && body.draft.belongs(draft, state);
    const found: Found<K> = { key, draft, kind: !belongs ? "replaced" : key === own ? "fits" : "behind" };
    if (found.kind === "fits") return found;
    if (best === null || draft.saved_at > best.draft.saved_at) best = found;
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

/** Restores unsaved work where it fits; where something came between, the reviewer is to be asked. */
export function recover<K extends Kind>(shelf: Shelf, model: Model<K>): Recovery<K> {
  const none: Recovery<K> = { model, notice: null, seconds: 0 };
  const found = findDraft(shelf, model);
  if (!found) return none;
  const { draft, key, kind } = found;
  if (kind === "replaced") return { ...none, notice: { kind: "stale", found, lines: [] } };
  const again = recovered(model, draft);
  if (kind === "fits" && isDirty(again)) {
    // What was recovered is where undo ends: Discard is the way back. The notice says it.
    return { model: { ...again, past: [], said: "" }, notice: { kind: "draft", saved_at: draft.saved_at }, seconds: draft.seconds };
  }
  const mine = payload(again, "accepted", 0);
  const decision: K["decision"] | null = model.state.decision;
  if (kind === "fits" || (decision !== null && saysSame(model.body, mine, decision))) {
    // It was saved, though the page was closed before the answer came.
    dropDraft(shelf, key);
    return none;
  }
  return { ...none, notice: { kind: "stale", found, lines: decision === null ? [] : model.body.diff(mine, decision) } };
}

/** The model with a draft's work in place of its own. */
export function recovered<K extends Kind>(model: Model<K>, draft: Draft<K>): Model<K> {
  const { remarks, chosen } = draft;
  const work = model.body.draft.refit(draft, model.state);
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

function read<K extends Kind>(shelf: Shelf, key: string, { body, state }: Model<K>, current: boolean): Draft<K> | null {
  try {
    // Drafts of earlier versions have the key "settled". Texts stay as they are: JSON escapes their quotation marks.
    const text = shelf.getItem(key)?.replaceAll('"settled":', '"accepted":');
    const draft: unknown = JSON.parse(text ?? "null");
    return isDraft<K>(draft) && body.draft.isWork(draft, state, current) ? draft : null;
  } catch {
    return null;
  }
}

function isDraft<K extends Kind>(value: unknown): value is Draft<K> {
  if (typeof value !== "object" || value === null) return false;
  const { remarks, saved_at, seconds, work } = value as Partial<Draft<K>>;
  return isRemarks(remarks) && typeof saved_at === "string" && Number.isFinite(seconds) && typeof work?.figureOpen === "boolean";
}
