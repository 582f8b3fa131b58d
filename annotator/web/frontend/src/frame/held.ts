/** Values that stay while the pointer is down, so that nothing moves under a drag. */

import { useEffect, useRef, useState } from "preact/hooks";

/** The events after which the pointer may be up; one outside the window is only seen by a later move. */
const EVENTS = ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const;

/** The value; while the pointer is down, the one that was shown before. */
export function useHeld<T>(value: T): T {
  const [down, setDown] = useState(false);
  const shown = useRef(value);
  useEffect(() => {
    const follow = ({ type, buttons }: PointerEvent) => setDown(buttons > 0 && type !== "pointercancel");
    for (const type of EVENTS) window.addEventListener(type, follow, { capture: true });
    return () => {
      for (const type of EVENTS) window.removeEventListener(type, follow, { capture: true });
    };
  }, []);
  if (!down) shown.current = value;
  return shown.current;
}
