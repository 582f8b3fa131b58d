/** What the screen of blind work shows: the given boxes, locked, and the caption beside them. */

import { KeyButton } from "../../frame/controls";
import { openHint, OTHER_TAB, type Bridge, type View } from "../../frame/view";
import type { Session } from "../../session/session";
import { area } from "../subfigures/boxes";
import { colourOf } from "../subfigures/colours";
import { ImagePane } from "../subfigures/image/imagepane";
import { chosenPanel, type Subfigures } from "../subfigures/model";
import { LabelTag } from "../subfigures/panels";
import type { Blind } from "../subfigures/types";
import { CaptionSide, SUBFIGURES_VIEW, wordHints } from "../subfigures/view";

export const BLIND_VIEW: View<Subfigures> = {
  ...SUBFIGURES_VIEW,
  Panes,
  header: ({ model: { state } }) => {
    const { place, total } = state.blind as Blind;
    return {
      home: "‹ Blind",
      homeHint: "Back to your blind figures",
      title: `Figure ${place} of ${total}`,
      phase: { text: `phase ${state.phase}, blind`, always: true },
      progress: { text: `${state.progress.decided} written`, hint: "Figures written" },
      agreement: null,
      open: "left",
      saved: state.decision?.status === "rejected" ? "Saved as unfit" : "Saved",
    };
  },
  hints: (session) => {
    const off = !chosenPanel(session.model);
    return [
      openHint(session, "to write"),
      { keys: "↓ ↑", text: "subfigure", run: { do: "act", action: { type: "step", by: 1, among: "all" } } },
      ...wordHints(off),
      { keys: "0", text: "no subcaption", run: { do: "act", action: { type: "none" } }, off },
    ];
  },
  reject: "unfit",
  dismissal: {
    reason: "Why the figure is unfit",
    hint: "It is saved without subcaptions; you can still write them until you hand it in.",
    reject: "Mark as unfit",
  },
  conflict: { ...SUBFIGURES_VIEW.conflict, ...OTHER_TAB },
};

function Panes({ session, bridge }: { session: Session<Subfigures>; bridge: Bridge }) {
  return (
    <>
      <ImagePane session={session} bridge={bridge} label="The given boxes" given={<GivenBoxes session={session} />} />
      <CaptionSide session={session} bar={<BlindBar session={session} />} />
    </>
  );
}

/** The chosen subfigure, and the one thing to say of it that is no word. Its height never changes. */
function BlindBar({ session }: { session: Session<Subfigures> }) {
  const { state } = session.model;
  const panel = chosenPanel(session.model);
  const none = panel?.review === "accepted" && panel.tokens.length === 0;
  return (
    <div class="aj-bar" role="toolbar" aria-label="Chosen subfigure">
      {panel && <LabelTag state={state} label={panel.label} />}
      <span class="given">box given {state.blind?.source}</span>
      <KeyButton keys="0" disabled={!panel} pressed={none} run={() => session.act({ type: "none" })}>
        No subcaption
      </KeyButton>
    </div>
  );
}

/** The given boxes: a click chooses one, and nothing moves it. The largest first: one within another can be clicked. */
function GivenBoxes({ session }: { session: Session<Subfigures> }) {
  const { state, work, chosen } = session.model;
  const panels = [...work.panels].sort((a, b) => area(b.box) - area(a.box));
  return (
    <svg class="given-boxes" viewBox={`0 0 ${state.width} ${state.height}`} preserveAspectRatio="none" aria-hidden="true">
      {panels.map(({ id, label, box: [x0, y0, x1, y1] }) => (
        <rect
          key={id}
          data-given={id}
          class={id === chosen ? "chosen" : ""}
          x={x0}
          y={y0}
          width={x1 - x0}
          height={y1 - y0}
          stroke={colourOf(state, label)}
          onClick={() => session.act({ type: "choose", id })}
        />
      ))}
    </svg>
  );
}
