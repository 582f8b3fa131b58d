/** The body of the screen on which a figure's type and pairs are adjudicated: its rules for the session. No markup here. */

import { BUTTONS, nothingOpen, startsFrom, type Body } from "../../session/body";
import { FIGURE } from "../../session/kind";
import { basedOn, enterDoes } from "../../session/model";
import { save } from "../../wire/api";
import { chosenAnswer, chosenPair, firstDisputed, nameOf, reduceItems, type Items, type ItemsModel } from "./model";
import type { AnswerWord, ItemsState, PairWord } from "./types";
import * as w from "./work";
import { allIds, idOf, KIND, openIds, wordOf, type Work } from "./work";

const ANSWERED = "People answer this figure's questions. Answers are compared to the gold, so there is nothing to adjudicate.";
const NO_PAIRS =
  "This figure has no type and no pairs, so there is nothing to accept. X rejects or defers it; the campaign's lead can import its pairs.";

/** What is said of a figure without a type and without pairs to adjudicate. */
export const nothingHere = ({ adjudicated }: ItemsState): string => (adjudicated ? NO_PAIRS : ANSWERED);

export const ITEMS: Body<Items> = {
  name: "items",
  who: "reviewer",
  asksReason: false,
  home: "item",
  draft: {
    prefix: "panelwise.items",
    mark: (state) => ({ pairs: pairsOf(state) }),
    isWork: (draft) => texts(draft["pairs"]) && isWork(draft["work"]),
    // Another set of pairs is another question.
    belongs: (draft, state) => (draft["pairs"] as string[]).join("\n") === pairsOf(state).join("\n"),
    // A draft from before there were answers has none.
    refit: (draft, state) => ({ answers: [], ...(draft["work"] as Omit<Work, "answers">), rest: w.startWork(state).rest }),
    misfit: "it is on another caption, image or other pairs, and cannot be restored here",
  },
  checksFirst: false,
  stopsAt: (_, { severity, item }) => (severity === "error" ? item : null),
  startWork: w.startWork,
  workFrom: w.workFrom,
  allIds,
  openIds,
  sameWork: w.sameWork,
  cursorAt: (model, id) => (id === KIND ? firstDisputed(model.state) : model.cursor),
  reduce: reduceItems,
  refuses: () => null,
  content: ({ state, work: { kind, pairs, rest } }, accepted) => ({
    ...(accepted ? rest : {}),
    kind: accepted && kind ? w.trimmedKind(kind.value) : null,
    verdicts: accepted ? pairs.map((pair) => wordOf(state, pair)) : [],
    based_on: accepted ? basedOn(state, [kind?.basis ?? [], ...pairs.map(({ basis }) => basis)]) : [],
  }),
  sameContent: (a, b) => {
    const kinds =
      a.kind === null || b.kind === null ? a.kind === b.kind : w.sameKind(a.kind, b.kind) && a.kind.note === b.kind.note;
    const words = new Map(b.verdicts.map((word) => [word.item, word]));
    const same = (word: PairWord) => {
      const other = words.get(word.item);
      return other !== undefined && w.sameWord(word, other) && word.note.trim() === other.note.trim();
    };
    const answers = JSON.stringify(a.answers ?? []) === JSON.stringify(b.answers ?? []);
    return kinds && answers && a.verdicts.length === b.verdicts.length && a.verdicts.every(same);
  },
  blocked: ({ state, work }) => (allIds(work).length === 0 ? { id: null, text: nothingHere(state) } : null),
  idOfFinding: (_, item) => (item === "" ? KIND : idOf(item)),
  itemOf: (id) => (id.startsWith(idOf("")) ? id.slice(idOf("").length) : ""),
  itemText: ({ work, state }, item) => {
    const pair = w.pairOf(work, idOf(item));
    return JSON.stringify(pair ? wordOf(state, pair) : work.kind?.value);
  },
  closed: (state) => (state.adjudicated ? null : ANSWERED),
  nothingToSave: (work) => allIds(work).length === 0,
  absent: ({ kind, pairs, answers }) => [
    ...(pairs.length > 0 ? [] : (["pair"] as const)),
    ...(kind ? [] : (["type"] as const)),
    ...(answers.length > 0 ? [] : (["answer"] as const)),
  ],
  itemsOf: (work, ids) => allIds(work).filter((id) => ids.has(id)).map((id) => (id === KIND ? "" : id.slice(idOf("").length))),
  nameOfDecision: ({ reviewer }) => `the decision of ${reviewer}`,
  nameOf,
  greeting,
  noneOpen: "No open conflicts.",
  buttons: { ...BUTTONS, here: "A accepts it" },
  openText: (model, id) => {
    const how = id === FIGURE ? "A keeps it, X rejects it" : "A accepts it as it is, 1 – 9 use an annotator's answer";
    return `${nameOf(model, id)} is open: ${how}.`;
  },
  diff: () => [],
  parts: ({ kind, pairs, status }) => {
    const both = status.mine === "accepted" && status.theirs === "accepted";
    return [...(kind ? [kind] : []), ...pairs].map((part) => ({ part, differs: both && part.differs }));
  },
  merge: ({ kind, pairs }, pick) => ({
    kind: kind && pick(kind),
    verdicts: pairs.map((part) => pick(part)).filter((word) => word !== null),
  }),
  refusesMerge: () => null,
  post: () => save,
  other: ({ subfigures_url }) => ({
    url: subfigures_url,
    name: "Subfigures",
    hint: "The figure's subfigures (Y)",
    none: "No annotator marked subfigures on this figure.",
  }),
  run: (model, _, command) => {
    if (command.do !== "edit") return {};
    if (chosenPair(model)) return { act: { type: "incorrect" }, focus: "edit" };
    return model.chosen === KIND || chosenAnswer(model) ? { focus: "edit" } : {};
  },
};

