/** The requests of the screen. They never throw: every outcome is a value. */

import type { Compared, Decided, Sent } from "./types";

export type Loaded<S> = { ok: true; state: S } | { ok: false; message: string };

/** D, C: a decision on this screen, and the comparison with one that came before it. */
export type Saved<D = Decided, C = Compared> =
  /** next: undefined where the answer was lost, and a later one showed that the decision had arrived. */
  | { kind: "saved"; version: number; next: string | null | undefined }
  /** version: what the next try has to name. current: null where no decision is left. */
  | { kind: "conflict"; message: string; version: number; current: D | null; conflict: C | null }
  | { kind: "refused"; message: string }
  | { kind: "signed-out"; message: string }
  /** Whether it arrived is not known: it may be sent again. */
  | { kind: "unreachable"; message: string };

/** Milliseconds until a request is given up. */
const PATIENCE = 20_000;

/** What a server says that is busy, starting anew or behind a proxy that cannot reach it. */
const PASSING = new Set([429, 502, 503, 504]);

const SIGNED_OUT = "You are signed out. Sign in again in another tab, then retry: your work is not lost.";

export async function load<S>(url: string): Promise<Loaded<S>> {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    const body = await json(response);
    if (response.ok && body !== null) return { ok: true, state: body as S };
    if (response.ok || response.status === 401) return { ok: false, message: SIGNED_OUT };
    return { ok: false, message: errorOf(body) ?? `The server answered ${response.status}; try again.` };
  } catch {
    return { ok: false, message: "The server cannot be reached; try again." };
  }
}

export async function save<P = Sent, D = Decided, C = Compared>(
  url: string,
  csrf: string,
  payload: P,
): Promise<Saved<D, C>> {
  let response: Response;
  let body: Record<string, unknown> | null;
  try {
    response = await send(url, csrf, payload);
    body = await json(response);
  } catch {
    return { kind: "unreachable", message: "The server cannot be reached; your work is stored in this browser." };
  }
  if (PASSING.has(response.status)) {
    return { kind: "unreachable", message: errorOf(body) ?? "The server is busy; your work is stored in this browser." };
  }
  if (response.ok && body !== null && typeof body["version"] === "number") {
    return {
      kind: "saved",
      version: body["version"],
      next: typeof body["next_url"] === "string" ? body["next_url"] : null,
    };
  }
  if (response.status === 409 && typeof body?.["version"] === "number") {
    return {
      kind: "conflict",
      message: errorOf(body) ?? "Another reviewer decided meanwhile.",
      version: body["version"],
      current: (body["current"] ?? null) as D | null,
      conflict: (body["conflict"] ?? null) as C | null,
    };
  }
  // A login page in place of JSON means that the session ended.
  if (response.ok || response.status === 401) return { kind: "signed-out", message: SIGNED_OUT };
  if (response.status === 403) return { kind: "signed-out", message: errorOf(body) ?? SIGNED_OUT };
  return { kind: "refused", message: errorOf(body) ?? `The server answered ${response.status}; retry.` };
}

/** Posts what is small and may fail: the answer of the server, null on failure. */
export async function post(
  url: string,
  csrf: string,
  body: object,
  keepalive = false,
): Promise<Record<string, unknown> | null> {
  try {
    const response = await send(url, csrf, body, keepalive);
    return response.ok ? await json(response) : null;
  } catch {
    return null;
  }
}

function send(url: string, csrf: string, body: unknown, keepalive = false): Promise<Response> {
  return fetch(url, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf },
    body: JSON.stringify(body),
    keepalive,
    signal: AbortSignal.timeout(PATIENCE),
  });
}

async function json(response: Response): Promise<Record<string, unknown> | null> {
  if (!(response.headers.get("Content-Type") ?? "").includes("json")) return null;
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
}

function errorOf(body: Record<string, unknown> | null): string | null {
  const message = body?.["error"];
  return typeof message === "string" && message !== "" ? message : null;
}
