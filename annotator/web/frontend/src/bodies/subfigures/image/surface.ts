/**
 * The editable boxes: Annotorious, kept as a mere surface. The model is the only truth; this mirrors it, and reports
 * what the mouse did. Annotorious' own undo, late update events and stale `bounds` are thereby never relied on.
 */

import { createImageAnnotator, ShapeType, type ImageAnnotation, type RectangleGeometry } from "@annotorious/annotorious";
import { Origin } from "@annotorious/core";
import { clampBox, sameBox } from "../boxes";
import type { Box } from "../types";

export interface Shown {
  id: string;
  box: Box;
  colour: string;
}

export interface Hooks {
  /** A box was clicked. */
  chosen(id: string): void;
  /** A box is being dragged: not yet final. */
  moving(id: string, box: Box): void;
  /** The mouse let go of a changed box. */
  changed(id: string, box: Box): void;
  /** A new box was drawn. */
  drawn(id: string, box: Box): void;
}

export class Surface {
  private readonly tool;
  private shown = new Map<string, Shown>();
  private chosen: string | null = null;
  private touched = new Set<string>();
  private drawing = false;
  private readonly scale: number;
  private readonly watcher: MutationObserver;

  /** image: loaded. width, height: the figure's, in whose pixels all boxes are told. */
  constructor(
    image: HTMLImageElement,
    private readonly width: number,
    private readonly height: number,
    private readonly hooks: Hooks,
  ) {
    this.scale = image.naturalWidth > 0 ? image.naturalWidth / width : 1;
    this.tool = createImageAnnotator(image, { drawingEnabled: false, autoSave: false, style: this.style });
    this.tool.state.store.observe(this.observe, { origin: Origin.LOCAL });
    this.tool.state.selection.subscribe((selection: { selected: { id: string }[]; event?: unknown }) => {
      const id = selection.selected[0]?.id;
      if (selection.event && id !== undefined && id !== this.chosen) {
        this.chosen = id;
        this.hooks.chosen(id);
      }
    });
    window.addEventListener("pointerup", this.report);
    window.addEventListener("pointercancel", this.report);
    // Its handles are buttons without names; the keys of the image pane do what they do.
    this.watcher = new MutationObserver(() => this.quiet());
    this.watcher.observe(this.tool.element, { childList: true, subtree: true });
    this.quiet();
  }

  /** Makes the surface show these boxes, with handles on the chosen one. */
  sync(panels: readonly Shown[], chosen: string | null): void {
    const { store } = this.tool.state;
    const before = this.shown;
    this.shown = new Map(panels.map((panel) => [panel.id, panel]));
    for (const annotation of store.all()) {
      if (!this.shown.has(annotation.id)) store.deleteAnnotation(annotation.id, Origin.REMOTE);
    }
    let recoloured = false;
    for (const panel of panels) {
      const there = store.getAnnotation(panel.id);
      if (!there) store.addAnnotation(this.annotation(panel), Origin.REMOTE);
      else if (this.touched.has(panel.id)) continue;
      else if (!sameBox(this.boxOf(there), panel.box)) store.updateAnnotation(this.annotation(panel), Origin.REMOTE);
      recoloured ||= before.get(panel.id)?.colour !== panel.colour;
    }
    if (recoloured) this.tool.setStyle((annotation) => this.style(annotation));
    const selected = this.tool.state.selection.selected[0]?.id ?? null;
    const target = chosen !== null && this.shown.has(chosen) ? chosen : null;
    if (this.drawing) {
      this.chosen = chosen;
      return;
    }
    if (chosen !== this.chosen || (target !== null && target !== selected && this.touched.size === 0)) {
      this.chosen = chosen;
      if (target === null) this.tool.cancelSelected();
      else if (target !== selected) this.tool.setSelected(target, true);
    }
  }

  /** Lets the next drag draw a box, or not. */
  draw(on: boolean): void {
    if (on === this.drawing) return;
    this.drawing = on;
    // A selected box keeps the drawing tool from its work.
    if (on) this.tool.cancelSelected();
    else this.tool.cancelDrawing();
    this.tool.setDrawingEnabled(on);
  }

  /** Takes the handles off the box that was drawn: while it has them, the next drag draws nothing. */
  release(): void {
    this.tool.cancelSelected();
  }

  /** Reports what was changed and not yet told: before a save. */
  flush(): void {
    this.release();
    this.report();
  }

  destroy(): void {
    window.removeEventListener("pointerup", this.report);
    window.removeEventListener("pointercancel", this.report);
    this.watcher.disconnect();
    this.tool.destroy();
  }

  private readonly style = (annotation: ImageAnnotation) => {
    const colour = (this.shown.get(annotation.id)?.colour ?? "#0072B2") as `#${string}`;
    return { stroke: colour, strokeWidth: 2.5, fill: colour, fillOpacity: 0.04 };
  };

  private readonly observe = (event: {
    changes: { created?: ImageAnnotation[]; updated?: { newValue: ImageAnnotation }[] };
  }): void => {
    for (const annotation of event.changes.created ?? []) {
      // Reported later: Annotorious still has to select what it just made.
      setTimeout(() => this.hooks.drawn(annotation.id, this.boxOf(annotation)), 0);
    }
    for (const { newValue } of event.changes.updated ?? []) {
      this.touched.add(newValue.id);
      this.hooks.moving(newValue.id, this.boxOf(newValue));
    }
  };

  private readonly report = (): void => {
    for (const id of [...this.touched]) {
      this.touched.delete(id);
      const annotation = this.tool.state.store.getAnnotation(id);
      const panel = this.shown.get(id);
      if (!annotation || !panel) continue;
      const box = this.boxOf(annotation);
      // The image's edge may have cut the box: show what is kept.
      this.tool.state.store.updateAnnotation(this.annotation({ ...panel, box }), Origin.REMOTE);
      this.hooks.changed(id, box);
    }
  };

  private boxOf(annotation: ImageAnnotation): Box {
    const { x, y, w, h } = annotation.target.selector.geometry as RectangleGeometry;
    const k = this.scale;
    return clampBox([x / k, y / k, (x + w) / k, (y + h) / k], this.width, this.height);
  }

  private annotation({ id, box }: Shown): ImageAnnotation {
    const [minX, minY, maxX, maxY] = box.map((edge) => edge * this.scale) as [number, number, number, number];
    const geometry = { x: minX, y: minY, w: maxX - minX, h: maxY - minY, rot: 0, bounds: { minX, minY, maxX, maxY } };
    return { id, bodies: [], target: { annotation: id, selector: { type: ShapeType.RECTANGLE, geometry } } };
  }

  private quiet(): void {
    for (const element of this.tool.element.querySelectorAll("svg [tabindex='0'], svg[tabindex='0']")) {
      element.setAttribute("tabindex", "-1");
    }
    const layer = this.tool.element.querySelector("svg.a9s-annotationlayer");
    if (layer && layer.getAttribute("aria-hidden") !== "true") layer.setAttribute("aria-hidden", "true");
  }
}
