/** The line between the picture and what is beside it: dragged or moved by keys, it gives either more room. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { follow, keepFocus } from "./controls";

const STORED = "panelwise.split";
/** The picture's share of the width, in percent. */
const LEAST = 25;
const MOST = 75;
/** Percent that an arrow moves the line by, and one with Shift. */
const STEP = 2;
const FAR = 10;

export function Divider() {
  const line = useRef<HTMLDivElement>(null);
  const [share, setShare] = useState(0);
  /** Puts the line there, within its limits; null puts it where it is for everybody. */
  const move = (wanted: number | null) => {
    const panes = line.current?.parentElement;
    if (!panes) return;
    const limited = wanted === null ? null : Math.min(Math.max(wanted, LEAST), MOST);
    if (limited === null) panes.style.removeProperty("--split");
    else panes.style.setProperty("--split", `${limited}%`);
    store(limited);
    setShare(measured(line.current));
  };
  const keys: Record<string, (by: number) => number | null> = {
    ArrowLeft: (by) => measured(line.current) - by,
    ArrowRight: (by) => measured(line.current) + by,
    Home: () => LEAST,
    End: () => MOST,
    Enter: () => null,
  };
  useLayoutEffect(() => move(Number(stored()) || null), []);
  return (
    <div
      ref={line}
      class="aj-divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the figure"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(share)}
      aria-valuetext={`Figure ${Math.round(share)} % of the width`}
      tabIndex={0}
      title="Drag, or press Left and Right, to give the figure or the text more room; double-click or Enter resets"
      onFocus={() => setShare(measured(line.current))}
      onKeyDown={({ key, shiftKey }) => {
        const to = keys[key];
        if (to) move(to(shiftKey ? FAR : STEP));
      }}
      onMouseDown={keepFocus}
      onDblClick={() => move(null)}
      onPointerDown={({ button, currentTarget }) => {
        const panes = currentTarget.parentElement;
        if (button !== 0 || !panes) return;
        const { left, width } = panes.getBoundingClientRect();
        follow(({ clientX }) => move((100 * (clientX - left)) / width));
      }}
    />
  );
}

/** The picture's share as it is now, in percent. */
function measured(line: HTMLElement | null): number {
  const panes = line?.parentElement;
  if (!line || !panes) return LEAST;
  const { left, width } = line.getBoundingClientRect();
  const whole = panes.getBoundingClientRect();
  return (100 * (left + width / 2 - whole.left)) / Math.max(whole.width, 1);
}

function stored(): string | null {
  try {
    return window.localStorage.getItem(STORED);
  } catch {
    // Storage is forbidden: the divider begins where it is for everybody.
    return null;
  }
}

function store(share: number | null): void {
  try {
    if (share === null) window.localStorage.removeItem(STORED);
    else window.localStorage.setItem(STORED, String(share));
  } catch {
    // Storage is forbidden: it lasts as long as the page.
  }
}
