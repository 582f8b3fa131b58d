/** What each action on types and pairs makes of the model. Pure. */

import type { Model as AnyModel } from "../../session/body";
import { FIGURE, type Kind } from "../../session/kind";
import { commit, goOn, keepFigure } from "../../session/model";
import type { ItemsAction } from "./actions";
import type { ItemsConflict, ItemsDecision, ItemsPayload, ItemsState, KindValue, PairReading, QAKind } from "./types";
import * as w from "./work";
import { answerOf, KIND, pairOf, type AnswerWork, type KindWork, type PairWork, type Work } from "./work";

export interface Items extends Kind {
  state: ItemsState;
  work: Work;
  decision: ItemsDecision;
  payload: ItemsPayload;
  conflict: ItemsConflict;
  action: ItemsAction;
}

/** cursor: the type, by its place, that keys work on. */
export type ItemsModel = AnyModel<Items>;

export function chosenPair(model: Pick<ItemsModel, "work" | "chosen">): PairWork | undefined {
  return pairOf(model.work, model.chosen);
}

export function chosenAnswer(model: Pick<ItemsModel, "work" | "chosen">): AnswerWork | undefined {
  return answerOf(model.work, model.chosen);
}

export function reduceItems(model: ItemsModel, action: ItemsAction): ItemsModel {
  switch (action.type) {
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
    case "retype":
      return retype(model, action.id, action.name);
    case "kind":
      return editKind(model, action.change, Object.keys(action.change).join());
    case "compound":
      return compound(model);
    case "count": {
      const count = model.work.kind?.value.count ?? null;
      return editKind(model, { count: Math.max(0, count === null ? 1 : count + action.by) });
    }
    case "answer":
      return editAnswer(model, action.id, action.change, `${action.id} ${Object.keys(action.change).join()}`);
    case "pick":
      return pick(model, action.option);
    case "unanswerable":
    case "unknown":
      return instead(model, action.type);
    case "cursor":
      return moveCursor(model, action.by, action.disputed ?? false);
    case "toggle-type": {
      const name = model.state.type_names[model.cursor];
      return name === undefined ? model : flip(model, name);
    }
    case "flip":
      return flip({ ...model, cursor: Math.max(0, model.state.type_names.indexOf(action.name)) }, action.name);
  }
}

/** The place of the first type in which annotators differ, else the very first. */
export function firstDisputed({ type_names, kind }: ItemsState): number {
  return Math.max(0, type_names.findIndex((name) => kind?.disputed.includes(name)));
}

/** How an item is called in a sentence. */
export function nameOf(model: Pick<ItemsModel, "work">, id: string | null): string {
  if (id === FIGURE) return "The figure";
  if (id === KIND) return "The figure's type";
  const { pairs, answers } = model.work;
  const at = (items: readonly { id: string }[]) => items.findIndex((item) => w.idOf(item.id) === id) + 1;
  if (at(answers) > 0) return `Question ${at(answers)}`;
  return at(pairs) > 0 ? `Pair ${at(pairs)}` : "The figure";
}

/** Accepts the chosen thing as it is, and goes on to the next open one, if there is one. */
function accept(model: ItemsModel): ItemsModel {
  const { chosen, work } = model;
  if (chosen === null) return model;
  if (chosen === FIGURE) return goOn(keepFigure(model), "The figure is kept.");
  const [pair, answer] = [chosenPair(model), chosenAnswer(model)];
  if (answer?.answer === "") return { ...model, said: `${nameOf(model, chosen)} has no answer yet.` };
  const next: Work =
    chosen === KIND
      ? { ...work, kind: work.kind && { ...work.kind, accepted: true } }
      : { ...work, pairs: work.pairs.map((each) => (each === pair ? { ...each, accepted: true } : each)) };
  return goOn(commit(model, next), `${nameOf(model, chosen)} is accepted.`);
}

function verdict(model: ItemsModel, to: PairWork["verdict"]): ItemsModel {
  const pair = chosenPair(model);
  if (!pair) return { ...model, said: "Choose a pair: only pairs are correct or incorrect." };
  const next = editPair(model, pair.id, (each) => ({ ...each, verdict: to }));
  return { ...next, said: `${nameOf(model, model.chosen)}: ${to === "Correct" ? "correct as imported" : "incorrect, edit it below"}.` };
}

/** The chosen item as imported. */
function original(model: ItemsModel): ItemsModel {
  if (model.chosen !== KIND) return verdict(model, "Correct");
  const came = model.state.kind?.original;
  if (!came) return { ...model, said: "The figure was imported without a type." };
  return { ...editKind(model, { ...came, note: model.work.kind?.value.note ?? "" }), said: "The figure's type as imported." };
}

function adopt(model: ItemsModel, index: number): ItemsModel {
  const annotator = model.state.annotators[index];
  if (!annotator || model.chosen === null || model.chosen === FIGURE) return model;
  const next = adopted(model, model.work, model.chosen, annotator.key);
  if (next === null) return { ...model, said: `${annotator.name} did not judge it.` };
  return { ...commit(model, next), said: `${nameOf(model, model.chosen)} uses ${annotator.name}'s answer.` };
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
  if (count === 0) return { ...model, said: `${annotator.name} judged no open items.` };
  const left = w.openIds(work).length;
  return { ...commit(model, work), said: `${count} from ${annotator.name}; ${left} open.` };
}

