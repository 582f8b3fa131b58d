/** What the screen needs of its page: a session, its keys, who has the focus, what happens on leaving. */

import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { commandFor, type Place } from "../keys/press";
import { run } from "../session/commands";
import type { Body } from "../session/body";
import type { Kind } from "../session/kind";
import { isDirty } from "../session/model";
import { FOCUS, type Focus, type Page, type Places } from "../session/screen";
import { Session } from "../session/session";
import type { Bridge, View } from "./view";

/** Commands of the kind that a key held down may repeat. */
const REPEATS = new Set(["act", "zoom", "pan"]);

/** The session of the page, which lives as long as the page does. */
export function useSession<K extends Kind>(
  body: Body<K>,
  view: View<K>,
  state: K["state"],
  places: Places,
  bridge: Bridge,
): Session<K> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const wanted = useRef<Focus | null>(body.home);
  const leaving = useRef(false);
  const kept = useRef<Session<K> | null>(null);
  if (!kept.current) {
    const page: Page = {
      storage: window.localStorage,
      now: () => performance.now(),
      after: (milliseconds, call) => {
        const timer = window.setTimeout(call, milliseconds);
        return () => window.clearTimeout(timer);
      },
      go: (url) => {
        leaving.current = true;
        window.location.assign(url);
      },
      here: () => window.location.href,
      seen: () => document.visibilityState === "visible",
      focus: (what) => {
        wanted.current = what;
        redraw(undefined);
      },
      flush: () => bridge.flush(),
      fit: () => bridge.fit(),
    };
    kept.current = new Session(body, state, places, page, () => redraw(undefined));
  }
  const session = kept.current;

  // Before the figure has the focus: no key that a reviewer presses then may be lost.
  useLayoutEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      const command = commandFor(event, placeOf(session, view, event.target));
      if (!command) return;
      event.stopPropagation();
      if (command.do === "shield") return;
      event.preventDefault();
      if (event.repeat && !REPEATS.has(command.do)) return;
      run(session, command);
    };
    const up = (event: KeyboardEvent) => {
      if (event.key === " " && session.screen.panning) session.show({ panning: false });
    };
    // First in line, before Annotorious' own listener on the document.
    window.addEventListener("keydown", down, { capture: true });
    window.addEventListener("keyup", up, { capture: true });
    return () => {
      window.removeEventListener("keydown", down, { capture: true });
      window.removeEventListener("keyup", up, { capture: true });
    };
  }, [session]);

  // What is to have the focus may only exist after this very drawing; before the next key it must have it.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const name = wanted.current;
    wanted.current = null;
    // A field that is written in may be below the pane's edge.
    const scrolls = view.scrolls && name !== body.home;
    document.querySelector<HTMLElement>(FOCUS[name])?.focus({ preventScroll: !scrolls });
  });

  useEffect(() => {
    const seen = () => session.clock.visible(document.visibilityState === "visible", performance.now());
    const unload = (event: BeforeUnloadEvent) => {
      // A draft is stored in any case: ask only where the server could not be reached.
      const offline = session.screen.offline || !navigator.onLine;
      if (offline && !leaving.current && isDirty(session.model)) event.preventDefault();
    };
    const connection = () => session.connected(navigator.onLine);
    seen();
    window.addEventListener("online", connection);
    window.addEventListener("offline", connection);
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("beforeunload", unload);
    return () => {
      window.removeEventListener("online", connection);
      window.removeEventListener("offline", connection);
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("beforeunload", unload);
    };
  }, [session]);

  return session;
}

function placeOf<K extends Kind>(session: Session<K>, view: View<K>, target: EventTarget | null): Place {
  const { screen, body } = session;
  const caption = document.querySelector("#caption");
  return {
    on: body.name,
    who: body.who,
    field: fieldOf(target instanceof Element ? target : null),
    sheet: screen.sheet,
    overtaken: screen.notice?.kind === "conflict" && !screen.saving,
    draft: ["draft", "stale"].includes(screen.notice?.kind ?? ""),
    taking: screen.taking,
    part: view.part(session),
    rtl: caption !== null && getComputedStyle(caption).direction === "rtl",
  };
}

/** What an element takes keys for; null for none. */
function fieldOf(element: Element | null): Place["field"] {
  if (!element) return null;
  if (element.closest("textarea, input, [contenteditable='true']")) return "text";
  if (element.closest("select")) return "select";
  if (element.closest("button, a, summary")) return "button";
  return element.closest("#guideline, .it-reading, [role='separator']") ? "reading" : null;
}
