// A lead's view of a figure: the arrow keys go to the figures beside it, and a choice shows one person's boxes and words.
"use strict";

(() => {
  const choices = document.querySelectorAll("input[name=reading]");
  const show = () => {
    const chosen = document.querySelector("input[name=reading]:checked")?.value;
    for (const part of document.querySelectorAll("[data-reading]")) part.hidden = part.dataset.reading !== chosen;
  };
  for (const choice of choices) choice.addEventListener("change", show);
  // A browser that goes back restores the choice.
  addEventListener("pageshow", show);
  addEventListener("keydown", (event) => {
    const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    // Inside the choice the arrows choose.
    if (!rel || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, textarea, select")) return;
    const link = document.querySelector(`a[rel=${rel}]`);
    if (link) {
      event.preventDefault();
      location.assign(link.href);
    }
  });
})();
