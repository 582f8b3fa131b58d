/** The screen: keys in, panes out. */

import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { BlindBar, BlindFooter, BlindHeader } from "./blindframe";
import { Chips } from "./chips";
import { Footer, Header, Notices } from "./frame";
import { ImagePane, type Bridge } from "./imagepane";
import { commandFor, type Place } from "./keys";
import { isDirty } from "./model";
import { OwnFindings } from "./findings";
import { GuidelinePanel } from "./guideline";
import { ChosenBar, PanelList, Readings } from "./panels";
import { RemarkPane } from "./remarkpane";
import type { Page, Places } from "./screen";
import { Session } from "./session";
import { Sheet } from "./sheet";
import type { FigureState } from "./types";

const FOCUS = {
  caption: "#caption",
  image: "#figure-view",
  label: "#label",
  note: "#note",
  sheet: "#sheet",
  reject: "#reject-note",
  conflict: "#conflict",
  "error-kind": "#error-kind",
  flag: "#flag",
  guideline: "#guideline",
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

  // Before the caption has the focus: no key that a reviewer presses then may be lost.
  useLayoutEffect(() => {
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

  // What is to have the focus may only exist after this very drawing; before the next key it must have it.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const element = document.querySelector<HTMLElement>(FOCUS[wanted.current]);
    wanted.current = null;
    element?.focus({ preventScroll: true });
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

  const { model } = session;
  const blind = model.state.blind !== undefined;
  return (
    <div class="aj-screen">
      {blind ? (
        <BlindHeader session={session} queueUrl={places.queueUrl} />
      ) : (
        <Header session={session} queueUrl={places.queueUrl} />
      )}
      <div class="panes">
        <ImagePane session={session} bridge={bridge} />
        <section
          class="aj-side"
          aria-label="Caption"
          onPointerDownCapture={() => session.screen.pane !== "caption" && session.show({ pane: "caption" })}
          onFocusCapture={() => session.screen.pane !== "caption" && session.show({ pane: "caption" })}
        >
          <PanelList session={session} />
          {blind ? <BlindBar session={session} /> : <ChosenBar session={session} />}
          <div class="scroll">
            <Chips session={session} />
            {!blind && <Readings session={session} />}
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
            {!blind && <RemarkPane session={session} />}
            {!blind && <OwnFindings session={session} />}
          </div>
        </section>
        <GuidelinePanel session={session} />
        <Notices session={session} queueUrl={places.queueUrl} />
        <Sheet session={session} />
      </div>
      {blind ? <BlindFooter session={session} /> : <Footer session={session} />}
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
    draft: ["draft", "stale"].includes(session.screen.notice?.kind ?? ""),
    field: fieldOf(element),
    taking: session.screen.taking,
    rtl: caption !== null && getComputedStyle(caption).direction === "rtl",
  };
}

function fieldOf(element: Element | null): Place["field"] {
  if (!element) return null;
  if (element.closest("textarea, input, [contenteditable='true']")) return "text";
  if (element.closest("select")) return "select";
  if (element.closest("button, a, summary")) return "button";
  return element.closest("#guideline") ? "reading" : null;
}
