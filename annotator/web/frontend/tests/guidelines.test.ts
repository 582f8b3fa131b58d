/** The guidelines panel draws every construct of Markdown; guidelines.json is what the server makes of guidelines.md. */

import { isValidElement, type ComponentChildren, type VNode } from "preact";
import { describe, expect, test } from "vitest";
import { GuidelinePanel } from "../src/frame/guideline";
import type { GuidelineText, Piece } from "../src/wire/types";
import SENT from "./guidelines.json";

/** Renders without a DOM: components are called, elements become their tag with what is in them. */
function drawn(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(drawn).join("");
  if (!isValidElement(node)) return String(node);
  const { type, props } = node as VNode<{ children?: ComponentChildren }>;
  if (typeof type === "function") return drawn((type as (given: unknown) => ComponentChildren)(props));
  return `<${type}>${drawn(props.children)}</${type}>`;
}

const panel = (blocks: readonly Piece[]): string => {
  const text: GuidelineText = { version: "1", blocks };
  return drawn(GuidelinePanel({ screen: { over: "guideline", guideline: text }, onClose: () => undefined }));
};

const KINDS = [
  ...["h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "hr", "br", "a"],
  ...["table", "thead", "tbody", "tr", "th", "td"],
];

describe("the guidelines panel", () => {
  test("draws a file that has every construct of Markdown", () => {
    const html = panel(SENT.blocks);
    for (const kind of KINDS) expect(html, kind).toContain(`<${kind}>`);
    expect(html).toContain("<br></br>");
    expect(html).toContain("<hr></hr>");
    expect(html).toContain("<li></li>");
    expect(html).toContain("<td></td>");
    expect(html).toContain("<tr><th>only</th><th>a head</th></tr>");
    expect(html).not.toContain("<a></a>");
  });
  test.each(["hr", "br", "td", "li", "h1", "p", "blockquote", "a", "unknown"])(
    "draws an empty %s that comes without children",
    (tag) => {
      const piece = { tag, href: "https://example.org/" } as unknown as Piece;
      expect(panel([{ tag: "p", children: ["before", piece, "after"] }])).toMatch(/<p>before(<[^>]+><\/[^>]+>)?after<\/p>/);
    },
  );
});
