/** The reviewer's own answer on the chosen item: a verdict with the edited pair, or the figure's type. */

import { keepFocus, KeyButton } from "../../frame/controls";
import type { Session } from "../../session/session";
import type { Items } from "./model";
import type { KindItem, KindValue, PairItem } from "./types";
import { samePair, type PairWork } from "./work";

const LONGEST = { text: 5_000, note: 10_000 } as const;

/** How an option is lettered. */
export function letter(at: number): string {
  return String.fromCharCode(65 + (at % 26));
}

export function PairFields({ session, pair, item }: { session: Session<Items>; pair: PairWork; item: PairItem }) {
  const { id, edit, verdict } = pair;
  const { qa_types } = session.model.state;
  const wrong = verdict === "Incorrect.Edit";
  const unedited = wrong && item.original !== null && samePair(edit, item.original);
  const change = (part: Partial<typeof edit>) => session.act({ type: "edit", id, change: part });
  const choices = edit.choices.map((choice, i) => ({ choice, i }));
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      session.run({ do: "home" });
    }
  };
  return (
    <div class="it-own">
      <div class="it-verdict" role="group" aria-label="Your verdict">
        <KeyButton keys="C" pressed={!wrong} run={() => session.act({ type: "correct" })}>
          {wrong ? "" : "● "}Correct
        </KeyButton>
        <KeyButton keys="I" pressed={wrong} run={() => session.run({ do: "edit" })}>
          {wrong ? "● " : ""}Incorrect.Edit
        </KeyButton>
        {unedited && <span class="why">not edited yet</span>}
        <Accept session={session} accepted={pair.settled} />
      </div>
      {wrong && (
        <div class="it-edit">
          <label>
            <span>Question</span>
            <textarea
              id="edit"
              dir="auto"
              rows={2}
              maxLength={LONGEST.text}
              value={edit.question}
              onKeyDown={leave}
              onInput={(event) => change({ question: event.currentTarget.value })}
            />
          </label>
          {choices.length > 0 && (
            <fieldset>
              <legend>Options</legend>
              {choices.map(({ choice, i }) => (
                <label key={i} class="it-option">
                  <span>{letter(i)}</span>
                  <input
                    dir="auto"
                    aria-label={`Option ${letter(i)}`}
                    maxLength={LONGEST.text}
                    value={choice}
                    onKeyDown={leave}
                    onInput={(event) => change({ choices: edit.choices.map((each, at) => (at === i ? event.currentTarget.value : each)) })}
                  />
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Take option ${letter(i)} out`}
                    title="Take it out"
                    onClick={() => change({ choices: edit.choices.filter((_, at) => at !== i) })}
                  >
                    −
                  </button>
                </label>
              ))}
            </fieldset>
          )}
          <label>
            <span>Answer</span>
            <input
              id="edit-answer"
              dir="auto"
              maxLength={LONGEST.text}
              value={edit.answer}
              onKeyDown={leave}
              onInput={(event) => change({ answer: event.currentTarget.value })}
            />
          </label>
          <div class="it-line">
            <label>
              <span>Type</span>
              <select id="edit-type" value={edit.type} onChange={(event) => change({ type: event.currentTarget.value })}>
                {[...new Set([...qa_types, edit.type])].map((type) => (
                  <option key={type} value={type}>
                    {type}
                  </option>
                ))}
              </select>
            </label>
            {edit.choices.length < 26 && (
              <button type="button" onClick={() => change({ choices: [...edit.choices, ""] })}>
                Add an option
              </button>
            )}
          </div>
        </div>
      )}
      <NoteField
        value={pair.note}
        onInput={(note) => session.act({ type: "note", id, note })}
        onLeave={() => session.run({ do: "home" })}
      />
    </div>
  );
}

export function KindFields({ session, value, kind }: { session: Session<Items>; value: KindValue; kind: KindItem }) {
  const { type_names } = session.model.state;
  const { cursor, work } = session.model;
  const has = new Set(value.types);
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
        <Accept session={session} accepted={work.kind?.settled ?? true} />
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
      <NoteField
        value={value.note}
        onInput={(note) => session.act({ type: "kind", change: { note } })}
        onLeave={() => session.run({ do: "home" })}
      />
    </div>
  );
}

function Accept({ session, accepted }: { session: Session<Items>; accepted: boolean }) {
  if (accepted) return <span class="it-settled">✓ accepted</span>;
  return (
    <KeyButton keys="A" class="it-accept" run={() => session.act({ type: "accept" })}>
      Accept as it is
    </KeyButton>
  );
}

function NoteField(props: { value: string; onInput: (note: string) => void; onLeave: () => void }) {
  const { value, onInput, onLeave } = props;
  return (
    <label class="it-note">
      <span>
        Item note <kbd>N</kbd>
      </span>
      <input
        id="pair-note"
        dir="auto"
        maxLength={LONGEST.note}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey) onLeave();
        }}
      />
    </label>
  );
}
