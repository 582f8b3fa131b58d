/** The list of what is to be settled: the figure itself, its type, its pairs; the chosen one is told below the list. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ItemsSession } from "./itemssession";
import { Marks } from "./findings";
import type { KindValue } from "./itemstypes";
import { FIGURE, idOf, itemOf, KIND, leftAs, wordOf, type PairWork } from "./itemswork";
import { keepFocus } from "./panels";
import type { Finding } from "./types";

export function ItemList({ session }: { session: ItemsSession }) {
  const { model, screen } = session;
  const { state, work } = model;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current='true']")?.scrollIntoView({ block: "nearest" });
  }, [model.chosen]);
  const told = [state.review.told, ...(work.figureOpen ? [] : state.reasons)].filter((line) => line !== "");
  const findings = (item: string) => screen.findings.filter((each) => each.item === item);
  return (
    <ul class="it-list" ref={list} aria-label="Types and pairs">
      {told.length > 0 && <li class="remark">{told.join("; ")}</li>}
      {work.figureOpen && (
        <Row session={session} id={FIGURE} settled={false}>
          <span class="it-tag">Figure</span>
          <span class="why">{state.reasons.join(", ") || "annotators differ on its status"}</span>
          <span class="who">keep or reject</span>
        </Row>
      )}
      {work.kind && (
        <Row session={session} id={KIND} settled={work.kind.settled}>
          <span class="it-tag">Type</span>
          <Gist settled={work.kind.settled} reasons={state.kind?.reasons ?? []} text={kindText(work.kind.value)} />
          <Marks findings={findings("")} />
          <span class="who">{support(state.kind?.supporters.length ?? 0, state.kind?.readings.length ?? 0)}</span>
        </Row>
      )}
      {work.pairs.map((pair, at) => (
        <PairRow key={pair.id} session={session} pair={pair} at={at} findings={findings(pair.id)} />
      ))}
      {work.pairs.length === 0 && !work.kind && <li class="aj-empty">There is neither a type nor a pair to settle.</li>}
    </ul>
  );
}

function PairRow(props: { session: ItemsSession; pair: PairWork; at: number; findings: readonly Finding[] }) {
  const { session, pair, at, findings } = props;
  const item = itemOf(session.model.state, pair);
  if (!item) return null;
  const word = wordOf(session.model.state, pair);
  const value = leftAs(item, word);
  return (
    <Row session={session} id={idOf(pair.id)} settled={pair.settled}>
      <span class="it-tag">{at + 1}</span>
      <Gist settled={pair.settled} reasons={item.reasons} text={value.question} />
      <Marks findings={findings} />
      <span class="who">
        {pair.settled ? (word.verdict === "Correct" ? "correct" : word.edited ? "edited" : "incorrect") : support(item.supporters.length, item.readings.length)}
      </span>
    </Row>
  );
}

/** What is open says why; what is settled says what. */
function Gist({ settled, reasons, text }: { settled: boolean; reasons: readonly string[]; text: string }) {
  if (!settled && reasons.length > 0) return <span class="why">{reasons.join(", ")}</span>;
  return (
    <span class="aj-text" dir="auto">
      {text || "nothing said"}
    </span>
  );
}

function support(most: number, all: number): string {
  return all === 0 ? "nobody" : `${most} of ${all}`;
}

/** A figure's type in words: "compound, 3: bar chart, line chart". */
export function kindText(value: KindValue): string {
  const compound = value.compound === null ? "" : value.compound ? "compound" : "not compound";
  const head = [compound, value.count === null ? "" : String(value.count)].filter((each) => each !== "").join(", ");
  return [head, value.types.join(", ")].filter((each) => each !== "").join(": ");
}

function Row(props: { session: ItemsSession; id: string; settled: boolean; children: ComponentChildren }) {
  const { session, id, settled, children } = props;
  const chosen = session.model.chosen === id;
  return (
    <li data-item={id}>
      <button
        type="button"
        class={`it-row${settled ? "" : " open"}${chosen ? " chosen" : ""}`}
        aria-current={chosen}
        onMouseDown={keepFocus}
        onClick={() => session.act({ type: "choose", id })}
      >
        <span class="glyph" role="img" aria-label={settled ? "settled" : "open"}>
          {settled ? "✓" : "◆"}
        </span>
        {children}
      </button>
    </li>
  );
}
