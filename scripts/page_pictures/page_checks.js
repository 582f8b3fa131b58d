// Returns what is wrong with a page, for picture_pages.py: what no rule of axe names.
() => {
  const COUNTS = /\b1 (figures|tasks|annotations|panels|subfigures|people|items|pairs|others)\b/g;
  const VALUES = /\bundefined \w+|\bNaN\b|\[object|\{\{|(?<!http)\(s\)/g;
  const COMMANDS = /\b(annotator|agreement|prelabel) (import|export|push|pull|user|status|serve|report|run|assign|sync|store|up)\b/g;
  const OPTIONS = /(?<= )--[a-z]+/g;
  const RUN_ON = /\b[a-z]{3,}[.:;][A-Z][a-z]+/g;
  // A term stands in a sentence, and its line is as high as the others.
  const CONTROLS = "button:not(.term), select, input, textarea, summary, a.button, nav a";
  // Rows that show in full what is chosen, and keys that scroll in their own line.
  const MAY_BE_CUT = ".aj-text, .caption, .name, .hint";
  const wrong = new Set();
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const name = (element) =>
    `<${element.localName} ${element.className || element.id}> ${(element.innerText || element.value || "").slice(0, 40)}`;

  for (const heading of document.querySelectorAll("h1, h2, h3, th, summary, legend")) {
    if (shown(heading) && !heading.textContent.trim()) wrong.add(`empty: ${name(heading)}`);
  }
  const text = document.body.innerText;
  for (const [kind, pattern] of Object.entries({ words: COUNTS, value: VALUES, command: COMMANDS, option: OPTIONS, "no space": RUN_ON })) {
    for (const match of text.match(pattern) ?? []) wrong.add(`${kind}: ${match}`);
  }
  for (const element of document.querySelectorAll("main *")) {
    if (element.clientWidth <= 8 || element.clientHeight <= 8 || element.matches(MAY_BE_CUT) || element.title) continue;
    if (!element.innerText?.trim()) continue;
    const hides = getComputedStyle(element).overflowX === "hidden";
    if (shown(element) && hides && element.scrollWidth > element.clientWidth + 1) wrong.add(`cut: ${name(element)}`);
  }
  for (const control of document.querySelectorAll(CONTROLS)) {
    const box = control.getBoundingClientRect();
    const height = Math.max(box.height, control.closest("label")?.getBoundingClientRect().height ?? 0);
    // What is hidden from sight only is one pixel wide.
    if (!shown(control) || box.width <= 2) continue;
    if (height < 23.5) wrong.add(`low, ${height.toFixed()} pixels: ${name(control)}`);
    const beside = box.right > innerWidth + 1 || box.left < -1;
    if (beside && !control.closest(".scroll, pre, .hints")) wrong.add(`outside the window: ${name(control)}`);
  }
  return [...wrong];
}
