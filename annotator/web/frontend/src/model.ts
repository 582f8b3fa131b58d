/** The state of the screen and every change to it: a pure reducer with one history for boxes and tokens. */

import { LOCKED, writes } from "./blind";
import { clampBox, moveBox, resizeBox, sameBox } from "./boxes";
import { greeting } from "./enter";
import { remarksOf, sameRemarks, type Remarks } from "./remarks";
import { adoptOpen, swapTexts } from "./rework";
import { adjustRun, clauseAt, differing, nextId, sameTokens, setRun, type TokenSet } from "./tokens";
import type { Box, Decision, FigureState, Payload } from "./types";
import * as w from "./work";
import type { Panel, Work } from "./work";

interface Snapshot {
  work: Work;
  chosen: string | null;
  cursor: number;
  /** Only where the step changed them too: what is typed has an undo of its own, in its field. */
  remarks?: Remarks;
}

/** cursor, anchor: token ids; anchor is where an extended selection began. said: the last change in words. */
export interface Model {
  state: FigureState;
  version: number;
  work: Work;
  start: Work;
  chosen: string | null;
  cursor: number;
  anchor: number | null;
  remarks: Remarks;
  startRemarks: Remarks;
  past: readonly Snapshot[];
  future: readonly Snapshot[];
  tag: string;
  said: string;
}

export type Action =
  | { type: "choose"; id: string }
  | { type: "step"; by: 1 | -1; among: "open" | "all" }
  | { type: "cursor"; to: number; extend?: boolean }
  | { type: "move"; by: 1 | -1; extend?: boolean }
  | { type: "differing"; by: 1 | -1 }
  | { type: "toggle" }
  | { type: "run"; from: number; to: number; on: boolean }
  | { type: "clause"; at: number }
  | { type: "adjust"; edge: "start" | "end"; by: 1 | -1 }
  | { type: "adopt"; annotator: number; box: boolean }
  | { type: "adopt-open"; annotator: number }
  | { type: "swap" }
  | { type: "none" }
  | { type: "accept" }
  | { type: "reject"; id?: string }
  | { type: "relabel"; id: string; label: string }
  | { type: "reorder"; by: 1 | -1 }
  | { type: "place"; id: string; at: number }
  | { type: "box"; id: string; box: Box }
  | { type: "nudge"; dx: number; dy: number; resize: boolean }
  | { type: "add"; id: string; box: Box }
  | { type: "remark"; change: Partial<Remarks> }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "replace"; work: Work; remarks: Remarks; chosen: string | null; said: string }
  | { type: "theirs"; decision: Decision; version: number }
  | { type: "merged"; decision: Payload }
  | { type: "version"; version: number };

const HISTORY = 500;

