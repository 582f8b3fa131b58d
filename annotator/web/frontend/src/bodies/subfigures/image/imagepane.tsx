/** The figure with everybody's boxes: one's own to be edited, annotators' drawn over it, not to be touched. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Picture } from "../../../frame/picture";
import type { Bridge } from "../../../frame/view";
import type { Session } from "../../../session/session";
import { colourOf } from "../colours";
import type { Subfigures } from "../model";
import { inkOf, type Ink } from "./ink";
import { MARGIN, Overlay } from "./overlay";
import { Surface } from "./surface";

interface ImagePaneProps {
  session: Session<Subfigures>;
  bridge: Bridge;
  /** How a screen reader calls the pane. */
  label: string;
  /** Boxes that are given: they are looked at, and never edited. */
  given?: ComponentChildren;
}

export function ImagePane({ session, bridge, label, given }: ImagePaneProps) {
  const { model, screen } = session;
  const { state, work } = model;
  const host = useRef<HTMLDivElement>(null);
  const surface = useRef<Surface | null>(null);
  const [status, setStatus] = useState<"loading" | "ready" | "failed">("loading");
  const ink = useRef<Ink | null>(null);

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    // The image is placed by hand: Annotorious wraps it, and Preact must not look for it.
    const image = new Image();
    image.alt = given ? "The figure" : `Figure ${state.figure_id}`;
    image.draggable = false;
    image.onload = () => {
      ink.current = inkOf(image, state.width);
      setStatus("ready");
      if (given) return;
      surface.current = new Surface(image, state.width, state.height, {
        chosen: (id) => session.act({ type: "choose", id }),
        moving: (id, box) => session.show({ moving: { id, box } }),
        changed: (id, box) => {
          session.show({ moving: null });
          session.act({ type: "box", id, box });
        },
        drawn: (id, box) => {
          const several = session.screen.drawing === "several";
          session.show({ drawing: several && "several", moving: null });
          session.act({ type: "add", id, box });
          if (several) surface.current?.release();
        },
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
    surface.current?.draw(screen.drawing !== false);
    surface.current?.sync(shown, model.chosen);
  }, [shown, model.chosen, screen.drawing, status]);

  const classes = ["aj-image", screen.pane === "image" && "active", screen.drawing && "drawing", screen.panning && "panning"];
  return (
    <section
      class={classes.filter(Boolean).join(" ")}
      aria-label="Figure"
      onPointerDownCapture={() => screen.pane !== "image" && session.show({ pane: "image" })}
    >
      <Picture session={session} bridge={bridge} label={label} margin={MARGIN} grab={false}>
        {(scale) => (
          <>
            <div class="host" ref={host} />
            {status === "ready" && given}
            {status === "ready" && <Overlay session={session} scale={scale} ink={ink.current} />}
            {status !== "ready" && (
              <p class="aj-empty">
                {status === "loading" ? "Loading the image…" : "The image cannot be loaded; reload the page to try again."}
              </p>
            )}
          </>
        )}
      </Picture>
    </section>
  );
}
