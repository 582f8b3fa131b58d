// Keys of the queue: j and k (or the arrows) go down and up the figures, Enter opens one, s opens the worst, / searches,
// [ and ] turn pages. Also: the filter works as it is changed, and filters are saved in this browser under a name.
"use strict";

(() => {
  const table = document.getElementById("queue");
  const start = document.getElementById("start");
  const search = document.getElementById("search");
  const sheet = document.getElementById("keys");
  const said = document.getElementById("said");
  const links = table ? [...table.querySelectorAll("td.figure a")] : [];

  const step = (by) => {
    if (!links.length) return;
    const now = links.indexOf(document.activeElement);
    const next = now < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(now + by, 0), links.length - 1);
    links[next].focus();
    links[next].closest("tr").scrollIntoView({ block: "nearest" });
  };

  const say = (text) => {
    if (said) said.textContent = text;
  };

  const turn = (rel) => {
    const link = document.querySelector(`.paging a[rel=${rel}]`);
    if (link) link.click();
  };

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    s: () => (start ? start.click() : say("No open figures here.")),
    "?": () => sheet && (sheet.open ? sheet.close() : sheet.showModal()),
    "/": () => search && search.select(),
    "[": () => turn("prev"),
    "]": () => turn("next"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const act = keys[event.key];
    if (!act) return;
    if (sheet?.open && event.key !== "?") return;
    event.preventDefault();
    say("");
    if (event.key === "/" && search) search.focus();
    act();
  });

  // -- the filter: what is empty stays out of the address ------------------------------------------------------

  const filters = document.getElementById("filters");
  if (filters) {
    filters.addEventListener("submit", () => {
      for (const field of filters.elements) if (field.name && field.value.trim() === "") field.disabled = true;
    });
    // Back from another page the fields must work again.
    window.addEventListener("pageshow", () => {
      for (const field of filters.elements) field.disabled = false;
    });
    filters.addEventListener("change", (event) => {
      if (event.target !== search) filters.requestSubmit();
    });
  }

  // -- saved filters: name -> address, in this browser, for this campaign and person --------------------------

  const saved = document.getElementById("saved");
  if (!saved) return;
  const list = saved.querySelector(".list");
  const keep = saved.querySelector("form");

  const read = () => {
    try {
      const found = JSON.parse(localStorage.getItem(saved.dataset.store) ?? "{}");
      return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
    } catch {
      return {};
    }
  };

  const write = (filters) => {
    try {
      localStorage.setItem(saved.dataset.store, JSON.stringify(filters));
      return true;
    } catch {
      return false;
    }
  };

  // Where a page begins is no part of a filter.
  const address = () => {
    const parts = new URLSearchParams(location.search);
    for (const name of ["page", "after", "before"]) parts.delete(name);
    return `?${parts}`;
  };

  const show = () => {
    const filters = read();
    const names = Object.keys(filters).sort((one, other) => one.localeCompare(other));
    list.replaceChildren(
      ...names.map((name) => {
        const item = document.createElement("span");
        item.setAttribute("role", "listitem");
        const link = document.createElement("a");
        // Only what follows the path: what is kept leads nowhere else.
        link.href = `${location.pathname}?${new URLSearchParams(String(filters[name]).replace(/^\?/, ""))}`;
        link.textContent = name;
        if (filters[name] === address()) link.setAttribute("aria-current", "page");
        const away = document.createElement("button");
        away.type = "button";
        away.className = "button plain";
        away.textContent = "✕";
        away.setAttribute("aria-label", `Delete filter ${name}`);
        away.addEventListener("click", () => {
          const rest = read();
          delete rest[name];
          write(rest);
          show();
        });
        item.append(link, away);
        return item;
      }),
    );
    saved.hidden = names.length === 0 && saved.dataset.filtered !== "yes";
  };

  keep.addEventListener("submit", (event) => {
    event.preventDefault();
    const field = keep.elements.namedItem("name");
    const name = field.value.trim();
    if (name === "") return;
    const told = write({ ...read(), [name]: address() });
    field.setCustomValidity(told ? "" : "This browser can't save filters for this page.");
    field.reportValidity();
    if (told) field.value = "";
    show();
  });

  show();
})();
