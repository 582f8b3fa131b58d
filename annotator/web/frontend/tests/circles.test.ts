/// <reference types="vite/client" />
/** No file of the screen imports itself by way of others, not even for types: each can be read after those below it. */

import { expect, test } from "vitest";

const SOURCES = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** The paths that a source imports of the others, without what they end in. */
function imports(path: string, source: string): string[] {
  return [...source.matchAll(/from "(\.[^"]+)"/g)].map(([, to]) => new URL(to as string, `file:${path}`).pathname);
}

test("imports run in no circle", () => {
  const named = Object.entries(SOURCES).map(([address, source]) => {
    const own = new URL(address, "file:/tests/").pathname;
    return [own.replace(/\.tsx?$/, ""), imports(own, source)] as const;
  });
  const left = new Map(named);
  expect(left.size).toBeGreaterThan(30);
  expect(left.get("/src/session/session")).toContain("/src/session/body");
  for (let free = [...left.keys()]; free.length > 0; ) {
    free = [...left].filter(([, needed]) => needed.every((each) => !left.has(each))).map(([name]) => name);
    for (const name of free) left.delete(name);
  }
  expect([...left.keys()]).toEqual([]);
});
