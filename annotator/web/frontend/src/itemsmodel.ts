/** The screen of types and pairs as a value, and what each action makes of it. Pure. */

import type { ItemsDecision, ItemsPayload, ItemsState, KindValue, PairReading, PairValue } from "./itemstypes";
import * as w from "./itemswork";
import { FIGURE, KIND, pairOf, type KindWork, type PairWork, type Work } from "./itemswork";
import { NO_REMARKS, remarksOf, sameRemarks, type Remarks } from "./remarks";

export type ItemsAction =
  | { type: "choose"; id: string }
  | { type: "step"; by: 1 | -1; among: "open" | "all" }
  | { type: "accept" | "correct" | "incorrect" | "original" | "undo" | "redo" | "compound" | "toggle-type" }
  | { type: "adopt" | "adopt-open"; annotator: number }
  | { type: "edit"; id: string; change: Partial<PairValue> }
  | { type: "note"; id: string; note: string }
  | { type: "kind"; change: Partial<KindValue> }
  | { type: "count"; by: 1 | -1 }
  | { type: "cursor"; by: 1 | -1; disputed?: boolean }
  | { type: "flip"; name: string }
  | { type: "remark"; change: Partial<Remarks> }
  | { type: "replace"; work: Work; remarks: Remarks; chosen: string | null; said: string }
  | { type: "theirs"; decision: ItemsDecision; version: number }
  | { type: "merged"; decision: ItemsPayload }
  | { type: "version"; version: number };

interface Snapshot {
  work: Work;
  chosen: string | null;
  remarks?: Remarks;
}

/** cursor: the type, by its place, that keys work on. tag: what the last step of the history was about. */
export interface ItemsModel {
  state: ItemsState;
  version: number;
  work: Work;
  start: Work;
  remarks: Remarks;
  startRemarks: Remarks;
  chosen: string | null;
  cursor: number;
  past: readonly Snapshot[];
  future: readonly Snapshot[];
  tag: string;
  said: string;
}

/** Steps that undo goes back. */
const HISTORY = 200;

const SETTLED = {
  confirm: "Enter confirms as second reviewer.",
  next: "Settled: Enter goes on.",
  save: "Enter settles it as accepted.",
} as const;

/** What Enter does with nothing open; see the figure screen's `enterDoes`. */
export function enterDoes({ decision, review }: ItemsState, dirty: boolean): "confirm" | "next" | "save" {
  if (dirty || decision?.status !== "accepted") return "save";
  return review.may ? "confirm" : "next";
}

export function startModel(state: ItemsState): ItemsModel {
  const work = w.startWork(state);
  const remarks = state.decision ? remarksOf(state.decision) : NO_REMARKS;
  const chosen = w.openIds(work)[0] ?? w.allIds(work)[0] ?? null;
  const open = w.openIds(work).length;
  const said =
    open > 0
      ? `${open} to settle: A accepts, 1 – 9 take an annotator's word, ? shows all keys.`
      : state.decision
        ? SETTLED[enterDoes(state, false)]
        : w.allIds(work).length > 0
          ? "Nothing is open: Enter saves."
          : "There is nothing to settle here.";
  return {
    state,
    version: state.version,
    work,
    start: work,
    remarks,
    startRemarks: remarks,
    chosen,
    cursor: firstDisputed(state),
    past: [],
    future: [],
    tag: "",
    said,
  };
}

export function isDirty(model: ItemsModel): boolean {
  return !sameRemarks(model.remarks, model.startRemarks) || !w.sameWork(model.work, model.start);
}

export function chosenPair(model: Pick<ItemsModel, "work" | "chosen">): PairWork | undefined {
  return pairOf(model.work, model.chosen);
}

