/** The chosen item: what it came as and what each annotator says side by side, and below it the reviewer's own word. */

import type { ComponentChildren } from "preact";
import { Findings, Marks } from "./findings";
import { kindText } from "./itemslist";
import { nameOf, type ItemsModel } from "./itemsmodel";
import type { ItemsSession } from "./itemssession";
import type { KindItem, PairItem, PairReading, PairValue } from "./itemstypes";
import { chosenPair } from "./itemsmodel";
import { FIGURE, itemOf, KIND, leftAs, NO_PAIR, plain, sameKind, sameWord, wordOf } from "./itemswork";
import { KindFields, PairFields } from "./itemsfields";
import { keepFocus } from "./panels";
import type { Finding } from "./types";

export function ItemDetail({ session }: { session: ItemsSession }) {
  const { model } = session;
  const pair = chosenPair(model);
  const item = pair && itemOf(model.state, pair);
  return (
    <section class="it-detail" id="item" tabIndex={-1} aria-label={nameOf(model, model.chosen)}>
      {model.chosen === FIGURE && <FigureDetail session={session} />}
      {model.chosen === KIND && model.state.kind && <KindDetail session={session} kind={model.state.kind} />}
      {item && <PairDetail session={session} item={item} />}
    </section>
  );
}

function FigureDetail({ session }: { session: ItemsSession }) {
  const { state } = session.model;
  return (
    <div class="it-own">
      <p>{state.reasons.join("; ")}</p>
      <ul>
        {state.statuses.map(({ annotator, status }) => (
          <li key={annotator}>
            {state.annotators.find(({ key }) => key === annotator)?.name}: {status}
          </li>
        ))}
      </ul>
      <div class="it-verdict">
        <button type="button" onMouseDown={keepFocus} onClick={() => session.act({ type: "accept" })}>
          Keep the figure <kbd>A</kbd>
        </button>
        <button type="button" onMouseDown={keepFocus} onClick={() => session.run({ do: "reject-figure" })}>
          Reject it <kbd>X</kbd>
        </button>
      </div>
    </div>
  );
}

/** Annotators who say the same share a column. */
interface Column<T> {
  voices: readonly number[];
  value: T;
}

/** What the side-by-side table needs at least, beyond which it scrolls: the names' column and one for each reading. */
function widthFor(readings: number): string {
  return `${104 + 128 * (readings + 1)}px`;
}

function columnsOf<T extends { annotator: string }>(model: ItemsModel, readings: readonly T[], same: (a: T, b: T) => boolean): Column<T>[] {
  const columns: { voices: number[]; value: T }[] = [];
  model.state.annotators.forEach(({ key }, at) => {
    const reading = readings.find(({ annotator }) => annotator === key);
    if (!reading) return;
    const found = columns.find(({ value }) => same(value, reading));
    if (found) found.voices.push(at);
    else columns.push({ voices: [at], value: reading });
  });
  return columns;
}

function PairDetail({ session, item }: { session: ItemsSession; item: PairItem }) {
  const { model, screen } = session;
  const { state } = model;
  const pair = chosenPair(model);
  if (!pair) return null;
  const came = item.original;
  const columns = columnsOf<PairReading>(model, item.readings, sameWord);
  const values = columns.map(({ value }) => leftAs(item, value));
  const own = wordOf(state, pair);
  const rows: readonly [string, (value: PairValue) => string][] = [
    ["Type", ({ type }) => type],
    ["Question", ({ question }) => question],
    ...(longest(item, values) > 0
      ? [["Options", optionLines] satisfies [string, (value: PairValue) => string]]
      : []),
    ["Answer", ({ answer }) => answer],
  ];
  const shown = came ?? NO_PAIR;
  return (
    <>
      <div class="it-compare">
        <table style={{ minWidth: widthFor(columns.length) }}>
          <thead>
            <tr>
              <td />
              <Came session={session} chosen={own.verdict === "Correct"} there={came !== null} />
              {columns.map(({ voices, value }) => (
                <Voice
                  key={voices.join()}
                  session={session}
                  voices={voices}
                  chosen={sameWord(value, own)}
                  findings={findingsOf(model, voices, item.id)}
                >
                  <span class={value.verdict === "Correct" ? "it-said" : "it-said wrong"}>{value.verdict === "Correct" ? "✓ Correct" : "✎ Incorrect.Edit"}</span>
                </Voice>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, of]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td dir="auto">{of(shown) || "–"}</td>
                {columns.map(({ voices, value }, i) => {
                  const now = values[i] as PairValue;
                  const changed = plain(of(now)) !== plain(of(shown));
                  return (
                    <td key={voices.join()} dir="auto" class={changed ? "changed" : "kept"}>
                      {changed ? <Changed from={of(shown)} to={of(now)} /> : value.verdict === "Correct" ? "as it came" : "unchanged"}
                    </td>
                  );
                })}
              </tr>
            ))}
            {columns.some(({ value }) => value.note !== "") && (
              <tr>
                <th scope="row">Note</th>
                <td />
                {columns.map(({ voices }) => (
                  <td key={voices.join()} dir="auto">
                    {notesOf(model, item, voices)}
                  </td>
                ))}
              </tr>
            )}
          </tbody>
        </table>
      </div>
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
      <Findings findings={screen.findings.filter(({ item: on }) => on === item.id)} />
    </>
  );
}

