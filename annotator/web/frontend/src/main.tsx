/** Mounts the island on #adjudication, once the figure's state is there. */

import { render, type VNode } from "preact";
import "@annotorious/annotorious/annotorious.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/picture.css";
import "./style/list.css";
import "./bodies/subfigures/subfigures.css";
import "./bodies/subfigures/image/image.css";
import "./bodies/subfigures/caption/caption.css";
import "./style/remarks.css";
import "./style/notices.css";
import "./style/narrow.css";
import "./style/overlays.css";
import "./style/guideline.css";
import "./style/comments.css";
import "./bodies/items/fields.css";
import "./bodies/items/items.css";
import "./bodies/blind/blind.css";
import { BLIND, stateOf } from "./bodies/blind/body";
import { BLIND_VIEW } from "./bodies/blind/view";
import type { BlindScreen } from "./bodies/blind/wire";
import { ITEMS } from "./bodies/items/body";
import { ITEMS_VIEW } from "./bodies/items/view";
import type { ItemsState } from "./bodies/items/types";
import { OWN_ITEMS, OWN_ITEMS_VIEW, type OwnItemsState } from "./bodies/own/items";
import { OWN, OWN_VIEW, type OwnState } from "./bodies/own/own";
import { SUBFIGURES } from "./bodies/subfigures/body";
import type { FigureState } from "./bodies/subfigures/types";
import { SUBFIGURES_VIEW } from "./bodies/subfigures/view";
import { App } from "./frame/frame";
import type { Places } from "./session/screen";
import { load } from "./wire/api";

type Loaded = FigureState | ItemsState | BlindScreen;

/** The screen of a figure, by the page's mode. */
function screenOf(mode: string | undefined, loaded: Loaded, campaign: string, places: Places): VNode {
  if (mode === "blind") {
    // A blind figure goes by its number: the annotator has no need of its id.
    return <App body={BLIND} view={BLIND_VIEW} state={{ ...stateOf(loaded as BlindScreen), campaign }} places={places} />;
  }
  if (mode === "own") {
    return <App body={OWN} view={OWN_VIEW} state={{ ...(loaded as OwnState), campaign }} places={places} />;
  }
  if (mode === "own-items") {
    return <App body={OWN_ITEMS} view={OWN_ITEMS_VIEW} state={{ ...(loaded as OwnItemsState), campaign }} places={places} />;
  }
  const { figure_id } = loaded as { figure_id: string };
  document.title = `${figure_id} · Panelwise`;
  if (mode === "items") {
    const state = { ...(loaded as ItemsState), campaign };
    return <App body={ITEMS} view={ITEMS_VIEW} state={state} places={places} />;
  }
  const state = { ...(loaded as FigureState), campaign };
  return <App body={SUBFIGURES} view={SUBFIGURES_VIEW} state={state} places={places} />;
}

async function mount(root: HTMLElement): Promise<void> {
  const { stateUrl = "", saveUrl = "", queueUrl = "/", csrf = "", campaign = "", guidelineUrl = "", helpUrl = "", mode } = root.dataset;
  const places: Places = { stateUrl, saveUrl, queueUrl, csrf, guidelineUrl: guidelineUrl || null, helpUrl };
  render(<p class="wait">Loading the figure…</p>, root);
  const loaded = await load<Loaded>(stateUrl);
  if (loaded.ok) return render(screenOf(mode, loaded.state, campaign, places), root);
  render(
    <div class="wait" role="alert">
      <p>{loaded.message}</p>
      <button type="button" onClick={() => void mount(root)}>
        Try again
      </button>{" "}
      <a href={queueUrl}>Back to the queue</a>
    </div>,
    root,
  );
}

function start(): void {
  const root = document.getElementById("adjudication");
  if (root) void mount(root);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
