/** The body of the screen on which subfigures are adjudicated: its rules for the session. No markup here. */

import { BUTTONS, nothingOpen, startsFrom, type Body } from "../../session/body";
import { FIGURE } from "../../session/kind";
import { basedOn, enterDoes } from "../../session/model";
import type { Model as AnyModel } from "../../session/body";
import { save } from "../../wire/api";
import { capital, DECISION_WORDS, type Finding } from "../../wire/types";
import { sameBox } from "./boxes";
import { differing, sameTokens, tokenSet } from "./caption/tokens";
import { diff } from "./diff";
import { reduceSubfigures, type Model, type Subfigures } from "./model";
import type { FigureState, Subfigure } from "./types";
import * as w from "./work";
import { candidateOf, kept, openIds, type Work } from "./work";

export const SUBFIGURES: Body<Subfigures> = {
  name: "subfigures",
  who: "reviewer",
  asksReason: false,
  home: "caption",
  draft: {
    prefix: "panelwise.draft",
    mark: (state) => ({ candidates: markOf(state) }),
    isWork: (draft, state, fits) =>
      typeof draft["candidates"] === "string" && isWork(draft["work"], fits ? state.caption.tokens.length : Infinity),
    belongs: () => true,
    refit: (draft, state) => {
      const work = draft["work"] as Work;
      return draft["candidates"] === markOf(state) ? work : w.refit(state, work);
    },
    misfit: "it is on another caption or image, and cannot be restored here",
  },
  checksFirst: true,
  stopsAt: (model, finding, findings) => (missingBox(model, finding) || missingText(model, finding, findings) ? "" : null),
  startWork: w.startWork,
  workFrom: w.workFromDecision,
  allIds: w.allIds,
  openIds,
  sameWork: w.sameWork,
  cursorAt,
  reduce: reduceSubfigures,
  refuses: () => null,
  content: ({ state, work }, accepted) => ({
    subfigures: accepted ? kept(work).map(({ label, box, tokens }) => ({ label, box, tokens })) : [],
    based_on: accepted ? basedOn(state, kept(work).map(({ basis }) => basis)) : [],
  }),
  sameContent: ({ subfigures }, other) =>
    subfigures.length === other.subfigures.length &&
    subfigures.every((each, i) => sameSubfigure(each, other.subfigures[i] as Subfigure)),
  blocked,
  idOfFinding: ({ work }, item) => work.panels.find(({ label }) => label === item)?.id ?? null,
  itemOf: () => null,
  // A reviewer is asked once a figure, whatever they then change.
  itemText: () => "",
  itemsOf: (work, ids) => kept(work).filter(({ id }) => ids.has(id)).map(({ label }) => label),
  nameOfDecision: ({ reviewer }) => `the decision of ${reviewer}`,
  nameOf: ({ work }, id) => work.panels.find((panel) => panel.id === id)?.label ?? "The figure",
  greeting,
  noneOpen: "No open conflicts.",
  buttons: { ...BUTTONS, here: "First A or R" },
  openText: (_, id, here, count) => {
    const what = id === FIGURE ? "Figure open: A keeps it, X rejects it" : "Open: A accepts, R rejects";
    return `${here ? what : `${count} open: look here first`}.`;
  },
  diff,
  parts: (conflict) => conflict.subfigures.map((part) => ({ part, differs: part.differs.length > 0 })),
  merge: (conflict, pick) => ({ subfigures: conflict.subfigures.map(pick).filter((each) => each !== null) }),
  refusesMerge: ({ subfigures }) => {
    const labels = subfigures.map(({ label }) => label);
    const label = labels.find((each, i) => labels.indexOf(each) !== i);
    return label === undefined ? null : `Two subfigures would be labelled ${label}: choose one side for one of them.`;
  },
  post: () => save,
  other: ({ items_url = null }) => ({
    url: items_url,
    name: "Types, pairs",
    hint: "The figure's type and pairs (Y)",
    none: "No annotator judged a type or pairs on this figure.",
  }),
  run: ({ state, work, past }, screen, command) => {
    switch (command.do) {
      case "save": {
        // Enter in place of a drag: a box in the middle, which arrows move.
        const [x, y] = [state.width / 4, state.height / 4];
        const id = `k${work.panels.length}-${past.length}`;
        const act = { type: "add", id, box: [x, y, 3 * x, 3 * y] } as const;
        return { act, show: { drawing: false, pane: "image" }, focus: "image" };
      }
      case "draw": {
        const drawing = screen.drawing ? false : command.several ? "several" : "one";
        const how = command.several ? "Drag over the image to draw each box; Esc stops." : "Drag over the image to draw a box, or Enter puts one in the middle; Esc stops.";
        return { show: { drawing, pane: "image" }, say: drawing ? how : "" };
      }
      case "layers": {
        const on = !screen.layers.some(Boolean);
        return { show: { layers: screen.layers.map(() => on) }, say: on ? "Annotators' boxes shown." : "Annotators' boxes hidden." };
      }
      case "layer":
        return { show: { layers: screen.layers.map((on, i) => (i === command.annotator ? !on : on)) } };
      case "pan":
        return { show: { panning: true } };
      default:
        return {};
    }
  },
};

