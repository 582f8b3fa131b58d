/** The state of the screen and the changes that every body shares: one pure reducer with one history. */

import type { Sent, Status } from "../wire/types";
import type { Body, Enter, Model, Snapshot } from "./body";
import { FIGURE, type CommonAction, type Kind } from "./kind";
import { remarksOf, sameRemarks, type Remarks } from "./remarks";

/** Steps that undo goes back. */
const HISTORY = 500;

export function startModel<K extends Kind>(body: Body<K>, state: K["state"]): Model<K> {
  const work = body.startWork(state);
  const remarks = remarksOf(state.decision ?? state.starts_from ?? null);
  const blank: Model<K> = {
    body,
    state,
    version: state.version,
    work,
    start: work,
    chosen: null,
    cursor: 0,
    anchor: null,
    remarks,
    startRemarks: remarks,
    past: [],
    future: [],
    tag: "",
    said: "",
  };
  const model = choose(blank, firstId(body, work));
  const returned = state.sent_back ? "Sent back to an annotator, who has not corrected it yet. " : "";
  return { ...model, said: returned + body.greeting(model) };
}

function firstId<K extends Kind>(body: Body<K>, work: K["work"]): string | null {
  return body.openIds(work)[0] ?? body.allIds(work)[0] ?? null;
}

export function isDirty<K extends Kind>(model: Model<K>): boolean {
  return !sameRemarks(model.remarks, model.startRemarks) || !model.body.sameWork(model.work, model.start);
}

export function reduce<K extends Kind>(model: Model<K>, action: CommonAction<K> | K["action"]): Model<K> {
  const { body } = model;
  const refusal = body.refuses(action);
  if (refusal !== null) return { ...model, said: refusal };
  const common = action as CommonAction<K>;
  switch (common.type) {
    case "choose":
      return choose({ ...model, said: "" }, common.id);
    case "step":
      return step(model, common.by, common.among);
    case "remark":
      return { ...model, remarks: { ...model.remarks, ...common.change } };
    case "undo":
      return travel(model, "past", "future", "Undone.");
    case "redo":
      return travel(model, "future", "past", "Redone.");
    case "replace":
      return replace(model, common.work, common.remarks, common.chosen, common.said);
    case "theirs": {
      // A colleague's decision becomes what one works on; one's own is a step of undo away.
      const fresh = startModel(body, { ...model.state, decision: common.decision, version: common.version });
      const past = remember(model, true);
      return { ...fresh, past, said: `Using ${body.nameOfDecision(common.decision)}; undo restores yours.` };
    }
    case "merged": {
      const { decision } = common;
      const remarks = { ...remarksOf(decision), second: decision.second };
      const work = body.workFrom(model.state, decision);
      return { ...replace(model, work, remarks, model.chosen, "Merged."), version: decision.version };
    }
    case "version":
      return { ...model, version: common.version };
    default:
      return body.reduce(model, action as K["action"]);
  }
}

/** Other work in place of one's own, as one step that undo takes back whole. */
function replace<K extends Kind>(
  model: Model<K>,
  work: K["work"],
  remarks: Remarks,
  wanted: string | null,
  said: string,
): Model<K> {
  const { body } = model;
  const chosen = wanted !== null && body.allIds(work).includes(wanted) ? wanted : firstId(body, work);
  const next = { ...model, work, remarks, past: remember(model, true), future: [], tag: "", anchor: null, chosen: null };
  return { ...choose(next, chosen), said };
}

export function choose<K extends Kind>(model: Model<K>, id: string | null): Model<K> {
  if (id === null || id === model.chosen || !model.body.allIds(model.work).includes(id)) return model;
  return { ...model, chosen: id, cursor: model.body.cursorAt(model, id), anchor: null, tag: "" };
}

export function step<K extends Kind>(model: Model<K>, by: 1 | -1, among: "open" | "all"): Model<K> {
  const { body, work } = model;
  const all = body.allIds(work);
  const open = new Set(body.openIds(work));
  if (among === "open" && open.size === 0) return { ...model, said: body.noneOpen };
  const from = model.chosen === null ? -1 : all.indexOf(model.chosen);
  for (let i = 1; i <= all.length; i += 1) {
    const id = all[(((from + by * i) % all.length) + all.length) % all.length] as string;
    if (among === "all" || open.has(id)) return choose({ ...model, said: "" }, id);
  }
  return model;
}