function greeting(model: ItemsModel): string {
  if (allIds(model.work).length === 0) return nothingHere(model.state);
  const open = openIds(model.work).length;
  const { annotators, decision, starts_from: from } = model.state;
  if (open > 0) {
    const left = decision?.status === "accepted" ? `${decision.reviewer}'s decision leaves ${open} open` : `${open} open`;
    return `${left}: A accepts, 1 – 9 use an annotator's answer, ? shows all keys.`;
  }
  if (!decision) return from ? startsFrom(from) : nothingOpen(annotators.length);
  switch (enterDoes(model)) {
    case "confirm":
      return "Enter confirms as second reviewer.";
    case "next":
      return "Adjudicated: Enter opens the next.";
    default:
      return "Enter saves it as accepted.";
  }
}

const pairsOf = (state: ItemsState): string[] => [...state.pairs, ...state.questions].map(({ id }) => id);

/** The answers as they are sent. */
export function answersOf({ answers }: Work): AnswerWord[] {
  return answers.map(({ id, answer, note }) => ({ item: id, answer: answer === null ? null : answer.trim(), note: note.trim() }));
}

function isWork(value: unknown): boolean {
  const { kind, pairs, answers = [] } = value as Partial<Work>;
  const typed = kind === null || (typeof kind?.accepted === "boolean" && texts(kind.basis) && texts(kind.value?.types));
  return (
    typed &&
    Array.isArray(answers) &&
    answers.every(
      ({ id, answer, note, accepted }) =>
        [id, answer ?? "", note].every((text) => typeof text === "string") && typeof accepted === "boolean",
    ) &&
    Array.isArray(pairs) &&
    pairs.every(
      (pair) =>
        typeof pair.id === "string" &&
        ["Correct", "Incorrect.Edit"].includes(pair.verdict) &&
        typeof pair.note === "string" &&
        typeof pair.accepted === "boolean" &&
        texts(pair.basis) &&
        typeof pair.edit?.type === "string" &&
        typeof pair.edit.question === "string" &&
        typeof pair.edit.answer === "string" &&
        texts(pair.edit.choices) &&
        texts(pair.edit.evidence),
    )
  );
}

function texts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