function longest(item: PairItem, values: readonly PairValue[]): number {
  return Math.max(item.original?.choices.length ?? 0, ...values.map(({ choices }) => choices.length));
}

function optionLines({ choices }: PairValue): string {
  return choices.map((each, i) => `${letter(i)} ${each}`).join("\n");
}

export function letter(at: number): string {
  return String.fromCharCode(65 + (at % 26));
}

function notesOf(model: ItemsModel, item: PairItem, voices: readonly number[]): string {
  const notes = voices.map((at) => item.readings.find(({ annotator }) => annotator === model.state.annotators[at]?.key)?.note ?? "");
  return [...new Set(notes.filter((note) => note !== ""))].join("; ");
}

function findingsOf(model: ItemsModel, voices: readonly number[], item: string): readonly Finding[] {
  const first = model.state.annotators[voices[0] as number];
  return (first ? (model.state.findings[first.key] ?? []) : []).filter((each) => each.item === item);
}

/** Words that are not on the other side are marked. */
function Changed({ from, to }: { from: string; to: string }) {
  const old = new Set(from.split(/\s+/u));
  return (
    <>
      {to === "" && <em>nothing</em>}
      {to.split(/(\s+)/u).map((part, i) => (part.trim() === "" || old.has(part) ? part : <mark key={i}>{part}</mark>))}
    </>
  );
}

function KindDetail({ session, kind }: { session: ItemsSession; kind: KindItem }) {
  const { model, screen } = session;
  const own = model.work.kind;
  if (!own) return null;
  const columns = columnsOf(model, kind.readings, (a, b) => sameKind(a.value, b.value));
  const came = kind.original;
  const rows: readonly [string, (value: NonNullable<typeof came>) => string, string][] = [
    ["Compound", ({ compound }) => (compound === null ? "–" : compound ? "yes" : "no"), "compound"],
    ["Subfigures", ({ count }) => (count === null ? "–" : String(count)), "count"],
    ["Types", ({ types }) => types.join("\n") || "–", "types"],
  ];
  return (
    <>
      <div class="it-compare">
        <table style={{ minWidth: widthFor(columns.length) }}>
          <thead>
            <tr>
              <td />
              <Came session={session} chosen={came !== null && sameKind(came, own.value)} there={came !== null} />
              {columns.map(({ voices, value }) => (
                <Voice
                  key={voices.join()}
                  session={session}
                  voices={voices}
                  chosen={sameKind(value.value, own.value)}
                  findings={findingsOf(model, voices, "")}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, of, what]) => {
              const differs = what === "types" ? kind.disputed.some((each) => each !== "compound" && each !== "count") : kind.disputed.includes(what);
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{came ? of(came) : "–"}</td>
                  {columns.map(({ voices, value }) => (
                    <td key={voices.join()} class={differs ? "changed" : "kept"}>
                      {of(value.value)
                        .split("\n")
                        .map((line) => (
                          <div key={line}>{kind.disputed.includes(line) || (differs && what !== "types") ? <mark>{line}</mark> : line}</div>
                        ))}
                    </td>
                  ))}
                </tr>
              );
            })}
            {columns.some(({ value }) => value.value.note !== "") && (
              <tr>
                <th scope="row">Note</th>
                <td dir="auto">{came?.note}</td>
                {columns.map(({ voices, value }) => (
                  <td key={voices.join()} dir="auto">
                    {value.value.note}
                  </td>
                ))}
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <KindFields session={session} value={own.value} kind={kind} />
      <p class="visually-hidden" role="status">
        {kindText(own.value)}
      </p>
      <Findings findings={screen.findings.filter(({ item }) => item === "")} />
    </>
  );
}

function Came({ session, chosen, there }: { session: ItemsSession; chosen: boolean; there: boolean }) {
  return (
    <th scope="col" class={chosen ? "taken" : ""}>
      <button type="button" class="it-take" disabled={!there} onMouseDown={keepFocus} onClick={() => session.act({ type: "original" })}>
        {chosen ? "● " : ""}As it came <kbd>0</kbd>
      </button>
    </th>
  );
}

function Voice(props: {
  session: ItemsSession;
  voices: readonly number[];
  chosen: boolean;
  findings: readonly Finding[];
  children?: ComponentChildren;
}) {
  const { session, voices, chosen, findings, children } = props;
  const { annotators } = session.model.state;
  const first = annotators[voices[0] as number];
  const called = (first?.name ?? "").replace(/ \d+$/, "");
  return (
    <th scope="col" class={chosen ? "taken" : ""}>
      <button
        type="button"
        class="it-take"
        onMouseDown={keepFocus}
        onClick={() => session.act({ type: "adopt", annotator: voices[0] as number })}
      >
        {chosen ? "● " : ""}
        {called}
        {voices.length > 1 ? "s" : ""}{" "}
        {voices.map((at) => (
          <kbd key={at}>{at + 1}</kbd>
        ))}
      </button>
      {children}
      <Marks findings={findings} />
    </th>
  );
}