/** Whether a finding is on the figure as a whole, such as a missing box. A panel that was rejected here is missing on purpose. */
export function missingBox({ work }: Model, { item, severity }: Finding): boolean {
  const rejected = work.panels.some(({ label, review }) => label === item && review === "rejected");
  return w.onFigure(work, item) && !rejected && severity !== "note";
}

/** Whether a box would be saved without text whose letter the caption has, and nobody emptied it here. */
function missingText({ work, start }: Model, { item, check }: Finding, findings: readonly Finding[]): boolean {
  const panel = check === "text-missing" ? kept(work).find(({ label }) => label === item) : undefined;
  if (!panel || panel.tokens.length > 0) return false;
  const emptied = (start.panels.find(({ id }) => id === panel.id)?.tokens.length ?? 0) > 0;
  return !emptied && !findings.some((other) => other.check === "label-not-in-caption" && other.item === item);
}

/** The first token in which annotators differ, else the first of the text. */
function cursorAt(model: Model, id: string): number {
  const panel = model.work.panels.find((each) => each.id === id);
  const candidate = candidateOf(model.state, panel);
  return (candidate && differing(candidate)[0]) ?? panel?.tokens[0] ?? model.cursor;
}

/** A label on two panels, which even a forced save refuses, or no panel at all. */
function blocked({ work }: Model, forced: boolean): { id: string | null; text: string } | null {
  const label = w.repeatedLabels(work)[0];
  if (label !== undefined) {
    const id = kept(work).findLast((panel) => panel.label === label)?.id ?? null;
    return { id, text: `Two subfigures are labelled ${label}: L relabels this one, R rejects it.` };
  }
  if (forced || kept(work).length > 0) return null;
  return { id: null, text: "No subfigures: Ctrl Enter saves the figure without any, X rejects it." };
}

/** What is said when a figure is opened. */
function greeting(model: AnyModel<Subfigures>): string {
  const { state, work } = model;
  const open = openIds(work).length;
  if (open > 0) return `${open} open: A accepts, R rejects.`;
  const { decision, starts_from: from } = state;
  switch (enterDoes(model)) {
    case "confirm":
      return "Enter confirms as second reviewer.";
    case "next":
      return decision?.awaits === "second" && decision.reviewer === state.reviewer
        ? "Awaiting a second reviewer: Enter opens the next."
        : "Adjudicated: Enter opens the next.";
    case "save":
      return from ? startsFrom(from) : nothingOpen(state.annotators.length);
    default:
      if (decision && decision.status !== "accepted") return `${capital(DECISION_WORDS[decision.status])}.`;
      return work.panels.length > 0 ? "Look at the labels first." : "No annotator drew a subfigure here.";
  }
}

/** Whether both are the same. The server rounds boxes to a hundredth of a pixel. */
function sameSubfigure(a: Subfigure, b: Subfigure): boolean {
  return a.label === b.label && sameBox(a.box, b.box) && sameTokens(tokenSet(a.tokens), tokenSet(b.tokens));
}

/** FNV-1a over what tells candidates apart. */
function markOf(state: FigureState): string {
  const text = JSON.stringify(state.candidates.map(({ label, box, supporters }) => [label, box, supporters]));
  let mark = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return (mark >>> 0).toString(16);
}

/** tokens: how many the caption has. */
function isWork(value: unknown, tokens: number): boolean {
  const { panels } = value as Partial<Work>;
  return (
    Array.isArray(panels) &&
    panels.every(
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
    )
  );
}
