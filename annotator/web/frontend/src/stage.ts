/** What the two screens have alike of a page: its session, its keys, who has the focus, what happens on leaving. */

import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { Clock } from "./clock";
import type { Page } from "./screen";

interface Staged<Command> {
  readonly clock: Clock;
  readonly screen: { readonly offline: boolean };
  connected(online: boolean): void;
  run(command: Command): void;
}

/** The part of a page that is the same for both. */
export type CommonPage<Focus extends string> = Pick<Page, "storage" | "now" | "after" | "seen" | "go" | "here"> & {
  focus(what: Focus): void;
};

export interface Stage<Focus extends string, Command extends { do: string }, Session extends Staged<Command>> {
  /** A selector for each thing that can have the focus. */
  places: Record<Focus, string>;
  first: Focus;
  begin: (page: CommonPage<Focus>, changed: () => void) => Session;
  /** What a key does where the focus is; null leaves it to the browser, "shield" keeps it from everybody. */
  command: (event: KeyboardEvent, session: Session) => Command | { do: "shield" } | null;
  /** Commands of the kind that a key held down may repeat. */
  repeats: ReadonlySet<string>;
  dirty: (session: Session) => boolean;
  /** Whether giving the focus may scroll to it. */
  scrollsTo?: (element: HTMLElement) => boolean;
}

/** The session of the page, which lives as long as the page does. */
export function useStage<Focus extends string, Command extends { do: string }, Session extends Staged<Command>>(
  stage: Stage<Focus, Command, Session>,
): Session {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const wanted = useRef<Focus | null>(stage.first);
  const leaving = useRef(false);
  const kept = useRef<Session | null>(null);
  if (!kept.current) {
    const page: CommonPage<Focus> = {
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
    };
    kept.current = stage.begin(page, () => redraw(undefined));
  }
  const session = kept.current;

  // Before the caption has the focus: no key that a reviewer presses then may be lost.
  useLayoutEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      const command = stage.command(event, session);
      if (!command) return;
      event.stopPropagation();
      if (command.do === "shield") return;
      event.preventDefault();
      if (event.repeat && !stage.repeats.has(command.do)) return;
      session.run(command as Command);
    };
    // First in line, before Annotorious' own listener on the document.
    window.addEventListener("keydown", down, { capture: true });
    return () => window.removeEventListener("keydown", down, { capture: true });
  }, [session]);

  // What is to have the focus may only exist after this very drawing; before the next key it must have it.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = document.querySelector<HTMLElement>(stage.places[wanted.current]);
    wanted.current = null;
    element?.focus({ preventScroll: !(element && stage.scrollsTo?.(element)) });
  });

  useEffect(() => {
    const seen = () => session.clock.visible(document.visibilityState === "visible", performance.now());
    const unload = (event: BeforeUnloadEvent) => {
      // A draft is kept in any case: ask only where the server could not be reached.
      const offline = session.screen.offline || !navigator.onLine;
      if (offline && !leaving.current && stage.dirty(session)) event.preventDefault();
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

/** What an element takes keys for; null for nothing. reading: a selector of what is scrolled by keys. */
export function fieldOf(element: Element | null, reading: string): "text" | "select" | "button" | "reading" | null {
  if (!element) return null;
  if (element.closest("textarea, input, [contenteditable='true']")) return "text";
  if (element.closest("select")) return "select";
  if (element.closest("button, a, summary")) return "button";
  return element.closest(reading) ? "reading" : null;
}
