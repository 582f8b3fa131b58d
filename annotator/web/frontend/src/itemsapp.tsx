/** The screen of types and pairs: keys in, panes out. */

import { useRef } from "preact/hooks";
import { GuidelinePanel } from "./guideline";
import { ItemDetail } from "./itemsdetail";
import { ItemsFooter, ItemsHeader, ItemsNotices } from "./itemsframe";
import { commandFor, type ItemsCommand, type ItemsPlace } from "./itemskeys";
import { ItemList } from "./itemslist";
import { isDirty } from "./itemsmodel";
import { Picture } from "./itemspicture";
import { ItemsSession, type ItemsFocus } from "./itemssession";
import { ITEMS_SHEET } from "./itemssheet";
import type { ItemsState } from "./itemstypes";
import { KIND } from "./itemswork";
import { RemarkPane } from "./remarkpane";
import type { Places } from "./screen";
import { KeySheet } from "./sheet";
import { fieldOf, useStage } from "./stage";

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
  const bridge = useRef({ fit: () => 1 }).current;
  const session = useStage<ItemsFocus, ItemsCommand, ItemsSession>({
    places: FOCUS,
    first: "item",
    begin: (page, changed) => new ItemsSession(state, places, { ...page, fit: () => bridge.fit() }, changed),
    command: (event, here) => commandFor(event, placeOf(here, event.target)),
    repeats: REPEATS,
    dirty: (here) => isDirty(here.model),
    // What is written in may be below the pane's edge.
    scrollsTo: (element) => element.id !== "item",
  });

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
    field: fieldOf(target instanceof Element ? target : null, "#guideline, .it-reading"),
    kind: model.chosen === KIND,
    sheet: screen.sheet,
    overtaken: screen.notice?.kind === "conflict" && !screen.saving,
    draft: ["draft", "stale"].includes(screen.notice?.kind ?? ""),
    taking: screen.taking,
  };
}