export function reduce(model: ItemsModel, action: ItemsAction): ItemsModel {
  switch (action.type) {
    case "choose":
      return choose({ ...model, said: "" }, action.id);
    case "step":
      return step(model, action.by, action.among);
    case "accept":
      return accept(model);
    case "correct":
      return verdict(model, "Correct");
    case "incorrect":
      return verdict(model, "Incorrect.Edit");
    case "original":
      return original(model);
    case "adopt":
      return adopt(model, action.annotator);
    case "adopt-open":
      return adoptOpen(model, action.annotator);
    case "edit":
      return editPair(model, action.id, (pair) => ({ ...pair, edit: { ...pair.edit, ...action.change } }), `${action.id} ${Object.keys(action.change).join()}`);
    case "note":
      return editPair(model, action.id, (pair) => ({ ...pair, note: action.note }), `${action.id} note`);
    case "kind":
      return editKind(model, action.change, Object.keys(action.change).join());
    case "compound":
      return compound(model);
    case "count": {
      const count = model.work.kind?.value.count ?? null;
      return editKind(model, { count: Math.max(0, count === null ? 1 : count + action.by) }, "");
    }
    case "cursor":
      return moveCursor(model, action.by, action.disputed ?? false);
    case "toggle-type": {
      const name = model.state.type_names[model.cursor];
      return name === undefined ? model : flip(model, name);
    }
    case "flip":
      return flip({ ...model, cursor: Math.max(0, model.state.type_names.indexOf(action.name)) }, action.name);
    case "remark":
      return { ...model, remarks: { ...model.remarks, ...action.change } };
    case "undo":
      return travel(model, "past", "future", "Undone.");
    case "redo":
      return travel(model, "future", "past", "Done again.");
    case "replace":
      return replace(model, action.work, action.remarks, action.chosen, action.said);
    case "theirs": {
      const fresh = startModel({ ...model.state, decision: action.decision, version: action.version });
      const past = [...model.past, { ...snapshot(model), remarks: model.remarks }].slice(-HISTORY);
      return { ...fresh, past, said: `Took the decision of ${action.decision.reviewer}; undo brings yours back.` };
    }
    case "merged": {
      const { decision } = action;
      const remarks = { ...remarksOf(decision), second: decision.second };
      const work = w.workFrom(model.state, decision);
      return { ...replace(model, work, remarks, model.chosen, "Merged."), version: decision.version };
    }
    case "version":
      return { ...model, version: action.version };
  }
}

function choose(model: ItemsModel, id: string): ItemsModel {
  if (id === model.chosen || !w.allIds(model.work).includes(id)) return model;
  return { ...model, chosen: id, tag: "", cursor: id === KIND ? firstDisputed(model.state) : model.cursor };
}

/** The place of the first type in which annotators differ, else the very first. */
function firstDisputed({ type_names, kind }: ItemsState): number {
  return Math.max(0, type_names.findIndex((name) => kind?.disputed.includes(name)));
}

function step(model: ItemsModel, by: 1 | -1, among: "open" | "all"): ItemsModel {
  const all = w.allIds(model.work);
  const open = new Set(w.openIds(model.work));
  if (among === "open" && open.size === 0) return { ...model, said: "No open conflicts." };
  const from = model.chosen === null ? -1 : all.indexOf(model.chosen);
  for (let i = 1; i <= all.length; i += 1) {
    const id = all[(((from + by * i) % all.length) + all.length) % all.length] as string;
    if (among === "all" || open.has(id)) return choose({ ...model, said: "" }, id);
  }
  return model;
}

/** How an item is called in a sentence. */
export function nameOf(model: Pick<ItemsModel, "work">, id: string | null): string {
  if (id === FIGURE) return "The figure";
  if (id === KIND) return "The figure's type";
  const at = model.work.pairs.findIndex((pair) => w.idOf(pair.id) === id);
  return `Pair ${at + 1}`;
}

/** Settles the chosen thing as it stands, and goes on to the next open one, if there is one. */
function accept(model: ItemsModel): ItemsModel {
  const { chosen, work } = model;
  if (chosen === null) return model;
  const what = nameOf(model, chosen);
  const pair = chosenPair(model);
  let next: Work;
  if (chosen === FIGURE) next = { ...work, figureOpen: false };
  else if (chosen === KIND) next = { ...work, kind: work.kind && { ...work.kind, settled: true } };
  else next = { ...work, pairs: work.pairs.map((each) => (each === pair ? { ...each, settled: true } : each)) };
  const done = commit(model, next, "");
  const left = w.openIds(next).length;
  const moved = left > 0 ? step(done, 1, "open") : done;
  return { ...moved, said: `${what} ${chosen === FIGURE ? "is kept" : "is settled"}. ${left > 0 ? `${left} open.` : "All settled."}` };
}

