// Settling together: what a reviewer took the tick away from stays without it, in this browser, until they tick it
// again or somebody settles it.
"use strict";

(() => {
  const form = document.getElementById("finish");
  if (!form) return;
  const { store } = form.dataset;
  const boxes = [...form.querySelectorAll("input[name=figure]")];
  const many = document.getElementById("many");
  const nameOf = (box) => box.value.slice(box.value.indexOf(" ") + 1);

  const read = () => {
    try {
      const found = JSON.parse(localStorage.getItem(store) ?? "[]");
      return new Set(Array.isArray(found) ? found : []);
    } catch {
      return new Set();
    }
  };

  const write = (names) => {
    try {
      localStorage.setItem(store, JSON.stringify([...names].slice(-1000)));
    } catch {
      // Without a place to keep it the ticks are as the page has them.
    }
  };

  const count = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    if (many) many.textContent = String(ticked);
    const button = many?.closest("button");
    if (button) button.disabled = ticked === 0;
  };

  const unticked = read();
  for (const box of boxes) if (unticked.has(nameOf(box))) box.checked = false;
  count();

  form.addEventListener("change", (event) => {
    if (!boxes.includes(event.target)) return;
    const names = read();
    const name = nameOf(event.target);
    names.delete(name);
    if (!event.target.checked) names.add(name);
    write(names);
    count();
  });
})();
