/** The chosen question of human evaluation, and the annotator's own answer to it. */

import { KeyButton, TextField } from "../../frame/controls";
import { run } from "../../session/commands";
import type { Session } from "../../session/session";
import { capital } from "../../wire/types";
import { ItemNote, LONGEST } from "./fields";
import { letter, picked, type Items } from "./model";
import type { Question } from "./types";
import { typeText, type AnswerWork } from "./work";

export function AnswerDetail({ session, answer, question }: { session: Session<Items>; answer: AnswerWork; question: Question }) {
  const { id, answer: text, note, accepted } = answer;
  const { choices } = question;
  const { unanswerable } = session.model.state;
  const [none, unknown] = [text === unanswerable, text === null];
  const change = (part: Partial<Pick<AnswerWork, "answer" | "note">>) => session.act({ type: "answer", id, change: part });
  return (
    <div class="it-own">
      <p class="it-kind">{capital(typeText(session.model.state, question.type))}</p>
      <p class="it-question" dir="auto">
        {question.question}
      </p>
      {choices.length > 0 ? (
        <div class="it-choices" role="group" aria-label="Options: pick all that are right">
          {choices.map((choice, i) => (
            <KeyButton key={i} keys={i < 9 ? String(i + 1) : undefined} pressed={picked(answer).includes(letter(i))} run={() => session.act({ type: "pick", option: i })}>
              <span dir="auto">
                {letter(i)}. {choice}
              </span>
            </KeyButton>
          ))}
        </div>
      ) : (
        <TextField
          class="it-note"
          label="Answer"
          keys="I"
          id="edit"
          longest={LONGEST.text}
          value={none || text === null ? "" : text}
          onInput={(value) => change({ answer: value })}
          onEnter={() => run(session, { do: "home" })}
        />
      )}
      <div class="it-verdict" role="group" aria-label="In place of an answer">
        <KeyButton keys="C" pressed={none} run={() => session.act({ type: "unanswerable" })}>
          {none ? "● " : ""}Cannot be answered
        </KeyButton>
        <KeyButton keys="D" pressed={unknown} run={() => session.act({ type: "unknown" })}>
          {unknown ? "● " : ""}I don't know
        </KeyButton>
        {unknown && note.trim() === "" && <span class="why">say why in the note</span>}
        {accepted && <span class="it-done">✓ answered</span>}
      </div>
      <ItemNote session={session} value={note} onInput={(value) => change({ note: value })} />
    </div>
  );
}
