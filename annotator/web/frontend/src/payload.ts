/** What may be saved, and what is sent. */

import type { Model } from "./model";
import type { FigureState, Payload, Status } from "./types";
import { FIGURE, kept, openIds, repeatedLabels, type Work } from "./work";

/** Why a save has to wait. `forced` saves pass "open" and "empty", never "repeated". */
export type Gate =
  | { kind: "ready" }
  | { kind: "open"; id: string; count: number }
  | { kind: "empty" }
  | { kind: "repeated"; label: string; id: string };

export function gate(model: Pick<Model, "work" | "chosen"> & { state: Pick<FigureState, "blind"> }, forced: boolean): Gate {
  const open = openIds(model.work);
  if (!forced && open.length > 0) {
    const here = model.chosen !== null && open.includes(model.chosen);
    return { kind: "open", id: here ? (model.chosen as string) : (open[0] as string), count: open.length };
  }
  // Given labels are not the reviewer's to mend.
  const label = model.state.blind ? undefined : repeatedLabels(model.work)[0];
  if (label !== undefined) {
    const last = kept(model.work).findLast((panel) => panel.label === label);
    return { kind: "repeated", label, id: last?.id ?? FIGURE };
  }
  if (!forced && kept(model.work).length === 0) return { kind: "empty" };
  return { kind: "ready" };
}

/** Keys of the annotators behind the kept panels, in the order of the state's annotators. */
export function basedOn(model: Pick<Model, "work" | "state">): string[] {
  const keys = new Set(kept(model.work).flatMap((panel) => [...panel.basis]));
  return model.state.annotators.map((annotator) => annotator.key).filter((key) => keys.has(key));
}

/** A rejected or ignored figure carries no subfigures: nothing of it becomes gold. */
export function payload(model: Model, status: Status, seconds: number): Payload {
  const { remarks } = model;
  const accepted = status === "accepted";
  return {
    version: model.version,
    status,
    subfigures: accepted ? subfigures(model.work) : [],
    based_on: accepted ? basedOn(model) : [],
    note: remarks.note.trim(),
    error_kind: remarks.error_kind,
    guideline_flag: remarks.guideline_flag.trim() || null,
    second: remarks.second,
    seconds: Math.round(seconds * 10) / 10,
  };
}

function subfigures(work: Work): Payload["subfigures"] {
  return kept(work).map(({ label, box, tokens }) => ({ label, box: [...box] as const, tokens: [...tokens] }));
}
