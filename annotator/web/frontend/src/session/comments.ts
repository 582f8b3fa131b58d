/** Comments on the figure: fetched whenever they are opened, and sent. */

import { load } from "../wire/api";
import type { Conversation } from "../wire/types";
import type { Kind } from "./kind";
import type { Session } from "./session";

/** Shows or hides the comments. What is being written stays. */
export async function toggleComments<K extends Kind>(session: Session<K>): Promise<void> {
  const url = session.model.state.comments?.url;
  if (!url) return session.say("You can't comment in this campaign.");
  const shown = session.screen.over === "comments";
  session.show({ over: shown ? null : "comments" });
  session.page.focus(shown ? session.body.home : "comment");
  if (shown) return;
  const loaded = await load<Conversation>(url);
  receive(session, loaded.ok ? loaded.state : null, {});
}

/** Sends what is written, to the thread or recipient that is chosen. */
export async function sendComment<K extends Kind>(session: Session<K>): Promise<void> {
  const { text, to } = session.screen.talk;
  const url = session.model.state.comments?.url;
  if (!url || text.trim() === "") return;
  const answer = await session.post(url, /^\d+$/.test(to) ? { body: text, thread: Number(to) } : { body: text, recipient: to });
  if (answer === null) return session.say("The comment was not sent; try again.");
  receive(session, answer as unknown as Conversation, { text: "" });
}

/** Shows what came, and tells the server that it is read. The thread that came last is answered, unless another was chosen. */
function receive<K extends Kind>(session: Session<K>, shown: Conversation | null, change: { text?: string }): void {
  const { talk } = session.screen;
  const last = shown?.threads.at(-1)?.id.toString() ?? "";
  const to = talk.to === "" || change.text === "" ? last : talk.to;
  session.show({ talk: { ...talk, ...change, shown: shown ?? "failed", unread: shown ? 0 : talk.unread, to } });
  const url = session.model.state.comments?.url;
  if (url && shown?.last) void session.post(`${url}/read`, { last: shown.last });
  session.page.focus("comment");
}
