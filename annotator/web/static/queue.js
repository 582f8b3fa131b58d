// Keys of the queue: j and k (or the arrows) go down and up the figures, Enter opens one, s opens the worst.
"use strict";

(() => {
  const table = document.getElementById("queue");
  const start = document.getElementById("start");
  const links = table ? [...table.querySelectorAll("td.figure a")] : [];

  const step = (by) => {
    if (!links.length) return;
    const now = links.indexOf(document.activeElement);
    const next = now < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(now + by, 0), links.length - 1);
    links[next].focus();
    links[next].closest("tr").scrollIntoView({ block: "nearest" });
  };

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    s: () => start && start.click(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
})();
