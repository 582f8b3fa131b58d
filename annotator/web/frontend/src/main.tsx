/** Mounts the island on #adjudication, once the figure's state is there. */

import { render } from "preact";
import "@annotorious/annotorious/annotorious.css";
import "./base.css";
import "./frame.css";
import "./imagepane.css";
import "./panels.css";
import "./caption.css";
import "./remarks.css";
import "./rows.css";
import "./narrow.css";
import "./overlays.css";
import "./itemsfields.css";
import "./items.css";
import "./blind.css";
import { load, type Loaded } from "./api";
import { App } from "./app";
import { ItemsApp } from "./itemsapp";
import type { ItemsState } from "./itemstypes";
import { stateOf, type BlindScreen } from "./blind";
import type { Places } from "./screen";

async function mount(root: HTMLElement): Promise<void> {
  const { stateUrl = "", saveUrl = "", queueUrl = "/", csrf = "", campaign = "", guidelineUrl = "" } = root.dataset;
  const places: Places = { stateUrl, saveUrl, queueUrl, csrf, guidelineUrl: guidelineUrl || null };
  render(<p class="wait">Loading the figure…</p>, root);
  const { mode } = root.dataset;
  const items = mode === "items" ? await load<ItemsState>(stateUrl) : null;
  if (items?.ok) {
    document.title = `${items.state.figure_id} · Panelwise`;
    render(<ItemsApp state={{ ...items.state, campaign }} places={places} />, root);
    return;
  }
  const loaded = items ?? (mode === "blind" ? await loadBlind(stateUrl) : await load(stateUrl));
  if (loaded.ok) {
    // A blind figure goes by its number: its id is no business of whoever annotates it.
    if (!loaded.state.blind) document.title = `${loaded.state.figure_id} · Panelwise`;
    render(<App state={{ ...loaded.state, campaign }} places={places} />, root);
    return;
  }
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

async function loadBlind(url: string): Promise<Loaded> {
  const loaded = await load<BlindScreen>(url);
  return loaded.ok ? { ok: true, state: stateOf(loaded.state) } : loaded;
}

function start(): void {
  const root = document.getElementById("adjudication");
  if (root) void mount(root);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
