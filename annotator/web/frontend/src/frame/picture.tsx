/** The figure in its pane: fitted, zoomed by keys and wheel, moved by the mouse. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { run } from "../session/commands";
import type { Kind } from "../session/kind";
import type { Session } from "../session/session";
import { follow } from "./controls";
import type { Bridge } from "./view";

interface PictureProps<K extends Kind> {
  session: Session<K>;
  bridge: Bridge;
  label: string;
  /** Pixels between the image and its pane's edge. */
  margin: number;
  /** Whether every drag moves the image; else one with Space, with the middle button or beside it does. */
  grab: boolean;
  /** What is on the stage, by the scale of the image. */
  children: (scale: number) => ComponentChildren;
}

export function Picture<K extends Kind>({ session, bridge, label, margin, grab, children }: PictureProps<K>) {
  const { zoom, pane } = session.screen;
  const { width, height } = session.model.state;
  const view = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ w: 640, h: 480 });
  const fit = Math.max(0.05, Math.min((size.w - 2 * margin) / width, (size.h - 2 * margin) / height, 3));
  const scale = zoom ?? fit;
  bridge.fit = () => fit;

  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const measure = () => setSize({ w: element.offsetWidth, h: element.offsetHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  useZoom(view, session, scale, margin);
  return (
    <>
      <div
        class={`aj-view${zoom === null ? " fitted" : ""}`}
        id="figure-view"
        tabIndex={0}
        ref={view}
        role="group"
        aria-label={label}
        onFocus={() => pane !== "image" && session.show({ pane: "image" })}
        onPointerDown={(event) => pan(event, view.current, grab || session.screen.panning)}
      >
        <div class="stage" style={{ width: `${width * scale}px`, height: `${height * scale}px` }}>
          {children(scale)}
        </div>
      </div>
      <div class="zoom" role="toolbar" aria-label="Zoom">
        <button type="button" title="Zoom out (-)" aria-label="Zoom out" onClick={() => run(session, { do: "zoom", by: -1 })}>
          −
        </button>
        <button type="button" title="Fit (F)" onClick={() => run(session, { do: "fit" })}>
          {zoom === null ? "fit" : `${Math.round(scale * 100)} %`}
        </button>
        <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => run(session, { do: "zoom", by: 1 })}>
          +
        </button>
      </div>
    </>
  );
}

/** Zooms by Ctrl and the wheel; the point under the mouse, else the pane's middle, stays where it is. */
function useZoom<K extends Kind>(
  view: { current: HTMLDivElement | null },
  session: Session<K>,
  scale: number,
  margin: number,
): void {
  const last = useRef(scale);
  const point = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    const element = view.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      const frame = element.getBoundingClientRect();
      point.current = event.ctrlKey ? { x: event.clientX - frame.left, y: event.clientY - frame.top } : null;
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      session.show({ zoom: session.scaled(Math.exp(-event.deltaY / 300)) });
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [session]);
  useLayoutEffect(() => {
    const element = view.current;
    const ratio = scale / last.current;
    last.current = scale;
    if (!element || ratio === 1) return;
    const at = point.current ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 };
    point.current = null;
    element.scrollLeft = (element.scrollLeft + at.x - margin) * ratio - at.x + margin;
    element.scrollTop = (element.scrollTop + at.y - margin) * ratio - at.y + margin;
  }, [scale]);
}

/** Moves the image under the pane while the button is held. */
function pan(event: PointerEvent, element: HTMLDivElement | null, grab: boolean): void {
  const left = event.button === 0 && (grab || event.target === element);
  if (!element || !(event.button === 1 || left)) return;
  event.preventDefault();
  element.focus({ preventScroll: true });
  const from = { x: event.clientX + element.scrollLeft, y: event.clientY + element.scrollTop };
  follow((next) => {
    element.scrollLeft = from.x - next.clientX;
    element.scrollTop = from.y - next.clientY;
  });
}
