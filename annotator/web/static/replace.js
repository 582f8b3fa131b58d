// A page that is closed without an answer leaves its upload to be removed soon.
"use strict";

(() => {
  const form = document.getElementById("replace-form");
  let answered = false;
  form?.addEventListener("submit", () => (answered = true));
  addEventListener("pagehide", () => {
    if (!form || answered) return;
    const body = new FormData();
    body.set("csrf_token", form.elements.csrf_token.value);
    navigator.sendBeacon(form.dataset.leave, body);
  });
})();
