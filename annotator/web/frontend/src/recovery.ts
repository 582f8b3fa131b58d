/** What becomes of unsaved work when its figure is opened again. */

import { says } from "./delivery";
import { diff } from "./diff";
import { dropDraft, findDraft, sameCandidates, type Draft, type Found, type Shelf } from "./draft";
import { isDirty, reduce, type Model } from "./model";
import { payload } from "./payload";
import { refit } from "./work";

/** draft: it was put back. stale: it waits to be, for another decision, caption or image came after it. */
export type DraftNotice =
  | { kind: "draft"; saved_at: string }
  | { kind: "stale"; found: Found; lines: string[] };

/** seconds: what the work put back had taken. */
export interface Recovery {
  model: Model;
  notice: DraftNotice | null;
  seconds: number;
}

/** Puts unsaved work back where it fits; where something came between, the reviewer is to be asked. */
export function recover(shelf: Shelf, model: Model): Recovery {
  const none: Recovery = { model, notice: null, seconds: 0 };
  const found = findDraft(shelf, model);
  if (!found) return none;
  const { draft, key } = found;
  if (found.kind === "replaced") return { ...none, notice: { kind: "stale", found, lines: [] } };
  const again = recovered(model, draft);
  if (found.kind === "fits" && isDirty(again)) {
    // What was recovered is where undo ends: Discard is the way back.
    return { model: { ...again, past: [] }, notice: { kind: "draft", saved_at: draft.saved_at }, seconds: draft.seconds };
  }
  const mine = payload(again, "accepted", 0);
  const { decision } = model.state;
  if (found.kind === "fits" || (decision !== null && says(mine, decision))) {
    // It was saved, though the page was closed before it could hear so.
    dropDraft(shelf, key);
    return none;
  }
  return { ...none, notice: { kind: "stale", found, lines: decision === null ? [] : diff(mine, decision) } };
}

/** The model with a draft's work in place of its own. */
export function recovered(model: Model, draft: Draft): Model {
  const work = sameCandidates(draft, model.state) ? draft.work : refit(model.state, draft.work);
  const { remarks, chosen } = draft;
  return reduce(model, { type: "replace", work, remarks, chosen, said: "Unsaved work restored." });
}
