/** The list of what is adjudicated: the figure itself, its type, its pairs; the chosen one is shown in full below it. */

import { Marks } from "../../frame/findings";
import { List, Row } from "../../frame/list";
import type { Session } from "../../session/session";
import type { Finding } from "../../wire/types";
import type { Items } from "./model";
import type { KindValue } from "./types";
import { idOf, itemOf, KIND, leftAs, unknownKinds, wordOf, type AnswerWork, type PairWork } from "./work";

/** empty: what is said of a figure without a type and without pairs. */
export function ItemList({ session, empty }: { session: Session<Items>; empty: string }) {
  const { model, screen } = session;
  const { state, work } = model;
  const findings = (item: string) => screen.findings.filter((each) => each.item === item);
  return (
    <List session={session} label="Types and pairs" remarks={[notShown(unknownKinds(state))]}>
      {work.kind && (
        <Row session={session} id={KIND} look={work.kind.accepted ? "accepted" : "open"}>
          <span class="it-tag">Type</span>
          <Gist open={!work.kind.accepted} reasons={state.kind?.reasons ?? []} text={kindText(work.kind.value)} />
          <Marks findings={findings("")} />
          <span class="who">{support(state.kind?.supporters.length ?? 0, state.kind?.readings.length ?? 0)}</span>
        </Row>
      )}
      {work.pairs.map((pair, at) => (
        <PairRow key={pair.id} session={session} pair={pair} at={at} findings={findings(pair.id)} />
      ))}
      {work.answers.map((answer, at) => (
        <Row key={answer.id} session={session} id={idOf(answer.id)} look={answer.accepted ? "accepted" : "open"}>
          <span class="it-tag">{at + 1}</span>
          <Gist open={false} reasons={[]} text={state.questions[at]?.question ?? ""} />
          <span class="who">{saidOf(answer)}</span>
        </Row>
      ))}
      {work.pairs.length + work.answers.length === 0 && !work.kind && <li class="aj-empty">{empty}</li>}
    </List>
  );
}

function PairRow(props: { session: Session<Items>; pair: PairWork; at: number; findings: readonly Finding[] }) {
  const { session, pair, at, findings } = props;
  const { state } = session.model;
  const item = itemOf(state, pair);
  if (!item) return null;
  const word = wordOf(state, pair);
  const verdict = word.verdict === "Correct" ? "correct" : word.edited ? "edited" : "incorrect";
  return (
    <Row session={session} id={idOf(pair.id)} look={pair.accepted ? "accepted" : "open"}>
      <span class="it-tag">{at + 1}</span>
      <Gist open={!pair.accepted} reasons={item.reasons} text={leftAs(item, word).question} />
      <Marks findings={findings} />
      <span class="who">{pair.accepted ? verdict : support(item.supporters.length, item.readings.length)}</span>
    </Row>
  );
}

/** What is said of kinds that this page does not know. */
function notShown(kinds: readonly string[]): string | undefined {
  if (kinds.length === 0) return undefined;
  return `this page is out of date and does not show: ${kinds.join(", ")}. What is saved of it stays; reload the page`;
}

/** Why an open thing is open; of every other what it is. */
function Gist({ open, reasons, text }: { open: boolean; reasons: readonly string[]; text: string }) {
  if (open && reasons.length > 0) return <span class="why">{reasons.join(", ")}</span>;
  return (
    <span class="aj-text" dir="auto">
      {text || "empty"}
    </span>
  );
}

function support(most: number, all: number): string {
  return all === 0 ? "" : `${most} of ${all}`;
}

function saidOf({ answer, accepted }: AnswerWork): string {
  if (!accepted) return "";
  return answer === null ? "unknown" : "answered";
}

/** A figure's type in words: "compound, 3 subfigures, bar chart, line chart". */
export function kindText(value: KindValue): string {
  const compound = value.compound === null ? "" : value.compound ? "compound" : "not compound";
  const count = value.count === null ? "" : `${value.count} ${value.count === 1 ? "subfigure" : "subfigures"}`;
  return [compound, count, ...value.types].filter((each) => each !== "").join(", ");
}
