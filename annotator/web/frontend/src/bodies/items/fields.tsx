/** The reviewer's own answer on the chosen item: a verdict with the edited pair, or the figure's type. */

import { keepFocus, KeyButton, SelectField, TextField } from "../../frame/controls";
import { run } from "../../session/commands";
import type { Session } from "../../session/session";
import { isImpossible, letter, type Items } from "./model";
import type { KindItem, KindValue, PairItem, PairValue } from "./types";
import { samePair, typeText, type PairWork } from "./work";

export const LONGEST = { text: 5_000, note: 10_000 } as const;

export function PairFields({ session, pair, item }: { session: Session<Items>; pair: PairWork; item: PairItem }) {
  const { id, edit, verdict } = pair;
  const wrong = verdict === "Incorrect.Edit";
  // What no annotator judged has no verdict before it gets one here.
  const judged = pair.accepted || item.readings.length > 0;
  const unedited = wrong && item.original !== null && samePair(edit, item.original);
  return (
    <div class="it-own">
      <div class="it-verdict" role="group" aria-label="Your verdict">
        <KeyButton keys="C" pressed={judged && !wrong} run={() => session.act({ type: "correct" })}>
          {judged && !wrong ? "● " : ""}Correct
        </KeyButton>
        <KeyButton keys="I" pressed={wrong} run={() => run(session, { do: "edit" })}>
          {wrong ? "● " : ""}Incorrect.Edit
        </KeyButton>
        {unedited && <span class="why">not edited yet</span>}
        {!(unedited && pair.accepted) && (
          <Accept session={session} accepted={pair.accepted} text={judged ? "Accept as it is" : "Correct, next"} />
        )}
      </div>
      {wrong && <PairEdit session={session} pair={pair} />}
      <ItemNote session={session} value={pair.note} onInput={(note) => session.act({ type: "note", id, note })} />
    </div>
  );
}

/** The fields of a pair that is edited. */
function PairEdit({ session, pair }: { session: Session<Items>; pair: PairWork }) {
  const { id, edit } = pair;
  const { qa_types, impossible } = session.model.state;
  const change = (part: Partial<PairValue>) => session.act({ type: "edit", id, change: part });
  const { choices, question, answer, type } = edit;
  const same = { longest: LONGEST.text, onEnter: () => run(session, { do: "home" }) };
  return (
    <div class="it-edit">
      <TextField label="Question" id="edit" rows={2} value={question} onInput={(text) => change({ question: text })} {...same} />
      {choices.length > 0 && (
        <fieldset>
          <legend>Options</legend>
          {choices.map((choice, i) => (
            <div key={i} class="it-option">
              <TextField
                label={letter(i)}
                spoken={`Option ${letter(i)}`}
                value={choice}
                onInput={(text) => change({ choices: choices.map((each, at) => (at === i ? text : each)) })}
                {...same}
              />
              <button
                type="button"
                class="quiet"
                aria-label={`Remove option ${letter(i)}`}
                title="Remove"
                onClick={() => change({ choices: choices.filter((_, at) => at !== i) })}
              >
                −
              </button>
            </div>
          ))}
        </fieldset>
      )}
      <TextField label="Answer" id="edit-answer" value={answer} onInput={(text) => change({ answer: text })} {...same} />
      <div class="it-line">
        <SelectField
          label="Type"
          id="edit-type"
          options={[...new Set([...qa_types, type, impossible])]}
          textOf={(name) => typeText(session.model.state, name)}
          value={isImpossible(session.model, pair) ? impossible : type}
          onInput={(name) => session.act({ type: "retype", id, name })}
        />
        {choices.length < 26 && (
          <button type="button" onClick={() => change({ choices: [...choices, ""] })}>
            Add option
          </button>
        )}
      </div>
    </div>
  );
}

export function KindFields({ session, value, kind }: { session: Session<Items>; value: KindValue; kind: KindItem }) {
  const { type_names } = session.model.state;
  const { cursor, work } = session.model;
  const has = new Set(value.types);
  const others = value.types.filter((name) => !type_names.includes(name));
  return (
    <div class="it-own">
      <div class="it-verdict" role="group" aria-label="Compound or not, and of how many subfigures">
        <KeyButton keys="D" pressed={value.compound === true} run={() => session.act({ type: "compound" })}>
          {value.compound === null ? "Compound?" : value.compound ? "✓ Compound" : "Not compound"}
        </KeyButton>
        <span class="it-count">
          <button type="button" aria-label="One subfigure fewer" onMouseDown={keepFocus} onClick={() => session.act({ type: "count", by: -1 })}>
            − <kbd>[</kbd>
          </button>
          <output aria-label="Subfigures">{value.count ?? "?"}</output>
          <button type="button" aria-label="One subfigure more" onMouseDown={keepFocus} onClick={() => session.act({ type: "count", by: 1 })}>
            + <kbd>]</kbd>
          </button>
          {value.count === 1 ? "subfigure" : "subfigures"}
        </span>
        {(kind.original !== null || kind.readings.length > 0) && (
          <Accept session={session} accepted={work.kind?.accepted ?? true} text="Accept as it is" />
        )}
      </div>
      <div class="it-types" role="group" aria-label="Types: arrows move, Space takes in or out">
        {type_names.map((name, at) => (
          <button
            key={name}
            type="button"
            id={at === cursor ? "edit" : undefined}
            class={`it-type${at === cursor ? " here" : ""}${kind.disputed.includes(name) ? " disputed" : ""}`}
            aria-pressed={has.has(name)}
            onMouseDown={keepFocus}
            onClick={() => session.act({ type: "flip", name })}
          >
            <span aria-hidden="true">{has.has(name) ? "✓ " : "· "}</span>
            {name}
            {kind.disputed.includes(name) && (
              <span class="votes">
                {" "}
                {kind.readings.filter((reading) => reading.value.types.includes(name)).length}/{kind.readings.length}
              </span>
            )}
          </button>
        ))}
      </div>
      <TextField
        class="it-note"
        label="Other types"
        placeholder="with commas between them"
        longest={LONGEST.text}
        value={others.join(",")}
        onInput={(text) => {
          const listed = value.types.filter((name) => type_names.includes(name));
          session.act({ type: "kind", change: { types: [...listed, ...(text === "" ? [] : text.split(","))] } });
        }}
        onEnter={() => run(session, { do: "home" })}
      />
      <ItemNote session={session} value={value.note} onInput={(note) => session.act({ type: "kind", change: { note } })} />
    </div>
  );
}

function Accept({ session, accepted, text }: { session: Session<Items>; accepted: boolean; text: string }) {
  if (accepted) return <span class="it-done">✓ accepted</span>;
  return (
    <KeyButton keys="A" class="it-accept" run={() => session.act({ type: "accept" })}>
      {text}
    </KeyButton>
  );
}

export function ItemNote({ session, value, onInput }: { session: Session<Items>; value: string; onInput: (note: string) => void }) {
  return (
    <TextField
      class="it-note"
      label="Item note"
      keys="N"
      id="pair-note"
      longest={LONGEST.note}
      value={value}
      onInput={onInput}
      onEnter={() => run(session, { do: "home" })}
    />
  );
}
