// Shows the names in a field as the server will read them, a chip for each.
"use strict";

for (const field of document.querySelectorAll("textarea.names")) {
  const chips = Object.assign(document.createElement("span"), { className: "chips", ariaLive: "polite" });
  field.after(chips);
  const show = () => {
    const names = field.value.split(/[,;\r\n]/).map((name) => name.trim()).filter(Boolean);
    chips.replaceChildren(
      ...names.map((name) => Object.assign(document.createElement("span"), { className: "tag", textContent: name })),
    );
  };
  field.addEventListener("input", show);
  show();
}
