/** The line between the picture and what is beside it: dragged, it gives either more room; a double click puts it back. */

import { follow, keepFocus } from "./controls";

const STORED = "panelwise.split";
/** The picture's share of the width, in percent. */
const LEAST = 25;
const MOST = 75;

/** Gives the panes the share that was chosen last in this browser. */
export function restoreSplit(panes: HTMLElement | null): void {
  const share = panes && Number(stored());
  if (share) split(panes, share);
}

export function Divider() {
  return (
    <div
      class="aj-divider"
      title="Drag to give the figure or the text more room; double-click to reset"
      onMouseDown={keepFocus}
      onDblClick={({ currentTarget }) => {
        currentTarget.parentElement?.style.removeProperty("--split");
        store(null);
      }}
      onPointerDown={({ button, currentTarget }) => {
        const panes = currentTarget.parentElement;
        if (button !== 0 || !panes) return;
        const { left, width } = panes.getBoundingClientRect();
        follow(({ clientX }) => store(split(panes, (100 * (clientX - left)) / width)));
      }}
    />
  );
}

/** Puts the divider there, within its limits; returns where. */
function split(panes: HTMLElement, share: number): number {
  const kept = Math.min(Math.max(share, LEAST), MOST);
  panes.style.setProperty("--split", `${kept}%`);
  return kept;
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
