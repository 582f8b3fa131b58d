/** The figure beside its types and pairs: fitted, zoomed by keys and wheel, panned by a drag; nothing is drawn on it. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { scaled } from "./itemscommands";
import type { ItemsSession } from "./itemssession";

/** Pixels between the image and its pane's edge. */
const MARGIN = 16;

export function Picture({ session, bridge }: { session: ItemsSession; bridge: { fit: () => number } }) {
  const { state } = session.model;
  const { zoom } = session.screen;
  const view = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ w: 480, h: 320 });
  const [failed, setFailed] = useState(state.image_url === null);
  const fit = Math.max(0.05, Math.min((size.w - 2 * MARGIN) / state.width, (size.h - 2 * MARGIN) / state.height, 3));
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

  useEffect(() => {
    const element = view.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      session.show({ zoom: scaled(session, Math.exp(-event.deltaY / 300)) });
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [session]);

  return (
    <div class="it-picture">
      <div
        class={`aj-view it-view${zoom === null ? " fitted" : ""}`}
        id="figure-view"
        ref={view}
        tabIndex={0}
        role="group"
        aria-label="Figure"
        onPointerDown={(event) => pan(event, view.current)}
      >
        {failed ? (
          <p class="aj-empty">{state.image_url === null ? "This figure has no image here." : "The image cannot be loaded; reload the page to try again."}</p>
        ) : (
          <div class="stage" style={{ width: `${state.width * scale}px`, height: `${state.height * scale}px` }}>
            <img class="it-image" src={state.image_url ?? ""} alt={`Figure ${state.figure_id}`} draggable={false} onError={() => setFailed(true)} />
          </div>
        )}
      </div>
      <div class="zoom" role="toolbar" aria-label="Zoom">
        <button type="button" title="Further (-)" aria-label="Zoom out" onClick={() => session.run({ do: "zoom", by: -1 })}>
          −
        </button>
        <button type="button" title="Fit (F)" onClick={() => session.run({ do: "fit" })}>
          {zoom === null ? "fit" : `${Math.round(scale * 100)} %`}
        </button>
        <button type="button" title="Closer (+)" aria-label="Zoom in" onClick={() => session.run({ do: "zoom", by: 1 })}>
          +
        </button>
      </div>
    </div>
  );
}

/** A drag with the left or middle button moves the image under the pane. */
function pan(event: PointerEvent, element: HTMLDivElement | null): void {
  if (!element || event.button > 1) return;
  const from = { x: event.clientX + element.scrollLeft, y: event.clientY + element.scrollTop };
  const move = (next: PointerEvent) => {
    element.scrollLeft = from.x - next.clientX;
    element.scrollTop = from.y - next.clientY;
  };
  const up = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", up);
}
