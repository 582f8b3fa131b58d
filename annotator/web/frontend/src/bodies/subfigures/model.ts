/** What each action on subfigures makes of the model: boxes and tokens. Pure. */

import type { Model as AnyModel } from "../../session/body";
import { FIGURE, type Kind } from "../../session/kind";
import { choose, commit, goOn, keepFigure } from "../../session/model";
import type { SubfigureAction } from "./actions";
import { clampBox, moveBox, resizeBox, sameBox } from "./boxes";
import { adjustRun, clauseAt, differing, hasRun, nextId, sameTokens, setRun, type TokenSet } from "./caption/tokens";
import { adoptOpen, freeLabel, numberInReadingOrder, relabel, swapTexts } from "./rework";
import type { Box, Conflict, Decision, FigureState, Payload } from "./types";
import * as w from "./work";
import type { Panel, Work } from "./work";

export interface Subfigures extends Kind {
  state: FigureState;
  work: Work;
  decision: Decision;
  payload: Payload;
  conflict: Conflict;
  action: SubfigureAction;
}

export type Model = AnyModel<Subfigures>;

export function chosenPanel(model: Model): Panel | undefined {
  return model.work.panels.find((panel) => panel.id === model.chosen);
}

export function reduceSubfigures(model: Model, action: SubfigureAction): Model {
  switch (action.type) {
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
      // All of it in already: then out.
      return setTokens(model, (tokens) => setRun(tokens, first, last, !hasRun(tokens, first, last)), action.at);
    }
    case "adjust":
      return adjust(model, action.edge, action.by);
    case "adopt":
      return adopt(model, action.annotator, action.box);
    case "adopt-open":
    case "swap":
    case "number":
    case "relabel":
      return rework(model, action);
    case "none":
      return say(setTokens(model, () => [], model.cursor), (panel) => `${panel.label}: no subcaption.`);
    case "accept":
      return decide(model, "accepted");
    case "reject":
      return reject(action.id === undefined ? model : choose(model, action.id));
    case "reorder": {
      const at = model.work.panels.findIndex((panel) => panel.id === model.chosen);
      return at < 0 ? model : place(model, at, at + action.by);
    }
    case "place":
      return place(model, model.work.panels.findIndex((panel) => panel.id === action.id), action.at);
    case "box":
      return setBox(model, action.id, clampBox(action.box, model.state.width, model.state.height));
    case "nudge":
      return nudge(model, action.dx, action.dy, action.resize);
    case "add":
      return add(model, action.id, action.box);
  }
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
  return setTokens(model, (tokens) => setRun(tokens, low, high, !hasRun(tokens, low, high)), model.cursor);
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

function adopt(model: Model, index: number, box: boolean): Model {
  const panel = chosenPanel(model);
  const annotator = model.state.annotators[index];
  if (!panel || !annotator) return model;
  const reading = w.readingOf(model.state, panel, annotator.key);
  if (!reading) return { ...model, said: `${annotator.name} has no subfigure ${panel.label}.` };
  const basis = box ? [annotator.key] : [...new Set([...panel.basis, annotator.key])];
  const said = `${panel.label}: ${box ? "text and box" : "text"} of ${annotator.name}.`;
  // The text is the answer to what was open: one step, undone as one.
  const open = panel.review === "open";
  const next = edit(model, panel.id, (each) => ({
    ...each,
    tokens: reading.tokens,
    box: box ? clampBox(reading.box, model.state.width, model.state.height) : each.box,
    basis,
    ...(open && { review: "accepted" as const, keep: true }),
  }), open);
  return { ...next, said };
}

/** Changes of several panels in one step. */
function rework(model: Model, action: Extract<SubfigureAction, { type: "adopt-open" | "swap" | "number" | "relabel" }>): Model {
  const { state, work } = model;
  const reworked = {
    "adopt-open": () => adoptOpen(state, work, (action as { annotator: number }).annotator),
    swap: () => swapTexts(state, work, model.chosen),
    number: () => numberInReadingOrder(state, work),
    relabel: () => relabel(work, action as { id: string; label: string }),
  };
  const [next, said] = reworked[action.type]();
  return next === work ? { ...model, said } : { ...commit(model, next, ""), said };
}

/** Decides on the chosen thing and goes on to the next open one, if there is one. */
function decide(model: Model, review: "accepted" | "rejected"): Model {
  const { chosen } = model;
  if (chosen === FIGURE) return goOn(keepFigure(model), "Figure kept.");
  const panel = chosenPanel(model);
  if (!panel) return model;
  const next = edit(model, panel.id, (each) => ({ ...each, review, keep: review === "accepted" }), true);
  return goOn(next, `${panel.label} ${review}.`);
}

function reject(model: Model): Model {
  const panel = chosenPanel(model);
  if (!panel) return model;
  if (panel.candidate !== null) return decide(model, "rejected");
  // What the reviewer drew is nobody else's: it goes, and undo brings it back.
  const at = model.work.panels.indexOf(panel);
  const panels = model.work.panels.filter((each) => each !== panel);
  const next = commit(model, { ...model.work, panels });
  const neighbour = (panels[at] ?? panels[at - 1])?.id ?? null;
  const moved = neighbour === null ? { ...next, chosen: null } : choose(next, neighbour);
  return { ...moved, said: `${panel.label} removed.` };
}

function setBox(model: Model, id: string, box: Box, tag = ""): Model {
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
  const label = freeLabel(model.state, model.work);
  const clamped = clampBox(box, model.state.width, model.state.height);
  const panel: Panel = {
    id, label, box: clamped, tokens: [], review: "accepted", keep: true, candidate: null, basis: [],
  };
  const next = commit(model, { ...model.work, panels: [...model.work.panels, panel] });
  return { ...next, chosen: id, anchor: null, said: `${label} added: L changes the label.` };
}

/** Changes one panel. New text or a new box brings a rejected panel back, unless `deciding` says what it becomes. */
export function edit(model: Model, id: string, change: (panel: Panel) => Panel, deciding = false, tag = ""): Model {
  const before = model.work.panels.find((panel) => panel.id === id);
  if (!before) return model;
  let after = change(before);
  if (after === before) return model;
  if (!deciding && before.review === "rejected") after = { ...after, review: "accepted", keep: true };
  // A blind text is decided by being written.
  if (model.state.blind && before.review === "open") after = { ...after, review: "accepted" };
  // An open panel that is worked on is meant to stay.
  if (!deciding && before.review === "open" && !before.keep) after = { ...after, keep: true };
  const panels = model.work.panels.map((panel) => (panel === before ? after : panel));
  return commit(model, { ...model.work, panels }, tag);
}

function say(model: Model, words: (panel: Panel) => string): Model {
  const panel = chosenPanel(model);
  return panel ? { ...model, said: words(panel) } : model;
}
