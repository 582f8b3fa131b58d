/** What the server sends and takes of a blind task: the JSON of /api/blind/<key>. Other people's work is never in it. */

export type { BlindDraft as BlindPayload, BlindScreen, OwnWork } from "../../wire/server";
