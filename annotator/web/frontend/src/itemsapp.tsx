/** The screen of types and pairs: keys in, panes out. */

import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { GuidelinePanel } from "./guideline";
import { ItemDetail } from "./itemsdetail";
import { ItemsFooter, ItemsHeader, ItemsNotices } from "./itemsframe";
import { commandFor, type ItemsPlace } from "./itemskeys";
import { ItemList } from "./itemslist";
import { isDirty } from "./itemsmodel";
import { Picture } from "./itemspicture";
import { ItemsSession, type ItemsFocus, type ItemsPage } from "./itemssession";
import { ITEMS_SHEET } from "./itemssheet";
import type { ItemsState } from "./itemstypes";
import { KIND } from "./itemswork";
import { RemarkPane } from "./remarkpane";
import type { Places } from "./screen";
import { KeySheet } from "./sheet";

const FOCUS: Record<ItemsFocus, string> = {
  item: "#item",
  edit: "#edit",
  "pair-note": "#pair-note",
  note: "#note",
  "error-kind": "#error-kind",
  flag: "#flag",
  sheet: "#sheet",
  reject: "#reject-note",
  conflict: "#conflict",
  guideline: "#guideline",
};

/** Commands of the kind that a key held down may repeat. */
const REPEATS = new Set(["act", "zoom"]);

export function ItemsApp({ state, places }: { state: ItemsState; places: Places }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const bridge = useRef({ fit: () => 1 }).current;
  const wanted = useRef<ItemsFocus | null>("item");
  const leaving = useRef(false);
  const kept = useRef<ItemsSession | null>(null);
  if (!kept.current) {
    const page: ItemsPage = {
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
      fit: () => bridge.fit(),
      focus: (what) => {
        wanted.current = what;
        redraw(undefined);
      },
    };
    kept.current = new ItemsSession(state, places, page, () => redraw(undefined));
  }
  const session = kept.current;

  useLayoutEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      const command = commandFor(event, placeOf(session, event.target));
      if (!command) return;
      event.stopPropagation();
      event.preventDefault();
      if (event.repeat && !REPEATS.has(command.do)) return;
      session.run(command);
    };
    window.addEventListener("keydown", down, { capture: true });
    return () => window.removeEventListener("keydown", down, { capture: true });
  }, [session]);

  // What is to have the focus may only exist after this very drawing; before the next key it must have it.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = document.querySelector<HTMLElement>(FOCUS[wanted.current]);
    wanted.current = null;
    element?.focus({ preventScroll: element.id === "item" });
  });

  useEffect(() => {
    const seen = () => session.clock.visible(document.visibilityState === "visible", performance.now());
    const unload = (event: BeforeUnloadEvent) => {
      // A draft is kept in any case: ask only where the server could not be reached.
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

  const { caption, references } = session.model.state;
  return (
    <div class="aj-screen">
      <ItemsHeader session={session} queueUrl={places.queueUrl} />
      <div class="panes it-panes">
        <section class="it-figure" aria-label="Figure and caption">
          <Picture session={session} bridge={bridge} />
          <div class="it-reading" tabIndex={0} role="group" aria-label="Caption">
            <p dir="auto">{caption || <em>no caption</em>}</p>
            {references.length > 0 && (
              <details class="references">
                <summary>In the text ({references.length})</summary>
                {references.map((text, i) => (
                  <p key={i} dir="auto">
                    {text}
                  </p>
                ))}
              </details>
            )}
          </div>
        </section>
        <section class="it-side" aria-label="Type and pairs">
          <ItemList session={session} />
          <div class="it-scroll">
            <ItemDetail session={session} />
            <RemarkPane session={session} />
          </div>
        </section>
        <GuidelinePanel session={session} />
        <ItemsNotices session={session} queueUrl={places.queueUrl} />
        {session.screen.sheet && <KeySheet groups={ITEMS_SHEET} onClose={() => session.run({ do: "escape" })} />}
      </div>
      <ItemsFooter session={session} />
    </div>
  );
}

function placeOf(session: ItemsSession, target: EventTarget | null): ItemsPlace {
  const { screen, model } = session;
  return {
    field: fieldOf(target instanceof Element ? target : null),
    kind: model.chosen === KIND,
    sheet: screen.sheet,
    overtaken: screen.notice?.kind === "conflict" && !screen.saving,
    draft: ["draft", "stale"].includes(screen.notice?.kind ?? ""),
    taking: screen.taking,
  };
}

function fieldOf(element: Element | null): ItemsPlace["field"] {
  if (!element) return null;
  if (element.closest("textarea, input, [contenteditable='true']")) return "text";
  if (element.closest("select")) return "select";
  if (element.closest("button, a, summary")) return "button";
  return element.closest("#guideline, .it-reading") ? "reading" : null;
}
