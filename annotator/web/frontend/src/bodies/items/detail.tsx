/** The chosen item: what it was imported as and what each annotator says, and below it the reviewer's own answer. */

import { KeyButton } from "../../frame/controls";
import { Findings } from "../../frame/findings";
import { run } from "../../session/commands";
import { FIGURE } from "../../session/kind";
import type { Session } from "../../session/session";
import { columnsOf, Compare, type CompareRow } from "./compare";
import { AnswerDetail } from "./answer";
import { KindFields, PairFields } from "./fields";
import { kindText } from "./list";
import { chosenAnswer, chosenPair, letter, nameOf, type Items } from "./model";
import { WORK_WORDS } from "../../wire/types";
import type { ItemsState, KindItem, KindValue, PairItem, PairReading, PairValue } from "./types";
import { itemOf, KIND, leftAs, NO_PAIR, plain, sameKind, sameWord, typeText, wordOf, type PairWork } from "./work";

export function ItemDetail({ session }: { session: Session<Items> }) {
  const { model, screen } = session;
  const { chosen, state, work } = model;
  const pair = chosenPair(model);
  const item = pair && itemOf(state, pair);
  const answer = chosenAnswer(model);
  const question = state.questions.find(({ id }) => id === answer?.id);
  const on = chosen === KIND ? "" : item?.id;
  return (
    <section class="it-detail" id="item" tabIndex={-1} aria-label={nameOf(model, chosen)}>
      {chosen === FIGURE && <FigureDetail session={session} />}
      {chosen === KIND && state.kind && work.kind && <KindDetail session={session} kind={state.kind} own={work.kind.value} />}
      {pair && item && <PairDetail session={session} pair={pair} item={item} />}
      {answer && question && <AnswerDetail session={session} answer={answer} question={question} />}
      {on !== undefined && <Findings findings={screen.findings.filter((each) => each.item === on)} />}
    </section>
  );
}

function FigureDetail({ session }: { session: Session<Items> }) {
  const { state } = session.model;
  return (
    <div class="it-own">
      <p>{state.reasons.join("; ")}</p>
      <ul>
        {state.statuses.map(({ annotator, status, reason }) => (
          <li key={annotator}>
            {state.annotators.find(({ key }) => key === annotator)?.name}: {WORK_WORDS[status]}
            {reason && `, “${reason}”`}
          </li>
        ))}
      </ul>
      <div class="it-verdict">
        <KeyButton keys="A" run={() => session.act({ type: "accept" })}>
          Keep figure
        </KeyButton>
        <KeyButton keys="X" run={() => run(session, { do: "reject-figure" })}>
          Reject figure
        </KeyButton>
      </div>
    </div>
  );
}

const ROWS: readonly [string, (value: PairValue, state: ItemsState) => string][] = [
  ["Type", ({ type }, state) => typeText(state, type)],
  ["Question", ({ question }) => question],
  ["Options", ({ choices }) => choices.map((each, i) => `${letter(i)} ${each}`).join("\n")],
  ["Answer", ({ answer }) => answer],
];

function PairDetail({ session, pair, item }: { session: Session<Items>; pair: PairWork; item: PairItem }) {
  const { model } = session;
  const imported = item.original ?? NO_PAIR;
  const columns = columnsOf<PairReading>(model, item.readings, sameWord);
  const values = columns.map(({ value }) => leftAs(item, value));
  const own = wordOf(model.state, pair);
  const cell = (of: (value: PairValue, state: ItemsState) => string, at: number) => {
    const [text, before] = [of(values[at] as PairValue, model.state), of(imported, model.state)];
    if (plain(text) !== plain(before)) return { changed: true, text: <Changed from={before} to={text} /> };
    return { changed: false, text: columns[at]?.value.verdict === "Correct" ? "as imported" : "unchanged" };
  };
  const options = [imported, ...values].some(({ choices }) => choices.length > 0);
  const rows = ROWS.filter(([name]) => options || name !== "Options").map(
    ([name, of]): CompareRow => ({ name, original: of(imported, model.state) || "–", cells: values.map((_, at) => cell(of, at)) }),
  );
  return (
    <>
      <Compare
        session={session}
        item={item.id}
        columns={columns}
        isOwn={(value) => sameWord(value, own)}
        original={{ exists: item.original !== null, own: own.verdict === "Correct" && (pair.accepted || item.readings.length > 0) }}
        verdict={({ verdict }) => (
          <span class={verdict === "Correct" ? "it-said" : "it-said wrong"}>{verdict === "Correct" ? "✓ Correct" : "✎ Incorrect.Edit"}</span>
        )}
        rows={rows}
        noteOf={({ voices }) => {
          const keys = voices.map((at) => model.state.annotators[at]?.key);
          const notes = item.readings.filter(({ annotator }) => keys.includes(annotator)).map(({ note }) => note);
          return [...new Set(notes.filter((note) => note !== ""))].join("; ");
        }}
      />
      {item.answers.length > 0 && (
        <p class="it-answers">
          Human evaluation:{" "}
          {item.answers.map(({ annotator, answer, note }, i) => (
            <span key={annotator} dir="auto" title={note}>
              {i > 0 && "; "}
              {answer ?? "I don't know"}
            </span>
          ))}
        </p>
      )}
      <PairFields session={session} pair={pair} item={item} />
    </>
  );
}

/** Words that are not on the other side are marked. */
function Changed({ from, to }: { from: string; to: string }) {
  const old = new Set(from.split(/\s+/u));
  return (
    <>
      {to === "" && <em>empty</em>}
      {to.split(/(\s+)/u).map((part, i) => (part.trim() === "" || old.has(part) ? part : <mark key={i}>{part}</mark>))}
    </>
  );
}

function KindDetail({ session, kind, own }: { session: Session<Items>; kind: KindItem; own: KindValue }) {
  const { original, disputed } = kind;
  const columns = columnsOf(session.model, kind.readings, (a, b) => sameKind(a.value, b.value));
  const row = (name: string, of: (value: KindValue) => string, differs: boolean, marks: (line: string) => boolean): CompareRow => ({
    name,
    original: original ? of(original) : "–",
    cells: columns.map(({ value: { value } }) => ({
      changed: differs,
      text: of(value)
        .split("\n")
        .map((line) => <div key={line}>{marks(line) ? <mark>{line}</mark> : line}</div>),
    })),
  });
  const types = disputed.filter((each) => each !== "compound" && each !== "count");
  const [compound, count] = [disputed.includes("compound"), disputed.includes("count")];
  const yes = (value: boolean | null) => (value === null ? "–" : value ? "yes" : "no");
  return (
    <>
      {(original !== null || columns.length > 0) && (
        <Compare
          session={session}
          item=""
          columns={columns}
          isOwn={({ value }) => sameKind(value, own)}
          original={{ exists: original !== null, own: original !== null && sameKind(original, own) }}
          rows={[
            row("Compound", (value) => yes(value.compound), compound, () => compound),
            row("Subfigures", (value) => String(value.count ?? "–"), count, () => count),
            row("Types", (value) => value.types.join("\n") || "–", types.length > 0, (line) => types.includes(line)),
          ]}
          noteOf={({ value: { value } }) => value.note}
          originalNote={original?.note}
        />
      )}
      <KindFields session={session} value={own} kind={kind} />
      <p class="visually-hidden" role="status">
        {kindText(own)}
      </p>
    </>
  );
}
