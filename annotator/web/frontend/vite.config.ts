import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const here = fileURLToPath(new URL(".", import.meta.url));
// Packages that ship no licence text, and Svelte's runtime, which Annotorious carries inside its own build.
const TEXTS: Record<string, string> = {
  "@annotorious/annotorious": "annotorious.txt",
  "@annotorious/core": "annotorious.txt",
};

/** Writes what the licences of the packages in the bundle ask for: every one that is not for development only. */
function licences(): Plugin {
  return {
    name: "third-party-licences",
    generateBundle() {
      const lock = JSON.parse(readFileSync(`${here}package-lock.json`, "utf8"));
      const parts: string[] = [];
      for (const [path, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
        if (path === "" || entry["dev"] || entry["optional"] || entry["devOptional"] || entry["peer"]) continue;
        const name = path.replace(/^.*node_modules\//, "");
        parts.push(part(name, String(entry["version"]), String(entry["license"]), textOf(path, name)));
      }
      const svelte = readFileSync(`${here}licenses/svelte.txt`, "utf8");
      parts.push(part("svelte", "4, the runtime within @annotorious/annotorious", "MIT", svelte));
      const source = `Third-party software in adjudication.js and adjudication.css\n\n${parts.join("\n")}`;
      this.emitFile({ type: "asset", fileName: "THIRD_PARTY_LICENSES.txt", source });
    },
  };
}

function textOf(path: string, name: string): string {
  const known = TEXTS[name];
  if (known) return readFileSync(`${here}licenses/${known}`, "utf8");
  const file = readdirSync(here + path).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} ships no licence text: add one to licenses/ and to TEXTS in vite.config.ts`);
  return readFileSync(`${here}${path}/${file}`, "utf8");
}

function part(name: string, version: string, licence: string, text: string): string {
  const rule = "-".repeat(100);
  return `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

export default defineConfig({
  base: "./",
  publicDir: false,
  plugins: [licences()],
  build: {
    target: "es2022",
    outDir: "../static/dist",
    // manifest.json there is the work of scripts/check_assets.py.
    emptyOutDir: false,
    sourcemap: false,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: true,
    rolldownOptions: {
      input: `${here}src/main.tsx`,
      output: {
        format: "iife",
        entryFileNames: "adjudication.js",
        assetFileNames: "adjudication.[ext]",
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