function verdict(model: ItemsModel, to: PairWork["verdict"]): ItemsModel {
  const pair = chosenPair(model);
  if (!pair) return { ...model, said: "Choose a pair: this is said of pairs." };
  const next = editPair(model, pair.id, (each) => ({ ...each, verdict: to }), "");
  return { ...next, said: `${nameOf(model, model.chosen)}: ${to === "Correct" ? "correct as it came" : "incorrect, edit it below"}.` };
}

/** The chosen item as it came. */
function original(model: ItemsModel): ItemsModel {
  if (model.chosen !== KIND) return verdict(model, "Correct");
  const came = model.state.kind?.original;
  if (!came) return { ...model, said: "The figure came without a type." };
  return { ...editKind(model, { ...came, note: model.work.kind?.value.note ?? "" }, ""), said: "The figure's type as it came." };
}

function adopt(model: ItemsModel, index: number): ItemsModel {
  const annotator = model.state.annotators[index];
  if (!annotator || model.chosen === null || model.chosen === FIGURE) return model;
  const next = adopted(model, model.work, model.chosen, annotator.key);
  if (next === null) return { ...model, said: `${annotator.name} did not judge it.` };
  return { ...commit(model, next, ""), said: `${nameOf(model, model.chosen)} as ${annotator.name} has it.` };
}

/** All that is open becomes as one annotator has it; what that one did not judge stays open. */
function adoptOpen(model: ItemsModel, index: number): ItemsModel {
  const annotator = model.state.annotators[index];
  if (!annotator) return { ...model, said: `There is no annotator ${index + 1}.` };
  let { work } = model;
  let count = 0;
  for (const id of w.openIds(work)) {
    const next = id === FIGURE ? null : adopted(model, work, id, annotator.key);
    if (next !== null) {
      work = next;
      count += 1;
    }
  }
  if (count === 0) return { ...model, said: `${annotator.name} judged nothing that is open.` };
  const left = w.openIds(work).length;
  return { ...commit(model, work, ""), said: `${count} as ${annotator.name} has ${count === 1 ? "it" : "them"}; ${left} open.` };
}

/** The work with one item as an annotator has it; null where that one did not judge it. */
function adopted(model: ItemsModel, work: Work, id: string, key: string): Work | null {
  if (id === KIND) {
    const reading = model.state.kind?.readings.find(({ annotator }) => annotator === key);
    return reading ? { ...work, kind: { value: reading.value, settled: true, basis: [key] } } : null;
  }
  const pair = pairOf(work, id);
  const item = pair && w.itemOf(model.state, pair);
  const reading: PairReading | undefined = item?.readings.find(({ annotator }) => annotator === key);
  if (!pair || !item || !reading) return null;
  const next: PairWork = { ...w.fromWord(item, reading), settled: true, basis: [key] };
  return { ...work, pairs: work.pairs.map((each) => (each === pair ? next : each)) };
}

/** What is changed is meant so: it is settled. */
function editPair(model: ItemsModel, id: string, change: (pair: PairWork) => PairWork, tag: string): ItemsModel {
  const pairs = model.work.pairs.map((pair) => (pair.id === id ? { ...change(pair), settled: true } : pair));
  return { ...commit(model, { ...model.work, pairs }, tag), said: "" };
}

function editKind(model: ItemsModel, change: Partial<KindValue>, tag: string): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const next: KindWork = { ...kind, value: { ...kind.value, ...change }, settled: true };
  return { ...commit(model, { ...model.work, kind: next }, tag && `kind ${tag}`), said: "" };
}

/** A figure that is not compound is one subfigure; a compound one has two or more. */
function compound(model: ItemsModel): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const now = !(kind.value.compound ?? false);
  const next = editKind(model, { compound: now }, "");
  return { ...next, said: now ? "Compound: say of how many subfigures." : "Not compound." };
}

function flip(model: ItemsModel, name: string): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const has = kind.value.types.includes(name);
  const types = model.state.type_names.filter((each) => (each === name ? !has : kind.value.types.includes(each)));
  return { ...editKind(model, { types }, ""), said: `${name} is ${has ? "out" : "in"}.` };
}

