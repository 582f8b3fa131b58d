/** What the reviewer works on: the figure's type and its pairs, each open or accepted. Pure. */

import type { ItemsDecision, ItemsState, KindValue, PairItem, PairValue, PairWord, QAKind, Verdict } from "./types";
import { FIGURE } from "../../session/kind";
import type { Status } from "../../wire/types";

/** The id under which the figure's type is chosen. */
export const KIND = "kind";

/** basis: keys of the annotators whose word it is. */
export interface KindWork {
  value: KindValue;
  accepted: boolean;
  basis: readonly string[];
}

/** edit: what the fields hold; it is sent under Incorrect.Edit only, and kept aside under Correct. */
export interface PairWork {
  id: string;
  verdict: Verdict;
  edit: PairValue;
  note: string;
  accepted: boolean;
  basis: readonly string[];
}

/** answer: "" until there is one, null for "I don't know", letters with commas where options are picked. */
export interface AnswerWork {
  id: string;
  answer: string | null;
  note: string;
  accepted: boolean;
}

export interface Work {
  kind: KindWork | null;
  pairs: readonly PairWork[];
  answers: readonly AnswerWork[];
  figureOpen: boolean;
  /** What the decision says of kinds that this page does not know, by the draft's field: it is saved again as it was. */
  rest: Readonly<Record<string, unknown>>;
}

/** Fields of a draft that this page shows. */
const SHOWN: readonly string[] = ["kind", "verdicts", "answers"];

/** Fields of what the figure asks for and this page, which is older than the server, does not show. */
export const unknownKinds = ({ kinds }: Pick<ItemsState, "kinds">): string[] => kinds.filter((field) => !SHOWN.includes(field));

function restOf(state: ItemsState, decision: object): Work["rest"] {
  const values: Work["rest"] = { ...decision };
  return Object.fromEntries(unknownKinds(state).flatMap((field) => (field in values ? [[field, values[field]]] : [])));
}

/** A pair's type in the server's words for reading: "closed-ended, infinite answer set, visual". */
export const typeText = ({ type_words }: Pick<ItemsState, "type_words">, type: string): string => type_words[type] ?? type;

export const NO_PAIR: PairValue = { type: "" as QAKind, question: "", choices: [], answer: "", evidence: [] };

/** The id under which a pair is chosen: no pair's own id can be taken for another thing. */
export const idOf = (pair: string): string => `pair ${pair}`;

export function pairOf(work: Work, id: string | null): PairWork | undefined {
  return work.pairs.find((pair) => idOf(pair.id) === id);
}

export function answerOf(work: Work, id: string | null): AnswerWork | undefined {
  return work.answers.find((answer) => idOf(answer.id) === id);
}

export function itemOf(state: Pick<ItemsState, "pairs">, pair: Pick<PairWork, "id">): PairItem | undefined {
  return state.pairs.find((item) => item.id === pair.id);
}

/** Where work begins: from the standing decision if there is one, else from what most annotators say. */
export function startWork(state: ItemsState): Work {
  const from = state.decision ?? state.starts_from;
  if (from) return workFrom(state, from);
  const statuses: Status[] = state.statuses.map(({ status }) => status);
  return { ...proposed(state), figureOpen: statuses.some((status) => status !== "accepted") };
}

function proposed(state: ItemsState): Work {
  const wrong = new Set((state.findings[""] ?? []).filter(({ severity }) => severity === "error").map(({ item }) => item));
  const kind = state.kind && {
    value: state.kind.proposal,
    accepted: state.kind.preselected && !state.kind.conflict && !wrong.has(""),
    basis: state.kind.supporters,
  };
  const pairs = state.pairs.map((item): PairWork => {
    const accepted = item.preselected && !item.conflict && !wrong.has(item.id);
    return { ...fromWord(item, item.proposal), accepted, basis: item.supporters };
  });
  const answers = state.questions.map(({ id }): AnswerWork => ({ id, answer: "", note: "", accepted: false }));
  return { kind, pairs, answers, figureOpen: false, rest: {} };
}