export function startModel(state: FigureState): Model {
  const work = w.startWork(state);
  const remarks = remarksOf(state.decision ?? state.starts_from ?? null);
  const blank: Model = {
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
  const first = w.openIds(work)[0] ?? work.panels[0]?.id ?? null;
  return { ...(first === null ? blank : choose(blank, first)), said: greeting(state, work) };
}

export function isDirty(model: Model): boolean {
  return !sameRemarks(model.remarks, model.startRemarks) || !w.sameWork(model.work, model.start);
}

export function chosenPanel(model: Model): Panel | undefined {
  return model.work.panels.find((panel) => panel.id === model.chosen);
}

export function reduce(model: Model, action: Action): Model {
  if (model.state.blind && !writes(action)) return { ...model, said: LOCKED };
  switch (action.type) {
    case "choose":
      return choose({ ...model, said: "" }, action.id);
    case "step":
      return step(model, action.by, action.among);
    case "cursor":
      return cursorTo(model, action.to, action.extend ?? false);
    case "move":
      return cursorTo(model, model.cursor + action.by, action.extend ?? false);
    case "differing":
      return toDiffering(model, action.by);
    case "toggle":
      return toggle(model);
    case "run":
      return setTokens(model, (tokens) => setRun(tokens, action.from, action.to, action.on), action.to);
    case "clause": {
      const [first, last] = clauseAt(model.state.caption.tokens, action.at);
      return setTokens(model, (tokens) => setRun(tokens, first, last, true), action.at);
    }
    case "adjust":
      return adjust(model, action.edge, action.by);
    case "adopt":
      return adopt(model, action.annotator, action.box);
    case "adopt-open":
    case "swap":
      return rework(model, action);
    case "none":
      return say(none(model), (panel) => `${panel.label}: no subcaption.`);
    case "accept":
      return model.state.blind ? goOn(model) : settle(model, "accepted");
    case "reject":
      return reject(action.id === undefined ? model : choose(model, action.id));
    case "relabel":
      return say(
        edit(model, action.id, (panel) => ({ ...panel, label: action.label })),
        (panel) => `Now labelled ${panel.label}.`,
      );
    case "reorder": {
      const at = model.work.panels.findIndex((panel) => panel.id === model.chosen);
      return at < 0 ? model : place(model, at, at + action.by);
    }
    case "place":
      return place(model, model.work.panels.findIndex((panel) => panel.id === action.id), action.at);
    case "box":
      return setBox(model, action.id, clampBox(action.box, model.state.width, model.state.height), "");
    case "nudge":
      return nudge(model, action.dx, action.dy, action.resize);
    case "add":
      return add(model, action.id, action.box);
    case "remark":
      return { ...model, remarks: { ...model.remarks, ...action.change } };
    case "undo":
      return travel(model, "past", "future", "Undone.");
    case "redo":
      return travel(model, "future", "past", "Done again.");
    case "replace":
      return replace(model, action.work, action.remarks, action.chosen, action.said);
    case "theirs":
      return takeTheirs(model, action.decision, action.version);
    case "merged": {
      const { decision } = action;
      const work = w.workFromDecision(model.state, decision);
      const remarks = { ...remarksOf(decision), second: decision.second };
      return { ...replace(model, work, remarks, model.chosen, "Merged."), version: decision.version };
    }
    case "version":
      return { ...model, version: action.version };
  }
}

/** Other work in place of one's own, as one step that undo takes back whole. */
function replace(model: Model, work: Work, remarks: Remarks, wanted: string | null, said: string): Model {
  const past = [...model.past, { ...snapshot(model), remarks: model.remarks }].slice(-HISTORY);
  const known = work.panels.some((panel) => panel.id === wanted) || (wanted === w.FIGURE && work.figureOpen);
  const chosen = known ? wanted : (w.openIds(work)[0] ?? work.panels[0]?.id ?? null);
  const next = { ...model, work, remarks, past, future: [], tag: "", anchor: null };
  return { ...(chosen === null ? { ...next, chosen } : choose({ ...next, chosen: null }, chosen)), said };
}

/** A colleague's decision becomes what one works on; one's own is a step of undo away. */
function takeTheirs(model: Model, decision: Decision, version: number): Model {
  const fresh = startModel({ ...model.state, decision, version });
  const past = [...model.past, { ...snapshot(model), remarks: model.remarks }].slice(-HISTORY);
  return { ...fresh, past, said: `Took ${model.state.blind ? "what you saved there" : `the decision of ${decision.reviewer}`}; undo brings yours back.` };
}

function choose(model: Model, id: string): Model {
  if (id === w.FIGURE) return { ...model, chosen: id, anchor: null, tag: "" };
  const panel = model.work.panels.find((each) => each.id === id);
  if (!panel) return model;
  if (id === model.chosen) return model;
  const candidate = w.candidateOf(model.state, panel);
  const cursor = (candidate && differing(candidate)[0]) ?? panel.tokens[0] ?? model.cursor;
  return { ...model, chosen: id, cursor, anchor: null, tag: "" };
}

function step(model: Model, by: 1 | -1, among: "open" | "all"): Model {
  const all = [...(model.work.figureOpen ? [w.FIGURE] : []), ...model.work.panels.map((panel) => panel.id)];
  const open = new Set(w.openIds(model.work));
  const none = model.state.blind ? "All are written: Enter saves." : "No open conflicts.";
  if (among === "open" && open.size === 0) return { ...model, said: none };
  const from = model.chosen === null ? -1 : all.indexOf(model.chosen);
  for (let i = 1; i <= all.length; i += 1) {
    const id = all[(((from + by * i) % all.length) + all.length) % all.length] as string;
    if (among === "all" || open.has(id)) return choose({ ...model, said: "" }, id);
  }
  return model;
}

function cursorTo(model: Model, to: number, extend: boolean): Model {
  const last = model.state.caption.tokens.length - 1;
  if (last < 0) return model;
  const cursor = Math.min(Math.max(to, 0), last);
  return { ...model, cursor, anchor: extend ? (model.anchor ?? model.cursor) : null };
}

function toDiffering(model: Model, by: 1 | -1): Model {
  const candidate = w.candidateOf(model.state, chosenPanel(model));
  const to = candidate ? nextId(differing(candidate), model.cursor, by) : null;
  return to === null ? { ...model, said: "No token differs here." } : cursorTo(model, to, false);
}

/** The run from anchor to cursor goes in, unless all of it is in: then out. */
function toggle(model: Model): Model {
  const panel = chosenPanel(model);
  if (!panel || model.state.caption.tokens.length === 0) return model;
  const from = model.anchor ?? model.cursor;
  const [low, high] = [Math.min(from, model.cursor), Math.max(from, model.cursor)];
  const inside = panel.tokens.filter((id) => id >= low && id <= high).length;
  return setTokens(model, (tokens) => setRun(tokens, low, high, inside < high - low + 1), model.cursor);
}

function adjust(model: Model, edge: "start" | "end", by: 1 | -1): Model {
  const panel = chosenPanel(model);
  if (!panel) return model;
  const [tokens, cursor] = adjustRun(panel.tokens, model.cursor, edge, by, model.state.caption.tokens.length);
  return setTokens(model, () => tokens, cursor);
}

function setTokens(model: Model, change: (tokens: TokenSet) => TokenSet, cursor: number): Model {
  const moved = { ...model, cursor, anchor: null, said: "" };
  if (model.chosen === null) return moved;
  return edit(moved, model.chosen, (panel) => {
    const tokens = change(panel.tokens);
    return sameTokens(tokens, panel.tokens) ? panel : { ...panel, tokens };
  });
}

/** No text at all. In the blind mode that is an answer too, so that the panel is written. */
function none(model: Model): Model {
  if (!model.state.blind || model.chosen === null) return setTokens(model, () => [], model.cursor);
  return edit({ ...model, anchor: null }, model.chosen, (panel) => ({ ...panel, tokens: [], review: "accepted" }), true);
}

/** Blind: on to the next panel without a text. */
function goOn(model: Model): Model {
  const panel = chosenPanel(model);
  if (panel?.review === "open") return { ...model, said: `${panel.label} has no words yet: 0 says that it has none.` };
  return step(model, 1, "open");
}

function adopt(model: Model, index: number, box: boolean): Model {
  const panel = chosenPanel(model);
  const annotator = model.state.annotators[index];
  if (!panel || !annotator) return model;
  const reading = w.readingOf(model.state, panel, annotator.key);
  if (!reading) return { ...model, said: `${annotator.name} has no subfigure ${panel.label}.` };
  const basis = box ? [annotator.key] : [...new Set([...panel.basis, annotator.key])];
  const next = edit(model, panel.id, (each) => ({
    ...each,
    tokens: reading.tokens,
    box: box ? clampBox(reading.box, model.state.width, model.state.height) : each.box,
    basis,
  }));
  return say(next, () => `${panel.label}: ${box ? "text and box" : "text"} of ${annotator.name}.`);
}

/** Changes of several panels in one step. */
function rework(model: Model, action: { type: "adopt-open"; annotator: number } | { type: "swap" }): Model {
  const { state, work } = model;
  const [next, said] = action.type === "swap" ? swapTexts(state, work, model.chosen) : adoptOpen(state, work, action.annotator);
  return next === work ? { ...model, said } : { ...commit(model, next, ""), said };
}

/** Settles the chosen thing and goes on to the next open one, if there is one. */
function settle(model: Model, review: "accepted" | "rejected"): Model {
  const { chosen } = model;
  if (chosen === null) return model;
  let next: Model;
  let what: string;
  if (chosen === w.FIGURE) {
    if (!model.work.figureOpen) return model;
    next = commit(model, { ...model.work, figureOpen: false }, "");
    what = "Figure kept.";
  } else {
    next = edit(model, chosen, (panel) => ({ ...panel, review, keep: review === "accepted" }), true);
    what = `${chosenPanel(model)?.label ?? ""} ${review}.`;
  }
  const left = w.openIds(next.work).length;
  const moved = left > 0 ? step(next, 1, "open") : next;
  return { ...moved, said: `${what} ${left > 0 ? `${left} open.` : "All settled."}` };
}

function reject(model: Model): Model {
  const panel = chosenPanel(model);
  if (!panel) return model;
  if (panel.candidate !== null) return settle(model, "rejected");
  // What the reviewer drew, nobody else stands for: it goes, and undo brings it back.
  const at = model.work.panels.indexOf(panel);
  const panels = model.work.panels.filter((each) => each !== panel);
  const next = commit(model, { ...model.work, panels }, "");
  const neighbour = (panels[at] ?? panels[at - 1])?.id ?? null;
  const moved = neighbour === null ? { ...next, chosen: null } : choose(next, neighbour);
  return { ...moved, said: `${panel.label} removed.` };
}

function setBox(model: Model, id: string, box: Box, tag: string): Model {
  return edit({ ...model, said: "" }, id, (panel) => (sameBox(panel.box, box) ? panel : { ...panel, box }), false, tag);
}

/** Puts a panel elsewhere in the order, which is that of what is saved. Steps of one panel are one step of history. */
function place(model: Model, from: number, to: number): Model {
  const panel = model.work.panels[from];
  if (!panel || to === from || to < 0 || to >= model.work.panels.length) return model;
  const panels = model.work.panels.filter((each) => each !== panel);
  panels.splice(to, 0, panel);
  const next = commit(model, { ...model.work, panels }, `place ${panel.id}`);
  return { ...next, said: `${panel.label} is ${to + 1} of ${panels.length}.` };
}

function nudge(model: Model, dx: number, dy: number, resize: boolean): Model {
  const panel = chosenPanel(model);
  if (!panel || panel.review === "rejected") return model;
  const change = resize ? resizeBox : moveBox;
  // Steps of one key held down are one step of the history.
  return setBox(model, panel.id, change(panel.box, dx, dy, model.state.width, model.state.height), `nudge ${panel.id}`);
}

function add(model: Model, id: string, box: Box): Model {
  const used = new Set(w.kept(model.work).map((panel) => panel.label));
  const label = model.state.labels.find((each) => !used.has(each)) ?? "?";
  const clamped = clampBox(box, model.state.width, model.state.height);
  const panel: Panel = {
    id, label, box: clamped, tokens: [], review: "accepted", keep: true, candidate: null, basis: [],
  };
  const next = commit(model, { ...model.work, panels: [...model.work.panels, panel] }, "");
  return { ...next, chosen: id, anchor: null, said: `${label} added: L names it otherwise.` };
}

/** Changes one panel. Text or box given to a rejected panel brings it back, unless `settling` says what it becomes. */
function edit(model: Model, id: string, change: (panel: Panel) => Panel, settling = false, tag = ""): Model {
  const before = model.work.panels.find((panel) => panel.id === id);
  if (!before) return model;
  let after = change(before);
  if (after === before) return model;
  if (!settling && before.review === "rejected") after = { ...after, review: "accepted", keep: true };
  // Whatever is written in the blind mode is one's own word: it is settled by that.
  if (model.state.blind && before.review === "open") after = { ...after, review: "accepted" };
  // An open panel that is worked on is meant to stay.
  if (!settling && before.review === "open" && !before.keep) after = { ...after, keep: true };
  const panels = model.work.panels.map((panel) => (panel === before ? after : panel));
  return commit(model, { ...model.work, panels }, tag);
}

function commit(model: Model, work: Work, tag: string): Model {
  if (w.sameWork(model.work, work) && model.work.panels.length === work.panels.length) {
    // Only the basis can differ here; that alone is no step of the history.
    return { ...model, work };
  }
  const merge = tag !== "" && tag === model.tag && model.past.length > 0;
  const past = merge ? model.past : [...model.past, snapshot(model)].slice(-HISTORY);
  return { ...model, work, past, future: [], tag };
}

function snapshot(model: Model): Snapshot {
  return { work: model.work, chosen: model.chosen, cursor: model.cursor };
}

function travel(model: Model, from: "past" | "future", to: "past" | "future", said: string): Model {
  const last = model[from].at(-1);
  if (!last) return { ...model, said: from === "past" ? "Nothing to undo." : "Nothing to redo." };
  return {
    ...model,
    ...last,
    anchor: null,
    [from]: model[from].slice(0, -1),
    [to]: [...model[to], last.remarks ? { ...snapshot(model), remarks: model.remarks } : snapshot(model)],
    tag: "",
    said,
  };
}

function say(model: Model, words: (panel: Panel) => string): Model {
  const panel = chosenPanel(model);
  return panel ? { ...model, said: words(panel) } : model;
}
