/** The two requests of the screen. Nothing here throws: every outcome is a value. */

import type { Conflict, Decision, FigureState, GuidelineText, Payload } from "./types";

export type Loaded<S = FigureState> = { ok: true; state: S } | { ok: false; message: string };

/** D, C: a decision on this screen, and what stands against one that came too late. */
export type Saved<D = Decision, C = Conflict> =
  /** next: undefined where the answer was lost, and only later it was seen that the decision had been kept. */
  | { kind: "saved"; version: number; next: string | null | undefined }
  /** version: what the next try has to name. current: null where no decision holds any more. */
  | { kind: "conflict"; message: string; version: number; current: D | null; conflict: C | null }
  | { kind: "refused"; message: string }
  | { kind: "signed-out"; message: string }
  /** Whether it arrived is not known: it may be sent again. */
  | { kind: "unreachable"; message: string };

/** Milliseconds until a request is given up. */
const PATIENCE = 20_000;

/** What a server says that is busy, starting anew or behind a proxy that cannot reach it. */
const PASSING = new Set([429, 502, 503, 504]);

const SIGNED_OUT = "You are signed out. Sign in again in another tab, then retry: nothing is lost.";

export async function load<S = FigureState>(url: string): Promise<Loaded<S>> {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    const body = await json(response);
    if (response.ok && body !== null) return { ok: true, state: body as S };
    if (response.ok || response.status === 401) return { ok: false, message: SIGNED_OUT };
    return { ok: false, message: said(body) ?? `The server answered ${response.status}; try again.` };
  } catch {
    return { ok: false, message: "The server cannot be reached; try again." };
  }
}

export async function save<P = Payload, D = Decision, C = Conflict>(
  url: string,
  csrf: string,
  payload: P,
): Promise<Saved<D, C>> {
  let response: Response;
  let body: Record<string, unknown> | null;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify(payload),
      signal: AbortSignal.timeout(PATIENCE),
    });
    body = await json(response);
  } catch {
    return { kind: "unreachable", message: "The server cannot be reached; the work is kept in this browser." };
  }
  if (PASSING.has(response.status)) {
    return { kind: "unreachable", message: said(body) ?? "The server is busy; the work is kept in this browser." };
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
      message: said(body) ?? "Another reviewer decided meanwhile.",
      version: body["version"],
      current: (body["current"] ?? null) as D | null,
      conflict: (body["conflict"] ?? null) as C | null,
    };
  }
  // A login page in place of JSON means that the session ended.
  if (response.ok || response.status === 401) return { kind: "signed-out", message: SIGNED_OUT };
  if (response.status === 403) return { kind: "signed-out", message: said(body) ?? SIGNED_OUT };
  return { kind: "refused", message: said(body) ?? `The server answered ${response.status}; retry.` };
}

/** The campaign's guidelines; null where they cannot be had. */
export async function loadGuideline(url: string): Promise<GuidelineText | null> {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    const body = response.ok ? await json(response) : null;
    return Array.isArray(body?.["blocks"]) ? (body as unknown as GuidelineText) : null;
  } catch {
    return null;
  }
}

/** Posts what is small and may fail: what the server answers, null where it cannot be had. */
export async function post(
  url: string,
  csrf: string,
  body: Record<string, unknown>,
  keepalive = false,
): Promise<Record<string, unknown> | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify(body),
      keepalive,
      signal: AbortSignal.timeout(PATIENCE),
    });
    return response.ok ? await json(response) : null;
  } catch {
    return null;
  }
}

async function json(response: Response): Promise<Record<string, unknown> | null> {
  if (!(response.headers.get("Content-Type") ?? "").includes("json")) return null;
  const body: unknown = await response.json();
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
}

function said(body: Record<string, unknown> | null): string | null {
  const message = body?.["error"];
  return typeof message === "string" && message !== "" ? message : null;
}