/** A decision as work: what it says is accepted; what it does not speak of is as most annotators say, and open. */
export function workFrom(state: ItemsState, decision: Pick<ItemsDecision, "kind" | "verdicts" | "answers" | "based_on">): Work {
  const start = proposed(state);
  const words = new Map(decision.verdicts.map((word) => [word.item, word]));
  const known = (supporters: readonly string[]) => supporters.filter((key) => decision.based_on.includes(key));
  const kind =
    start.kind && decision.kind
      ? { value: decision.kind, accepted: true, basis: known(start.kind.basis) }
      : start.kind && { ...start.kind, accepted: false };
  const pairs = start.pairs.map((pair): PairWork => {
    const word = words.get(pair.id);
    const item = itemOf(state, pair);
    if (!word || !item) return { ...pair, accepted: false };
    return { ...fromWord(item, word), accepted: true, basis: known(pair.basis) };
  });
  const answers = start.answers.map((open): AnswerWork => {
    const said = decision.answers?.find(({ item }) => item === open.id);
    return said ? { ...open, answer: said.answer, note: said.note, accepted: true } : open;
  });
  return { kind, pairs, answers, figureOpen: false, rest: restOf(state, decision) };
}

/** A pair as somebody has it. */
export function fromWord(item: PairItem, word: Omit<PairWord, "item">): Omit<PairWork, "accepted" | "basis"> {
  const edit = word.edited ?? item.original ?? NO_PAIR;
  return { id: item.id, verdict: word.verdict, edit, note: word.note };
}

/** A pair as it is sent: an edit that changes nothing is none. */
export function wordOf(state: Pick<ItemsState, "pairs">, pair: PairWork): PairWord {
  const { id, verdict, edit, note } = pair;
  const original = itemOf(state, pair)?.original ?? null;
  const edited = verdict === "Correct" || (original !== null && samePair(edit, original)) ? null : trimmed(edit);
  return { item: id, verdict, edited, note: note.trim() };
}

/** A figure's type as it is sent. */
export function trimmedKind(kind: KindValue): KindValue {
  const types = kind.types.map((name) => name.trim()).filter((name) => name !== "");
  return { ...kind, types, note: kind.note.trim() };
}

function trimmed(pair: PairValue): PairValue {
  const { question, choices, answer } = pair;
  return { ...pair, question: question.trim(), choices: choices.map((each) => each.trim()), answer: answer.trim() };
}

/** The pair as the word leaves it. */
export function leftAs(item: PairItem, word: Pick<PairWord, "edited">): PairValue {
  return word.edited ?? item.original ?? NO_PAIR;
}

export function plain(text: string): string {
  return text.normalize("NFC").trim().split(/\s+/u).join(" ");
}

export function samePair(a: PairValue, b: PairValue): boolean {
  return (
    a.type === b.type &&
    plain(a.question) === plain(b.question) &&
    plain(a.answer) === plain(b.answer) &&
    a.choices.length === b.choices.length &&
    a.choices.every((choice, i) => plain(choice) === plain(b.choices[i] as string))
  );
}

export function sameWord(a: Omit<PairWord, "item">, b: Omit<PairWord, "item">): boolean {
  if (a.verdict !== b.verdict) return false;
  if (a.edited === null || b.edited === null) return a.edited === b.edited;
  return samePair(a.edited, b.edited);
}

export function sameKind(a: KindValue, b: KindValue): boolean {
  return a.compound === b.compound && a.count === b.count && [...a.types].sort().join("\n") === [...b.types].sort().join("\n");
}

/** Ids of all there is, in the order of the screen. */
export function allIds({ figureOpen, kind, pairs, answers }: Omit<Work, "rest">): string[] {
  return [...(figureOpen ? [FIGURE] : []), ...(kind ? [KIND] : []), ...[...pairs, ...answers].map(({ id }) => idOf(id))];
}

export function openIds({ figureOpen, kind, pairs, answers }: Work): string[] {
  const open = <T extends { accepted: boolean }>(items: readonly T[]) => items.filter(({ accepted }) => !accepted);
  return allIds({ figureOpen, kind: kind?.accepted ? null : kind, pairs: open(pairs), answers: open(answers) });
}

export function sameWork(a: Work, b: Work): boolean {
  if (a === b) return true;
  if (a.figureOpen !== b.figureOpen || a.pairs.length !== b.pairs.length) return false;
  if (JSON.stringify(a.answers) !== JSON.stringify(b.answers)) return false;
  return sameKindWork(a.kind, b.kind) && a.pairs.every((pair, i) => samePairWork(pair, b.pairs[i] as PairWork));
}

function sameKindWork(a: KindWork | null, b: KindWork | null): boolean {
  if (a === null || b === null) return a === b;
  return a.accepted === b.accepted && a.value.note === b.value.note && sameKind(a.value, b.value);
}

function samePairWork(a: PairWork, b: PairWork): boolean {
  const said = a.id === b.id && a.verdict === b.verdict && a.accepted === b.accepted && a.note === b.note;
  return said && JSON.stringify(a.edit) === JSON.stringify(b.edit);
}
