/** The screen: keys in, panes out. */

import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { Chips } from "./chips";
import { Footer, Header, Notices, Sheet } from "./frame";
import { ImagePane, type Bridge } from "./imagepane";
import { commandFor, type Place } from "./keys";
import { isDirty } from "./model";
import { ChosenBar, PanelList, Readings } from "./panels";
import { Session, type Page, type Places } from "./session";
import type { FigureState } from "./types";

const FOCUS = {
  caption: "#caption",
  image: "#figure-view",
  label: "#label",
  note: "#note",
  sheet: "#sheet",
  reject: "#reject-note",
} as const;

export function App({ state, places }: { state: FigureState; places: Places }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const bridge = useRef<Bridge>({ flush: () => undefined, fit: () => 1 }).current;
  const wanted = useRef<keyof typeof FOCUS | null>("caption");
  const leaving = useRef(false);
  const kept = useRef<Session | null>(null);
  if (!kept.current) {
    const page: Page = {
      storage: window.localStorage,
      now: () => performance.now(),
      go: (url) => {
        leaving.current = true;
        window.location.assign(url);
      },
      flush: () => bridge.flush(),
      fit: () => bridge.fit(),
      focus: (what) => {
        wanted.current = what;
        redraw(undefined);
      },
    };
    kept.current = new Session(state, places, page, () => redraw(undefined));
  }
  const session = kept.current;

  // What is to have the focus may only exist after this very drawing; before the next key it must have it.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = document.querySelector<HTMLElement>(FOCUS[wanted.current]);
    wanted.current = null;
    element?.focus({ preventScroll: true });
  });

  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      const command = commandFor(event, placeOf(session, event.target));
      if (!command) return;
      event.stopPropagation();
      if (command.do === "shield") return;
      event.preventDefault();
      if (event.repeat && !REPEATS.has(command.do)) return;
      session.run(command);
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

  useEffect(() => {
    const seen = () => session.clock.visible(document.visibilityState === "visible", performance.now());
    const unload = (event: BeforeUnloadEvent) => {
      // A draft is kept in any case: ask only where the server could not be reached.
      const offline = session.screen.offline || !navigator.onLine;
      if (offline && !leaving.current && isDirty(session.model)) event.preventDefault();
    };
    seen();
    document.addEventListener("visibilitychange", seen);
    window.addEventListener("beforeunload", unload);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("beforeunload", unload);
    };
  }, [session]);

  const { model } = session;
  return (
    <div class="aj-screen">
      <Header session={session} queueUrl={places.queueUrl} />
      <div class="panes">
        <ImagePane session={session} bridge={bridge} />
        <section
          class="aj-side"
          aria-label="Caption"
          onPointerDownCapture={() => session.screen.pane !== "caption" && session.show({ pane: "caption" })}
          onFocusCapture={() => session.screen.pane !== "caption" && session.show({ pane: "caption" })}
        >
          <PanelList session={session} />
          <ChosenBar session={session} />
          <div class="scroll">
            <Chips session={session} />
            <Readings session={session} />
            {model.state.references.length > 0 && (
              <details class="references" open>
                <summary>In the text ({model.state.references.length})</summary>
                {model.state.references.map((text, i) => (
                  <p key={i} dir="auto">
                    {text}
                  </p>
                ))}
              </details>
            )}
            <label class="aj-note">
              <span>
                Note <kbd>M</kbd>
              </span>
              <textarea
                id="note"
                dir="auto"
                rows={2}
                value={model.note}
                onInput={(event) => session.act({ type: "note", text: event.currentTarget.value })}
              />
            </label>
          </div>
        </section>
        <Notices session={session} />
        <Sheet session={session} />
      </div>
      <Footer session={session} />
    </div>
  );
}

/** Commands of the kind that a key held down may repeat. */
const REPEATS = new Set(["act", "zoom", "pan"]);

function placeOf(session: Session, target: EventTarget | null): Place {
  const element = target instanceof Element ? target : null;
  const caption = document.querySelector("#caption");
  return {
    pane: session.screen.pane,
    sheet: session.screen.sheet,
    overtaken: session.screen.notice?.kind === "conflict" && !session.screen.saving,
    field: fieldOf(element),
    rtl: caption !== null && getComputedStyle(caption).direction === "rtl",
  };
}

function fieldOf(element: Element | null): Place["field"] {
  if (!element) return null;
  if (element.closest("textarea, input, [contenteditable='true']")) return "text";
  if (element.closest("select")) return "select";
  return element.closest("button, a, summary") ? "button" : null;
}
