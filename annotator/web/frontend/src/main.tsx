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
import { load } from "./api";
import { App } from "./app";
import type { Places } from "./screen";

async function mount(root: HTMLElement): Promise<void> {
  const { stateUrl = "", saveUrl = "", queueUrl = "/", csrf = "", campaign = "", guidelineUrl = "" } = root.dataset;
  const places: Places = { stateUrl, saveUrl, queueUrl, csrf, guidelineUrl: guidelineUrl || null };
  render(<p class="wait">Loading the figure…</p>, root);
  const loaded = await load(stateUrl);
  if (loaded.ok) {
    document.title = `${loaded.state.figure_id} · Panelwise`;
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

function start(): void {
  const root = document.getElementById("adjudication");
  if (root) void mount(root);
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
