/** The caption as token chips: inline text, so that bidirectional captions read as they are written. */

import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { follow } from "../../../frame/controls";
import type { Session } from "../../../session/session";
import { colourOf } from "../colours";
import { chosenPanel, type Subfigures } from "../model";
import type { Token } from "../types";
import { candidateOf, kept } from "../work";
import { differing, votesFor } from "./tokens";

interface ChipProps {
  token: Token;
  /** "2/3" where a run of equal votes begins, else "". */
  vote: string;
  others: string;
  /** White space that belongs to the run: a run's marks do not break between its words. */
  gap: string;
  otherColour: string;
  said: string;
  member: boolean;
  classes: string;
}

class Chip extends Component<ChipProps> {
  override shouldComponentUpdate(next: Readonly<ChipProps>): boolean {
    const now = this.props as unknown as Record<string, unknown>;
    const then = next as unknown as Record<string, unknown>;
    return Object.keys(then).some((key) => now[key] !== then[key]);
  }

  override render({ token, vote, others, gap, otherColour, said, member, classes }: ChipProps): ComponentChildren {
    return (
      <span
        id={`token-${token.id}`}
        role="option"
        aria-selected={member}
        aria-label={said}
        data-token={token.id}
        data-vote={vote || undefined}
        data-others={others || undefined}
        class={classes}
        style={otherColour ? { "--other": otherColour } : undefined}
      >
        {token.text}
        {gap}
      </span>
    );
  }
}

interface Drag {
  from: number;
  to: number;
  on: boolean;
}

export function Chips({ session }: { session: Session<Subfigures> }) {
  const { model, screen } = session;
  const { state } = model;
  const tokens = state.caption.tokens;
  const panel = chosenPanel(model);
  const candidate = candidateOf(state, panel);
  const [drag, setDrag] = useState<Drag | null>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const chip = list.current?.querySelector(`#token-${model.cursor}`);
    if (chip && "scrollIntoView" in chip) chip.scrollIntoView({ block: "nearest" });
  }, [model.cursor, model.chosen]);

  const down = (event: MouseEvent) => {
    const at = tokenAt(event.target);
    if (event.button !== 0 || at === null || !panel) return;
    event.preventDefault();
    list.current?.focus({ preventScroll: true });
    if (event.detail === 2) {
      // The first click of the two toggled a token: that step is taken back.
      session.act({ type: "undo" });
      session.act({ type: "clause", at });
      return;
    }
    if (event.shiftKey) {
      session.act({ type: "run", from: model.anchor ?? model.cursor, to: at, on: true });
      return;
    }
    let now: Drag = { from: at, to: at, on: !panel.tokens.includes(at) };
    setDrag(now);
    follow(
      (next) => {
        const to = tokenAt(document.elementFromPoint(next.clientX, next.clientY));
        if (to === null || to === now.to) return;
        now = { ...now, to };
        setDrag(now);
      },
      (cancelled) => {
        setDrag(null);
        if (!cancelled) session.act({ type: "run", ...now });
      },
    );
  };

  if (tokens.length === 0) {
    return (
      <div class="chips aj-empty" id="caption" role="listbox" aria-label="Caption" tabIndex={0} ref={list}>
        This figure has no caption.
      </div>
    );
  }

  const members = new Set(panel?.tokens ?? []);
  const differs = new Set(candidate ? differing(candidate) : []);
  const n = candidate?.supporters.length ?? 0;
  const others = otherMembers(session);
  const range = drag ?? (model.anchor === null ? null : { from: model.anchor, to: model.cursor, on: null });
  const low = range ? Math.min(range.from, range.to) : -1;
  const high = range ? Math.max(range.from, range.to) : -2;

  const voters = (id: number) => (n > 1 ? votesFor(candidate, id).join() : "");
  const look = (id: number) => {
    const inRange = id >= low && id <= high;
    return {
      member: drag !== null && inRange ? drag.on : members.has(id),
      loud: differs.has(id),
      inRange,
      here: others.get(id),
    };
  };
  /** Whether the marks of two neighbours are the same, and there are any: then the space between bears them too. */
  const joins = (id: number): boolean => {
    if (id + 1 >= tokens.length) return false;
    const [a, b] = [look(id), look(id + 1)];
    const labels = (each: typeof a) => (each.here ?? []).map((other) => other.label).join();
    const any = a.member || a.loud || a.inRange || labels(a) !== "";
    return any && a.member === b.member && a.loud === b.loud && a.inRange === b.inRange && labels(a) === labels(b);
  };

  const chip = (token: Token, gap: string) => {
    const id = token.id;
    const { member, loud, inRange, here } = look(id);
    const votes = votesFor(candidate, id).length;
    const open = here?.filter((other) => other.first).map((other) => other.label).join(" ") ?? "";
    const begins = votes > 0 && voters(id) !== "" && (id === 0 || voters(id - 1) !== voters(id));
    const classes = [
      "chip",
      member && "in",
      loud && "differs",
      id === model.cursor && "cursor",
      inRange && "range",
      here && "shared",
    ];
    const shared = here ? `, also in ${here.map((other) => other.label).join(", ")}` : "";
    return (
      <Chip
        key={id}
        token={token}
        gap={gap}
        member={member}
        vote={begins && n > 1 ? `${loud ? "◆" : ""}${votes}/${n}` : ""}
        others={open}
        otherColour={here?.[0]?.colour ?? ""}
        said={`${token.text}, ${member ? "in" : "out"}${n > 0 ? `, ${votes} of ${n}` : ""}${shared}`}
        classes={classes.filter(Boolean).join(" ")}
      />
    );
  };

  return (
    <div
      class={`chips${screen.pane === "caption" ? " active" : ""}`}
      id="caption"
      role="listbox"
      aria-multiselectable="true"
      aria-label={panel ? `Caption; tokens of subfigure ${panel.label}` : "Caption"}
      aria-activedescendant={`token-${model.cursor}`}
      tabIndex={0}
      dir="auto"
      ref={list}
      onMouseDown={down}
      style={panel ? { "--mine": colourOf(state, panel.label) } : undefined}
    >
      {tokens.map((token) => {
        const between = token.gap?.trim();
        if (between) return [chip(token, ""), <span class="gap"> {between} </span>, token.newline && <br />];
        if (token.newline) return [chip(token, ""), <br key={`n${token.id}`} />];
        if (!token.space) return chip(token, "");
        return joins(token.id) ? chip(token, " ") : [chip(token, ""), " "];
      })}
    </div>
  );
}

function tokenAt(target: EventTarget | null): number | null {
  const chip = target instanceof Element ? target.closest<HTMLElement>("[data-token]") : null;
  return chip ? Number(chip.dataset["token"]) : null;
}

interface Other {
  label: string;
  colour: string;
  first: boolean;
}

/** Which other kept panels hold a token, and where their runs begin. */
function otherMembers({ model }: Session<Subfigures>): Map<number, Other[]> {
  const found = new Map<number, Other[]>();
  for (const panel of kept(model.work)) {
    if (panel.id === model.chosen) continue;
    const mine = new Set(panel.tokens);
    const colour = colourOf(model.state, panel.label);
    for (const id of panel.tokens) {
      const list = found.get(id) ?? [];
      list.push({ label: panel.label, colour, first: !mine.has(id - 1) });
      found.set(id, list);
    }
  }
  return found;
}