function moveCursor(model: ItemsModel, by: 1 | -1, disputed: boolean): ItemsModel {
  const names = model.state.type_names;
  const stops = names.map((_, i) => i).filter((i) => !disputed || model.state.kind?.disputed.includes(names[i] as string));
  if (stops.length === 0) return { ...model, said: "No type differs." };
  const onwards = by === 1 ? stops.find((i) => i > model.cursor) : stops.findLast((i) => i < model.cursor);
  return { ...model, cursor: onwards ?? ((by === 1 ? stops[0] : stops.at(-1)) as number), said: "" };
}

function replace(model: ItemsModel, work: Work, remarks: Remarks, wanted: string | null, said: string): ItemsModel {
  const past = [...model.past, { ...snapshot(model), remarks: model.remarks }].slice(-HISTORY);
  const chosen = wanted !== null && w.allIds(work).includes(wanted) ? wanted : (w.openIds(work)[0] ?? w.allIds(work)[0] ?? null);
  return { ...model, work, remarks, past, future: [], tag: "", chosen, said };
}

function commit(model: ItemsModel, work: Work, tag: string): ItemsModel {
  if (w.sameWork(model.work, work)) return { ...model, work };
  // What is typed into one field is one step.
  const merge = tag !== "" && tag === model.tag && model.past.length > 0;
  const past = merge ? model.past : [...model.past, snapshot(model)].slice(-HISTORY);
  return { ...model, work, past, future: [], tag };
}

function snapshot(model: ItemsModel): Snapshot {
  return { work: model.work, chosen: model.chosen };
}

function travel(model: ItemsModel, from: "past" | "future", to: "past" | "future", said: string): ItemsModel {
  const last = model[from].at(-1);
  if (!last) return { ...model, said: from === "past" ? "Nothing to undo." : "Nothing to redo." };
  const here = last.remarks ? { ...snapshot(model), remarks: model.remarks } : snapshot(model);
  return { ...model, ...last, [from]: model[from].slice(0, -1), [to]: [...model[to], here], tag: "", said };
}

/** Keys of the annotators whose word is kept, in the order of the state's annotators. */
export function basedOn(model: Pick<ItemsModel, "work" | "state">): string[] {
  const keys = new Set([...(model.work.kind?.basis ?? []), ...model.work.pairs.flatMap((pair) => pair.basis)]);
  return model.state.annotators.map(({ key }) => key).filter((key) => keys.has(key));
}

/** What is sent. Of a figure that is rejected or put off nothing becomes gold. */
export function payload(model: ItemsModel, status: ItemsPayload["status"], seconds: number): ItemsPayload {
  const { remarks, work, state } = model;
  const accepted = status === "accepted";
  return {
    version: model.version,
    status,
    kind: accepted && work.kind ? { ...work.kind.value, note: work.kind.value.note.trim() } : null,
    verdicts: accepted ? work.pairs.map((pair) => w.wordOf(state, pair)) : [],
    based_on: accepted ? basedOn(model) : [],
    note: remarks.note.trim(),
    error_kind: remarks.error_kind,
    guideline_flag: remarks.guideline_flag.trim() || null,
    second: remarks.second,
    seconds: Math.round(seconds * 10) / 10,
  };
}

type Said = Pick<ItemsDecision, "status" | "kind" | "verdicts" | "note"> & {
  error_kind?: string | null;
  guideline_flag?: string | null;
};

/** Whether both say the same of the figure. */
export function says(a: Said, b: Said): boolean {
  const kinds = a.kind === null || b.kind === null ? a.kind === b.kind : w.sameKind(a.kind, b.kind) && a.kind.note === b.kind.note;
  const words = new Map(b.verdicts.map((word) => [word.item, word]));
  return (
    kinds &&
    a.status === b.status &&
    a.note.trim() === b.note.trim() &&
    (a.error_kind ?? null) === (b.error_kind ?? null) &&
    (a.guideline_flag ?? "").trim() === (b.guideline_flag ?? "").trim() &&
    a.verdicts.length === b.verdicts.length &&
    a.verdicts.every((word) => {
      const other = words.get(word.item);
      return other !== undefined && w.sameWord(word, other) && word.note.trim() === other.note.trim();
    })
  );
}
