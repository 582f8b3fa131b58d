/** The list of subfigures, and the bar of the chosen one. */

import { useEffect, useState } from "preact/hooks";
import { follow, KeyButton } from "../../frame/controls";
import { List, Row } from "../../frame/list";
import { run } from "../../session/commands";
import { FIGURE } from "../../session/kind";
import type { Session } from "../../session/session";
import { brief, differing, textOf, type TokenSet } from "./caption/tokens";
import { colourOf, inkOn } from "./colours";
import { chosenPanel, type Subfigures } from "./model";
import type { Candidate, FigureState } from "./types";
import { freeLabel } from "./rework";
import { candidateOf, repeatedLabels, type Panel } from "./work";

export function LabelTag({ state, label }: { state: FigureState; label: string }) {
  const colour = colourOf(state, label);
  return (
    <span class="aj-label" style={{ "--own": colour, "--ink": inkOn(colour) }}>
      {label}
    </span>
  );
}

export function PanelList({ session }: { session: Session<Subfigures> }) {
  const { state, work } = session.model;
  const repeated = new Set(state.blind ? [] : repeatedLabels(work));
  return (
    <List session={session} label="Subfigures" remarks={[state.blind?.told]} onPointerDown={(event) => dragRow(event, session)}>
      {work.panels.map((panel) => (
        <PanelRow key={panel.id} session={session} panel={panel} repeated={repeated.has(panel.label)} />
      ))}
      {work.panels.length === 0 && <li class="aj-empty">{session.body.who === "reviewer" ? "No annotator drew a subfigure. " : "No subfigures yet. "}N draws one.</li>}
    </List>
  );
}

/** How many drew it; who, where there is but one: an annotator or the prediction. */
function supportOf({ annotators }: FigureState, { supporters }: Candidate): string {
  return annotators.length === 1 && annotators[0] ? annotators[0].name : `${supporters.length} of ${annotators.length}`;
}

function PanelRow({ session, panel, repeated }: { session: Session<Subfigures>; panel: Panel; repeated: boolean }) {
  const { state } = session.model;
  const candidate = candidateOf(state, panel);
  const text = textOf(state.caption.tokens, panel.tokens);
  const reasons = repeated && panel.review !== "rejected" ? ["label used twice"] : (candidate?.reasons ?? []);
  const loud = panel.review === "open" || (repeated && panel.review !== "rejected");
  const who = candidate ? supportOf(state, candidate) : state.blind ? "" : "yours";
  if (state.blind && panel.review === "open") {
    return (
      <Row session={session} id={panel.id} look="open">
        <LabelTag state={state} label={panel.label} />
        <span class="why">to write</span>
      </Row>
    );
  }
  return (
    <Row session={session} id={panel.id} look={panel.review}>
      <LabelTag state={state} label={panel.label} />
      {loud && reasons.length > 0 ? (
        <span class="aj-text why" title={panel.review === "open" ? proposed(panel, text) : undefined}>
          {reasons.join(", ")}
          {panel.review === "open" && (
            <span class="proposed" dir="auto"> {disputed(state, panel, candidate) || proposed(panel, brief(text, 2, 1))}</span>
          )}
        </span>
      ) : (
        <span class="aj-text" dir="auto">
          {text || "no subcaption"}
        </span>
      )}
      <span class="who">{who}</span>
    </Row>
  );
}

/** What A would do to an open panel. */
function proposed(panel: Panel, text: string): string {
  const words = text === "" ? "no subcaption" : `“${text}”`;
  return panel.keep ? `A: ${words}` : `A adds it, otherwise it is left out: ${words}`;
}

/** What A would do to the words in which annotators differ; "" where there are none but marks. */
function disputed(state: FigureState, panel: Panel, candidate: Candidate | null): string {
  if (!candidate || !panel.keep) return "";
  const words = differing(candidate);
  const of = (ids: TokenSet) => {
    const [first, ...more] = textOf(state.caption.tokens, ids).split(" … ").filter((part) => /[\p{L}\p{N}]/u.test(part));
    return first && brief(first, 2, 1) + (more.length > 0 ? " …" : "");
  };
  const [kept, out] = [of(words.filter((id) => panel.tokens.includes(id))), of(words.filter((id) => !panel.tokens.includes(id)))];
  return [kept && `A keeps “${kept}”`, out && `${kept ? "" : "A "}leaves out “${out}”`].filter(Boolean).join(", ");
}