/** The work with one item as an annotator has it; null where that one did not judge it. */
function adopted(model: ItemsModel, work: Work, id: string, key: string): Work | null {
  if (id === KIND) {
    const reading = model.state.kind?.readings.find(({ annotator }) => annotator === key);
    return reading ? { ...work, kind: { value: reading.value, accepted: true, basis: [key] } } : null;
  }
  const pair = pairOf(work, id);
  const item = pair && w.itemOf(model.state, pair);
  const reading: PairReading | undefined = item?.readings.find(({ annotator }) => annotator === key);
  if (!pair || !item || !reading) return null;
  const next: PairWork = { ...w.fromWord(item, reading), accepted: true, basis: [key] };
  return { ...work, pairs: work.pairs.map((each) => (each === pair ? next : each)) };
}

/** What the reviewer changes is thereby decided. */
function editPair(model: ItemsModel, id: string, change: (pair: PairWork) => PairWork, tag = ""): ItemsModel {
  const pairs = model.work.pairs.map((pair) => (pair.id === id ? { ...change(pair), accepted: true } : pair));
  return { ...commit(model, { ...model.work, pairs }, tag), said: "" };
}

/** Another type of a pair. One that the figure does not allow has neither question nor answer, until it gets a type again. */
function retype(model: ItemsModel, id: string, name: string): ItemsModel {
  const { impossible } = model.state;
  return editPair(model, id, (pair) => {
    if (name === impossible) return { ...pair, edit: { ...pair.edit, question: name, choices: [], answer: name } };
    const { question, choices, answer } = w.itemOf(model.state, pair)?.original ?? w.NO_PAIR;
    const restored = isImpossible(model, pair) ? { question, choices, answer } : {};
    return { ...pair, edit: { ...pair.edit, ...restored, type: name as QAKind } };
  });
}

/** Whether a pair is given up, as its type is impossible on the figure. */
export function isImpossible({ state }: Pick<ItemsModel, "state">, { edit }: PairWork): boolean {
  return edit.question === state.impossible && edit.answer === state.impossible;
}

function editKind(model: ItemsModel, change: Partial<KindValue>, tag = ""): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const next: KindWork = { ...kind, value: { ...kind.value, ...change }, accepted: true };
  return { ...commit(model, { ...model.work, kind: next }, tag && `kind ${tag}`), said: "" };
}

/** A question with an answer is done; one without is open, whatever its note says. */
function editAnswer(model: ItemsModel, id: string, change: Partial<AnswerWork>, tag = ""): ItemsModel {
  const answers = model.work.answers.map((each) => {
    const next = { ...each, ...change };
    return each.id === id ? { ...next, accepted: next.answer === null || next.answer.trim() !== "" } : each;
  });
  return { ...commit(model, { ...model.work, answers }, tag), said: "" };
}

/** One option of the chosen question in or out; several may be right. */
function pick(model: ItemsModel, option: number): ItemsModel {
  const answer = chosenAnswer(model);
  const question = model.state.questions.find(({ id }) => id === answer?.id);
  if (!answer || !question) return model;
  const letters = question.choices.map((_, i) => letter(i));
  const toggled = letters[option];
  if (toggled === undefined) {
    return { ...model, said: letters.length === 0 ? "This question has no options: I writes an answer." : `There is no option ${option + 1}.` };
  }
  const had = picked(answer);
  const has = letters.filter((each) => had.includes(each) !== (each === toggled));
  return { ...editAnswer(model, answer.id, { answer: has.join(",") }), said: `${toggled} is ${had.includes(toggled) ? "out" : "in"}.` };
}

/** The letters of the options that an answer picks. */
export function picked({ answer }: Pick<AnswerWork, "answer">): string[] {
  return answer === null || answer === "" ? [] : answer.split(",");
}

/** How an option is lettered. */
export function letter(at: number): string {
  return String.fromCharCode(65 + (at % 26));
}

/** In place of an answer: that there is none, or that one does not know it. Again takes it back. */
function instead(model: ItemsModel, what: "unanswerable" | "unknown"): ItemsModel {
  const answer = chosenAnswer(model);
  if (!answer) return { ...model, said: "Choose a question." };
  const text = what === "unknown" ? null : model.state.unanswerable;
  const back = answer.answer === text;
  const next = editAnswer(model, answer.id, { answer: back ? "" : text });
  return { ...next, said: back ? "No answer." : what === "unknown" ? "I don't know: say why in the note." : "Cannot be answered." };
}

/** A figure that is not compound is one subfigure; a compound one has two or more. */
function compound(model: ItemsModel): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const now = !(kind.value.compound ?? false);
  const next = editKind(model, { compound: now });
  return { ...next, said: now ? "Compound: set the number of subfigures." : "Not compound." };
}

function flip(model: ItemsModel, name: string): ItemsModel {
  const { kind } = model.work;
  if (!kind) return model;
  const has = kind.value.types.includes(name);
  const listed = model.state.type_names;
  const types = [...listed, ...kind.value.types.filter((each) => !listed.includes(each))].filter((each) =>
    each === name ? !has : kind.value.types.includes(each),
  );
  return { ...editKind(model, { types }), said: `${name} is ${has ? "out" : "in"}.` };
}

function moveCursor(model: ItemsModel, by: 1 | -1, disputed: boolean): ItemsModel {
  const names = model.state.type_names;
  const stops = names.map((_, i) => i).filter((i) => !disputed || model.state.kind?.disputed.includes(names[i] as string));
  if (stops.length === 0) return { ...model, said: "No type differs." };
  const onwards = by === 1 ? stops.find((i) => i > model.cursor) : stops.findLast((i) => i < model.cursor);
  return { ...model, cursor: onwards ?? ((by === 1 ? stops[0] : stops.at(-1)) as number), said: "" };
}
