/** The screen: keys in, panes out. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { BlindBar, BlindFooter, BlindHeader } from "./blindframe";
import { Chips } from "./chips";
import { Footer, Header, Notices } from "./frame";
import { ImagePane, type Bridge } from "./imagepane";
import { commandFor, type Command, type Place } from "./keys";
import { isDirty } from "./model";
import { OwnFindings } from "./findings";
import { GuidelinePanel } from "./guideline";
import { ChosenBar, PanelList, Readings } from "./panels";
import { RemarkPane } from "./remarkpane";
import type { Places } from "./screen";
import { Session } from "./session";
import { Sheet } from "./sheet";
import { fieldOf, useStage } from "./stage";
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

type Focus = keyof typeof FOCUS;

export function App({ state, places }: { state: FigureState; places: Places }) {
  const bridge = useRef<Bridge>({ flush: () => undefined, fit: () => 1 }).current;
  const session = useStage<Focus, Command, Session>({
    places: FOCUS,
    first: "caption",
    begin: (page, changed) =>
      new Session(state, places, { ...page, flush: () => bridge.flush(), fit: () => bridge.fit() }, changed),
    command: (event, here) => commandFor(event, placeOf(here, event.target)),
    repeats: REPEATS,
    dirty: (here) => isDirty(here.model),
  });

  useLayoutEffect(() => {
    const up = (event: KeyboardEvent) => {
      if (event.key === " " && session.screen.panning) session.show({ panning: false });
    };
    window.addEventListener("keyup", up, { capture: true });
    return () => window.removeEventListener("keyup", up, { capture: true });
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
    field: fieldOf(element, "#guideline"),
    taking: session.screen.taking,
    rtl: caption !== null && getComputedStyle(caption).direction === "rtl",
  };
}
