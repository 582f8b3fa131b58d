/** What the screen of types and pairs shows: the figure with its caption, and the items side by side. */

import { useState } from "preact/hooks";
import { References } from "../../frame/controls";
import { Picture } from "../../frame/picture";
import { RemarkPane } from "../../frame/remarks";
import { openHint, queueHeader, REVIEWERS_DISMISSAL, type Bridge, type HintLine, type View } from "../../frame/view";
import { when } from "../../frame/when";
import type { Session } from "../../session/session";
import { nothingHere } from "./body";
import { ItemDetail } from "./detail";
import { ItemList, kindText } from "./list";
import { chosenAnswer, letter, nameOf, type Items } from "./model";
import type { KindValue, PairWord } from "./types";
import { allIds, idOf, KIND, openIds } from "./work";

export const ITEMS_VIEW: View<Items> = {
  panesClass: "it-panes",
  Panes: (props) => {
    const { state } = props.session.model;
    return <ItemPanes {...props} remarks={state.adjudicated} empty={nothingHere(state)} />;
  },
  header: (session) =>
    queueHeader(session, {
      text: "agreement on types, pairs",
      hint: "Mean agreement of the annotators on this figure's type and pairs",
    }),
  hints,
  skip: "skip",
  reject: "reject figure",
  dismissal: REVIEWERS_DISMISSAL,
  part: ({ model }) => (model.chosen === KIND ? "type" : chosenAnswer(model) ? "answer" : null),
  scrolls: true,
  conflict: {
    title: ({ reviewer, decided_at }) => `${reviewer} decided meanwhile, ${when(decided_at)}.`,
    mine: "Keep mine",
    theirs: "Use theirs",
    same: () => null,
    name: (model, { id }) => nameOf(model, id === "" ? KIND : idOf(id)),
    Reading: ({ part, side }) => textOf(part[side] as KindValue | PairWord | null) || <em>nothing</em>,
  },
};

interface ItemPanesProps {
  session: Session<Items>;
  bridge: Bridge;
  /** Whether there is a note on the figure. */
  remarks: boolean;
  /** What is said of a figure without a type and without pairs. */
  empty: string;
}

export function ItemPanes({ session, bridge, remarks, empty }: ItemPanesProps) {
  const { caption, references } = session.model.state;
  return (
    <>
      <section class="it-figure" aria-label="Figure and caption">
        <Figure session={session} bridge={bridge} />
        <div class="it-reading" tabIndex={0} role="group" aria-label="Caption">
          <p dir="auto">{caption || <em>no caption</em>}</p>
          <References texts={references} open={false} />
        </div>
      </section>
      <section class="aj-side it-side" aria-label="Type and pairs">
        <ItemList session={session} empty={empty} />
        <div class="scroll">
          <ItemDetail session={session} />
          {remarks && <RemarkPane session={session} />}
        </div>
      </section>
    </>
  );
}

/** The figure, with nothing drawn on it. */
function Figure({ session, bridge }: { session: Session<Items>; bridge: Bridge }) {
  const { image_url, figure_id } = session.model.state;
  const [failed, setFailed] = useState(false);
  return (
    <div class="aj-image it-picture">
      <Picture session={session} bridge={bridge} label="Figure" margin={16} grab>
        {() =>
          image_url === null || failed ? (
            <p class="aj-empty">
              {failed ? "The image cannot be loaded; reload the page to try again." : "This figure has no image here."}
            </p>
          ) : (
            <img class="it-image" src={image_url} alt={`Figure ${figure_id}`} draggable={false} onError={() => setFailed(true)} />
          )
        }
      </Picture>
    </div>
  );
}

function hints(session: Session<Items>): HintLine[] {
  const { model, screen } = session;
  const off = openIds(model.work).length === 0;
  if (allIds(model.work).length === 0) return [];
  const n = model.state.annotators.length;
  const annotators: HintLine[] = [
    { keys: n > 1 ? `1 – ${Math.min(n, 9)}` : "1", text: "use answer" },
    { keys: "T", text: "all from", run: { do: "taking" }, pressed: screen.taking, off },
  ];
  return [openHint(session, "conflicts"), ...(n > 0 ? annotators : []), ...partHints(session)];
}

/** What the keys do with the chosen item. */
export function partHints({ model }: Session<Items>): HintLine[] {
  const note: HintLine = { keys: "N", text: "note", run: { do: "pair-note" } };
  const type: HintLine[] = [
    { keys: "Space", text: "type in/out", run: { do: "act", action: { type: "toggle-type" } } },
  ];
  const differs: HintLine = { keys: ".", text: "differs", run: { do: "act", action: { type: "cursor", by: 1, disputed: true } } };
  const pair: HintLine[] = [
    { keys: "C", text: "correct", run: { do: "act", action: { type: "correct" } } },
    { keys: "I", text: "edit", run: { do: "edit" } },
  ];
  const chosen = chosenAnswer(model);
  const choices = model.state.questions.find(({ id }) => id === chosen?.id)?.choices ?? [];
  const answer: HintLine[] = [
    choices.length > 0 ? { keys: `1 – ${Math.min(choices.length, 9)}`, text: "option" } : { keys: "I", text: "write", run: { do: "edit" } },
    { keys: "C", text: "cannot be answered", run: { do: "act", action: { type: "unanswerable" } } },
    { keys: "D", text: "don't know", run: { do: "act", action: { type: "unknown" } } },
  ];
  if (model.chosen === KIND) return [...type, ...(model.state.kind?.disputed.length ? [differs] : []), note];
  return [...(chosen ? answer : pair), note];
}

/** One side's answer on an item, as text. */
function textOf(value: KindValue | PairWord | null): string {
  if (value === null) return "";
  if (!("verdict" in value)) return [kindText(value), value.note].filter((each) => each !== "").join("\n");
  const { verdict, edited, note } = value;
  const options = edited?.choices.map((each, i) => `${letter(i)} ${each}`) ?? [];
  const lines = edited ? [edited.question, ...options, `→ ${edited.answer}`, edited.type] : [];
  return [verdict, ...lines, note].filter((each) => each !== "").join("\n");
}
