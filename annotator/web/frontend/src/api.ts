/** The two requests of the screen. Nothing here throws: every outcome is a value. */

import type { Decision, FigureState, Payload, Progress } from "./types";

export type Loaded = { ok: true; state: FigureState } | { ok: false; message: string };

export type Saved =
  | { kind: "saved"; version: number; next: string | null; progress: Progress }
  | { kind: "conflict"; message: string; current: Decision & { version: number } }
  | { kind: "refused"; message: string }
  | { kind: "signed-out"; message: string }
  | { kind: "offline"; message: string };

const SIGNED_OUT = "You are signed out. Sign in again in another tab, then retry: nothing is lost.";

export async function load(url: string): Promise<Loaded> {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    const body = await json(response);
    if (response.ok && body !== null) return { ok: true, state: body as unknown as FigureState };
    if (response.ok || response.status === 401) return { ok: false, message: SIGNED_OUT };
    return { ok: false, message: said(body) ?? `The server answered ${response.status}; try again.` };
  } catch {
    return { ok: false, message: "The server cannot be reached; try again." };
  }
}

export async function save(url: string, csrf: string, payload: Payload): Promise<Saved> {
  let response: Response;
  let body: Record<string, unknown> | null;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify(payload),
    });
    body = await json(response);
  } catch {
    return { kind: "offline", message: "The server cannot be reached. The work is kept in this browser; retry." };
  }
  if (response.ok && body !== null && typeof body["version"] === "number") {
    return {
      kind: "saved",
      version: body["version"],
      next: typeof body["next_url"] === "string" ? body["next_url"] : null,
      progress: body["progress"] as Progress,
    };
  }
  const current = body?.["current"];
  if (response.status === 409 && typeof current === "object" && current !== null) {
    return {
      kind: "conflict",
      message: said(body) ?? "Another reviewer decided meanwhile.",
      current: current as Decision & { version: number },
    };
  }
  // A login page in place of JSON means that the session ended.
  if (response.ok || response.status === 401) return { kind: "signed-out", message: SIGNED_OUT };
  if (response.status === 403) return { kind: "signed-out", message: said(body) ?? SIGNED_OUT };
  return { kind: "refused", message: said(body) ?? `The server answered ${response.status}; retry.` };
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
