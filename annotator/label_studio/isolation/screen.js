// Fits Label Studio's editor to the marking of subfigures. Reads its store (window.Htx) and its page; its own code
// stays as it is. Without this script, as on another Label Studio, the labelling config works by itself.
(() => {
  "use strict";
  const BOX = "rectangleregion";
  const TEXT = "richtextregion";
  const LABEL = ".pw-palette .lsf-label";
  // The editor has these keys for tools of its own; a label of that letter comes first.
  const TOOL_KEYS = "hruv";
  // The width of the editor's tools beside the figure, in pixels.
  const TOOLS = 45;
  const page = document.documentElement;
  let warnedOf = "";
  let progressOf = null;

  const selected = () => window.Htx?.annotationStore?.selected;
  const task = () => window.Htx?.task;
  const textOf = (label) => label.querySelector(".lsf-label__text")?.textContent ?? "";
  const palette = (kind) => [...document.querySelectorAll(`.pw-${kind} .lsf-label`)];
  const toggle = (name, on) => page.classList.contains(name) !== on && page.classList.toggle(name, on);
  const pixels = (value) => `${Math.round(value)}px`;
  const put = (element, name, value) => element.getAttribute(name) !== value && element.setAttribute(name, value);

  /** Labels that the caption names, as the task's data says. */
  function named() {
    try {
      return JSON.parse(task()?.data ?? "{}").labels ?? [];
    } catch {
      return [];
    }
  }

  /** Labels of the regions of a type. */
  const labelled = (type) => new Set(
    (selected()?.regions ?? []).filter((region) => region.type === type).flatMap((region) => [...(region.labels ?? [])]),
  );

  /** What the annotator may have forgotten, a sentence each. */
  function problems() {
    const boxes = labelled(BOX);
    const texts = labelled(TEXT);
    const rejected = document.querySelector('.pw-status input[value="Reject figure"]')?.checked;
    if (rejected) return [];
    return [
      ...[...texts].filter((label) => !boxes.has(label)).map((label) => `${label} has text in the caption, but no box.`),
      ...[...boxes].filter((label) => named().includes(label) && !texts.has(label))
        .map((label) => `${label} has a box but no text, and the caption names it.`),
    ];
  }

  function fitLayout() {
    const image = document.querySelector(".pw-figure img");
    const row = document.querySelector(".pw-row");
    if (!image?.naturalWidth || !row) return;
    const ratio = image.naturalWidth / image.naturalHeight;
    const width = row.clientWidth;
    // What is above the figure, in pixels: a task that is opened from the list has tabs there.
    const above = Math.max(118, Math.round(row.getBoundingClientRect().top));
    // With what is below a figure that stands over its caption: of a long caption only a part.
    const caption = (document.querySelector(".lsf-htx-richtext")?.textContent.length ?? 0) * 7.5;
    const around = Math.min(above + 132 + Math.ceil(caption / width) * 30, innerHeight * 0.5);
    const beside = above + 72;
    const stacked = Math.min(width, (innerHeight - around) * ratio) > Math.min(width * 0.58, (innerHeight - beside) * ratio);
    const height = stacked ? Math.min((width - TOOLS) / ratio, innerHeight - around) : -8;
    const space = { around: stacked ? around : beside, text: Math.max(160, innerHeight - above - height - 70) };
    const fits = Object.entries(space).every(([name, value]) => page.style.getPropertyValue(`--pw-${name}`) === pixels(value));
    if (fits && page.classList.contains("pw-stacked") === stacked) return;
    toggle("pw-stacked", stacked);
    for (const [name, value] of Object.entries(space)) page.style.setProperty(`--pw-${name}`, pixels(value));
    dispatchEvent(new Event("resize"));
    // The editor keeps the zoom that fitted the space there was before; on a busy machine it lays out late.
    for (const wait of [150, 700, 2000]) setTimeout(() => selected()?.names?.get("figure")?.sizeToFit?.(), wait);
  }

  function fitPalette() {
    const wanted = new Set([...named(), ...labelled(BOX), ...labelled(TEXT)]);
    const labels = palette("texts");
    if (!wanted.size) labels.slice(0, 4).forEach((label) => wanted.add(textOf(label)));
    for (const label of labels) {
      const text = textOf(label);
      label.classList.toggle("pw-unnamed", !wanted.has(text));
      if (TOOL_KEYS.includes(text.toLowerCase())) put(label, "data-pw-key", text.toLowerCase());
    }
  }

  function fitSpans() {
    const colours = new Map(palette("texts").map((label) => [textOf(label), label.style.getPropertyValue("--color")]));
    const regions = new Map((selected()?.regions ?? []).map((region) => [region.cleanId, [...(region.labels ?? [])][0]]));
    for (const span of document.querySelectorAll(".htx-highlight")) {
      const id = /htx-highlight-(\S+)-\d+(\s|$)/.exec(span.className)?.[1];
      const label = regions.get(id);
      if (label === undefined) continue;
      if (span.dataset.label) put(span, "data-pw-label", label);
      const colour = colours.get(label) ?? "";
      if (span.style.getPropertyValue("--pw-colour") !== colour) span.style.setProperty("--pw-colour", colour);
    }
  }

  async function fitProgress() {
    const shown = `${task()?.id}:${selected()?.id}`;
    const hint = document.querySelector(".pw-hint > *");
    const project = /\/projects\/(\d+)/.exec(location.pathname)?.[1];
    if (!hint || !project || !task()?.id) return;
    if (progressOf?.of === shown) return put(hint, "data-pw-progress", progressOf.text);
    progressOf = { of: shown, text: "" };
    const answer = await fetch(`/api/projects/${project}/`);
    if (!answer.ok) return;
    const { queue_total: total, queue_done: done } = await answer.json();
    progressOf = { of: shown, text: `${done} of ${total} done` };
    put(hint, "data-pw-progress", progressOf.text);
  }

  function button(text, pressed) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", pressed);
    return made;
  }

  function offerTools() {
    const there = document.querySelector(".pw-tools");
    if (there) {
      there.children[1].hidden = !window.Htx.description;
      return;
    }
    const tools = document.createElement("div");
    tools.className = "pw-tools";
    tools.append(button("More labels", () => page.classList.toggle("pw-more")));
    tools.append(button("Guidelines", () => window.Htx.toggleDescription()));
    tools.append(button("Regions", () => {
      page.classList.toggle("pw-regions");
      dispatchEvent(new Event("resize"));
    }));
    document.body.append(tools);
  }

  /** Leads see a project's card without the line by which Panelwise finds it again. */
  function tidyCards() {
    for (const text of document.querySelectorAll('[class*="project-card"] [class*="description"]')) {
      if (/^Panelwise campaign [0-9a-f]{16}: /.test(text.textContent)) text.hidden = true;
    }
  }

  function refresh() {
    const here = Boolean(document.querySelector(".pw-texts")) && Boolean(selected());
    toggle("pw-screen", here);
    tidyCards();
    if (!here) {
      document.querySelector(".pw-tools")?.remove();
      return closeProblems();
    }
    offerTools();
    fitLayout();
    fitPalette();
    fitSpans();
    fitProgress();
  }

  const closeProblems = () => document.querySelector(".pw-problems")?.remove();

  /** Tell what may be forgotten, once; returns whether to wait for the annotator. */
  function stopped() {
    const found = problems();
    const known = `${task()?.id} ${found.join(" ")}`;
    closeProblems();
    if (!found.length || warnedOf === known) return false;
    warnedOf = known;
    const note = document.createElement("div");
    note.className = "pw-problems";
    note.setAttribute("role", "alert");
    const list = document.createElement("ul");
    list.append(...found.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    note.append("Please check, then submit again if it is right as it is:", list, button("Close", closeProblems));
    document.body.append(note);
    return true;
  }

  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  addEventListener("click", (event) => {
    if (!page.classList.contains("pw-screen")) return;
    if (event.target.closest?.('button[aria-label^="Submit"], button[aria-label^="Update"]')) {
      if (stopped()) stop(event);
      return;
    }
    const label = event.target.closest?.(".pw-texts .lsf-label");
    if (!label || !event.isTrusted) return;
    // One palette for both: what is picked for the caption is picked for the figure.
    palette("boxes").find((twin) => textOf(twin) === textOf(label))?.click();
  }, true);

  addEventListener("keydown", (event) => {
    if (!page.classList.contains("pw-screen") || event.target.closest?.("input, textarea, [contenteditable]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (stopped()) stop(event);
      return;
    }
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !TOOL_KEYS.includes(key)) return;
    const same = (label) => textOf(label).toLowerCase() === key && label.offsetParent !== null;
    const label = palette("texts").find(same);
    if (!label) return;
    stop(event);
    label.click();
    palette("boxes").find((twin) => textOf(twin) === textOf(label))?.click();
  }, true);

  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      refresh();
    });
  };
  new MutationObserver(later).observe(page, { childList: true, subtree: true });
  addEventListener("load", later, true); // images as well
  addEventListener("resize", later);
})();