/** A row that is dragged over another takes its place. */
function dragRow(event: PointerEvent, session: Session<Subfigures>): void {
  const id = rowAt(event.target);
  if (event.button !== 0 || id === null || id === FIGURE) return;
  follow((next) => {
    const over = rowAt(document.elementFromPoint(next.clientX, next.clientY));
    const at = session.model.work.panels.findIndex((panel) => panel.id === over);
    if (over !== null && over !== id && at >= 0) session.act({ type: "place", id, at });
  });
}

function rowAt(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return row?.dataset["row"] ?? null;
}

/** What can be done to the chosen subfigure. Its height never changes. */
export function ChosenBar({ session }: { session: Session<Subfigures> }) {
  const { model } = session;
  const panel = chosenPanel(model);
  const figure = model.chosen === FIGURE;
  const none = !panel && !figure;
  return (
    <div class="aj-bar" role="toolbar" aria-label="Chosen subfigure">
      <label class="relabel">
        <span>Label</span>
        <LabelSelect session={session} panel={panel} />
      </label>
      <KeyButton keys="A" disabled={none || panel?.review === "accepted"} run={() => session.act({ type: "accept" })}>
        {figure ? "Keep figure" : "Accept"}
      </KeyButton>
      <KeyButton keys="R" disabled={!panel || panel.review === "rejected"} run={() => session.act({ type: "reject" })}>
        {panel?.candidate === null ? "Remove" : "Reject"}
      </KeyButton>
      <KeyButton keys="0" disabled={!panel} pressed={panel?.tokens.length === 0} run={() => session.act({ type: "none" })}>
        No subcaption
      </KeyButton>
    </div>
  );
}

/** Stands for a label that is typed: no label is blank. */
const OWN_LABEL = " ";

function LabelSelect({ session, panel }: { session: Session<Subfigures>; panel: Panel | undefined }) {
  const { state, work } = session.model;
  const used = new Set(work.panels.filter((each) => each.review !== "rejected").map((each) => each.label));
  const labels = [...new Set([...state.labels, ...work.panels.map((each) => each.label), freeLabel(state, work)])];
  const [own, setOwn] = useState(false);
  const relabel = (label: string) => panel && label && session.act({ type: "relabel", id: panel.id, label });
  // Before the press chooses another panel: Escape, which leaves the field too, discards what was typed.
  useEffect(() => {
    if (!own) return;
    const leave = ({ target }: PointerEvent) => {
      const field = document.querySelector<HTMLInputElement>("input#label");
      if (!field || target === field) return;
      relabel(field.value.trim());
      setOwn(false);
    };
    window.addEventListener("pointerdown", leave, { capture: true });
    return () => window.removeEventListener("pointerdown", leave, { capture: true });
  }, [own, panel?.id]);
  if (own && panel) {
    return (
      <input
        id="label"
        aria-label="Own label"
        maxLength={100}
        size={6}
        ref={(field) => field?.focus()}
        onBlur={() => setOwn(false)}
        onKeyDown={(event) => {
          if ((event.key !== "Enter" && event.key !== "Tab") || event.isComposing) return;
          event.preventDefault();
          relabel(event.currentTarget.value.trim());
          run(session, { do: "home" });
        }}
      />
    );
  }
  return (
    <select
      id="label"
      aria-label="Label"
      disabled={!panel}
      value={panel?.label ?? ""}
      onChange={({ currentTarget: { value } }) => (value === OWN_LABEL ? setOwn(true) : relabel(value))}
    >
      {!panel && <option value="">–</option>}
      {labels.map((label) => (
        <option key={label} value={label}>
          {label}
          {used.has(label) && label !== panel?.label ? " (used)" : ""}
        </option>
      ))}
      <option value={OWN_LABEL}>own label…</option>
    </select>
  );
}
