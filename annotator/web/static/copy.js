// Buttons that copy the text of a field: <button data-copy="ID of the field" hidden>. Where the browser has no clipboard,
// as at an http address of another machine, the field is selected for Ctrl+C.
"use strict";

(() => {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const field = document.getElementById(button.dataset.copy);
    const text = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        const details = field.closest("details");
        if (details) details.open = true;
        field.select();
        button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
      }
      setTimeout(() => (button.textContent = text), 2000);
    });
  }
})();