/** The model after `done` decided on the chosen thing: on to the next open one, if there is one. */
export function goOn<K extends Kind>(done: Model<K>, what: string): Model<K> {
  const left = done.body.openIds(done.work).length;
  const moved = left > 0 ? step(done, 1, "open") : done;
  return { ...moved, said: `${what} ${left > 0 ? `${left} open.` : "Nothing is open."}` };
}

/** New work as a step of the history. */
export function commit<K extends Kind>(model: Model<K>, work: K["work"], tag = ""): Model<K> {
  // Only whose work it rests on can differ here; that alone is no step.
  if (model.body.sameWork(model.work, work)) return { ...model, work };
  const merge = tag !== "" && tag === model.tag && model.past.length > 0;
  return { ...model, work, past: merge ? model.past : remember(model, false), future: [], tag };
}

function remember<K extends Kind>(model: Model<K>, remarks: boolean): Snapshot<K>[] {
  return [...model.past, snapshot(model, remarks)].slice(-HISTORY);
}

function snapshot<K extends Kind>({ work, chosen, cursor, remarks }: Model<K>, withRemarks: boolean): Snapshot<K> {
  return withRemarks ? { work, chosen, cursor, remarks } : { work, chosen, cursor };
}

function travel<K extends Kind>(model: Model<K>, from: "past" | "future", to: "past" | "future", said: string): Model<K> {
  const last = model[from].at(-1);
  if (!last) return { ...model, said: from === "past" ? "Nothing to undo." : "Nothing to redo." };
  const here = snapshot(model, last.remarks !== undefined);
  return { ...model, ...last, anchor: null, [from]: model[from].slice(0, -1), [to]: [...model[to], here], tag: "", said };
}

/** What Enter does now, in one place: the status line, the footer's button and the save itself go by it. */
export function enterDoes<K extends Kind>(model: Model<K>): Enter {
  if (model.body.closed?.(model.state)) return "next";
  const open = model.body.openIds(model.work);
  if (open.length > 0) return open.length === 1 && open[0] === model.chosen ? "here" : "open";
  if (model.body.blocked(model, false)) return "held";
  if (isDirty(model) || model.state.decision?.status !== "accepted") return "save";
  return model.state.review?.may ? "confirm" : "next";
}

/** What is sent. Of a figure that is rejected or put off nothing becomes gold. */
export function payload<K extends Kind>(model: Model<K>, status: Status, seconds: number): K["payload"] {
  const { remarks, version, body } = model;
  return {
    version,
    status,
    ...body.content(model, status === "accepted"),
    note: remarks.note.trim(),
    error_kind: remarks.error_kind,
    guideline_flag: remarks.guideline_flag.trim() || null,
    second: remarks.second,
    seconds: toTenths(seconds),
  } satisfies Sent as K["payload"];
}

export function toTenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

/** Keys of the annotators that work rests on, in the order of the state's annotators. */
export function basedOn(state: Kind["state"], bases: readonly (readonly string[])[]): string[] {
  const keys = new Set(bases.flat());
  return state.annotators.map(({ key }) => key).filter((key) => keys.has(key));
}

/** Whether both say the same of the figure. */
export function saysSame<K extends Kind>(body: Body<K>, a: K["payload"], b: K["payload"] | K["decision"]): boolean {
  return (
    a.status === b.status &&
    a.note.trim() === b.note.trim() &&
    (a.error_kind ?? null) === (b.error_kind ?? null) &&
    (a.guideline_flag ?? "").trim() === (b.guideline_flag ?? "").trim() &&
    body.sameContent(a, b)
  );
}

/** The work once the figure is decided to be fit. */
export function keepFigure<K extends Kind>(model: Model<K>): Model<K> {
  return model.chosen === FIGURE ? commit(model, { ...model.work, figureOpen: false }) : model;
}
