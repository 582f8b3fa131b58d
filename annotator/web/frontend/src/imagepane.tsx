/** The figure with everybody's boxes: zoomed and panned by CSS, annotators' boxes drawn over it, not to be touched. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { GivenBoxes } from "./blindframe";
import { colourOf } from "./colours";
import { inkOf, type Ink } from "./ink";
import { MARGIN, Overlay } from "./overlay";
import type { Session } from "./session";
import { Surface } from "./surface";

export interface Bridge {
  flush: () => void;
  fit: () => number;
}

export function ImagePane({ session, bridge }: { session: Session; bridge: Bridge }) {
  const { model, screen } = session;
  const { state, work } = model;
  const view = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const surface = useRef<Surface | null>(null);
  const [size, setSize] = useState<{ w: number; h: number }>({ w: 640, h: 480 });
  const [status, setStatus] = useState<"loading" | "ready" | "failed">("loading");
  const ink = useRef<Ink | null>(null);
  const fit = Math.max(
    0.05,
    Math.min((size.w - 2 * MARGIN) / state.width, (size.h - 2 * MARGIN) / state.height, 3),
  );
  const scale = screen.zoom ?? fit;
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
    const element = host.current;
    if (!element) return;
    // The image is placed by hand: Annotorious wraps it, and Preact must not look for it.
    const image = new Image();
    image.alt = state.blind ? "The figure" : `Figure ${state.figure_id}`;
    image.draggable = false;
    image.onload = () => {
      ink.current = inkOf(image, state.width);
      setStatus("ready");
      // Given boxes are only looked at.
      if (state.blind) return;
      surface.current = new Surface(image, state.width, state.height, {
        chosen: (id) => session.act({ type: "choose", id }),
        moving: (id, box) => session.show({ moving: { id, box } }),
        changed: (id, box) => session.boxChanged(id, box),
        drawn: (id, box) => session.drawn(id, box),
      });
      bridge.flush = () => surface.current?.flush();
    };
    image.onerror = () => setStatus("failed");
    image.src = state.image_url;
    element.append(image);
    return () => {
      surface.current?.destroy();
      surface.current = null;
      bridge.flush = () => undefined;
      element.replaceChildren();
    };
  }, [session, state.image_url]);

  const shown = useMemo(
    () =>
      work.panels
        .filter((panel) => panel.review !== "rejected")
        .map(({ id, box, label }) => ({ id, box, colour: colourOf(state, label) })),
    [work, state],
  );
  useEffect(() => {
    surface.current?.draw(screen.drawing);
    surface.current?.sync(shown, model.chosen);
  }, [shown, model.chosen, screen.drawing, status]);

  useZoomAnchor(view, scale);
  useWheel(view, session);
  const pan = usePan(view, session);

  const classes = ["aj-image", screen.pane === "image" && "active", screen.drawing && "drawing", screen.panning && "panning"];
  return (
    <section
      class={classes.filter(Boolean).join(" ")}
      aria-label="Figure"
      onPointerDownCapture={() => screen.pane !== "image" && session.show({ pane: "image" })}
    >
      <div
        class={`aj-view${screen.zoom === null ? " fitted" : ""}`}
        id="figure-view"
        tabIndex={0}
        ref={view}
        role="group"
        aria-label={state.blind ? "The given boxes" : "Boxes: arrows move the chosen one, Alt resizes, Shift goes by ten"}
        onFocus={() => screen.pane !== "image" && session.show({ pane: "image" })}
        onPointerDown={pan}
      >
        <div class="stage" style={{ width: `${state.width * scale}px`, height: `${state.height * scale}px` }}>
          <div class="host" ref={host} />
          {state.blind && status === "ready" && <GivenBoxes session={session} />}
          {status === "ready" && <Overlay session={session} scale={scale} ink={ink.current} />}
          {status !== "ready" && (
            <p class="aj-empty">
              {status === "loading" ? "Loading the image…" : "The image cannot be loaded; reload the page to try again."}
            </p>
          )}
        </div>
      </div>
      <div class="zoom" role="toolbar" aria-label="Zoom">
        <button type="button" title="Further (-)" aria-label="Zoom out" onClick={() => session.run({ do: "zoom", by: -1 })}>
          −
        </button>
        <button type="button" title="Fit (F)" onClick={() => session.run({ do: "fit" })}>
          {screen.zoom === null ? "fit" : `${Math.round(scale * 100)} %`}
        </button>
        <button type="button" title="Closer (+)" aria-label="Zoom in" onClick={() => session.run({ do: "zoom", by: 1 })}>
          +
        </button>
      </div>
    </section>
  );
}

type View = { current: HTMLDivElement | null };

/** Keeps the middle of the pane where it is when the scale changes. */
function useZoomAnchor(view: View, scale: number): void {
  const last = useRef(scale);
  const point = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    const element = view.current;
    if (!element) return;
    const remember = (event: WheelEvent) => {
      const frame = element.getBoundingClientRect();
      point.current = event.ctrlKey ? { x: event.clientX - frame.left, y: event.clientY - frame.top } : null;
    };
    element.addEventListener("wheel", remember, { passive: true, capture: true });
    return () => element.removeEventListener("wheel", remember, { capture: true });
  }, []);
  useLayoutEffect(() => {
    const element = view.current;
    const ratio = scale / last.current;
    last.current = scale;
    if (!element || ratio === 1) return;
    const at = point.current ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 };
    point.current = null;
    element.scrollLeft = (element.scrollLeft + at.x - MARGIN) * ratio - at.x + MARGIN;
    element.scrollTop = (element.scrollTop + at.y - MARGIN) * ratio - at.y + MARGIN;
  }, [scale]);
}

function useWheel(view: View, session: Session): void {
  useEffect(() => {
    const element = view.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      session.show({ zoom: session.scaled(Math.exp(-event.deltaY / 300)) });
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [session]);
}

/** Pans on a drag with Space held, with the middle button, or beside the image. */
function usePan(view: View, session: Session): (event: PointerEvent) => void {
  return (event) => {
    const element = view.current;
    const beside = event.target === element;
    if (!element || !(event.button === 1 || (event.button === 0 && (session.screen.panning || beside)))) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
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
  };
}
