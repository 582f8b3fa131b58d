/** Comments on the figure, over it: threads, and a field to answer one or to begin another. */

import { run } from "../session/commands";
import type { Kind } from "../session/kind";
import { loadEarlier, sendComment } from "../session/comments";
import type { Talk } from "../session/screen";
import type { Session } from "../session/session";
import type { Conversation } from "../wire/types";
import { KeyButton, TextField } from "./controls";
import { when, whenExactly } from "./when";

export function CommentPanel<K extends Kind>({ session }: { session: Session<K> }) {
  const { over, talk } = session.screen;
  if (over !== "comments") return null;
  const { shown } = talk;
  return (
    <section class="guideline comments" aria-labelledby="comments-title">
      <div class="sheet-head">
        <h2 id="comments-title">Comments</h2>
        <button type="button" onClick={() => run(session, { do: "comments" })}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      {typeof shown === "string" ? (
        <p class="muted" role="status">
          {shown === "failed" ? "The comments cannot be loaded; close and open them to try again." : "Loading…"}
        </p>
      ) : (
        <Threads session={session} shown={shown} />
      )}
    </section>
  );
}

function Threads<K extends Kind>({ session, shown }: { session: Session<K>; shown: Conversation }) {
  const { talk } = session.screen;
  const write = (change: Partial<Talk>) => session.show({ talk: { ...talk, ...change } });
  return (
    <>
      {shown.earlier !== null && (
        <button type="button" onClick={() => void loadEarlier(session)}>
          Earlier comments
        </button>
      )}
      {shown.threads.length === 0 && <p class="muted">No comments yet.</p>}
      {shown.threads.map(({ id, between, comments }) => (
        <section key={id} class="thread" aria-label={`With ${between}`}>
          <h3 class="muted">{between}</h3>
          {comments.map(({ author, mine, at, body }, i) => (
            <p key={i} class={mine ? "mine" : ""} dir="auto">
              <strong>{author}</strong> <span title={whenExactly(at)}>{when(at)}</span>
              <br />
              {body}
            </p>
          ))}
        </section>
      ))}
      <label>
        <span>To </span>
        <select value={talk.to} onChange={(event) => write({ to: event.currentTarget.value })}>
          {shown.threads.map(({ id, between, comments }) => (
            <option key={id} value={id}>
              {`Answer ${between}: ${comments[0]?.body.slice(0, 32)}`}
            </option>
          ))}
          {shown.parties.map(({ key, name }) => (
            <option key={key} value={key}>
              {`New thread: ${name}`}
            </option>
          ))}
        </select>
      </label>
      <TextField
        label="Comment"
        id="comment"
        rows={3}
        longest={shown.longest}
        value={talk.text}
        onInput={(text) => write({ text })}
        onEnter={() => void sendComment(session)}
      />
      <KeyButton keys="Enter" class="primary" disabled={talk.text.trim() === ""} run={() => void sendComment(session)}>
        Send
      </KeyButton>
    </>
  );
}
