"""Are the built assets of the adjudication screen those of its sources?

Compares hashes of the sources in annotator/web/frontend, and of the built files in annotator/web/static/dist, with
the manifest there. --write: take them as they are, after a build. --rebuild: build again, where node and
node_modules are at hand, and compare byte by byte. Exit status 1, and one line, where they are stale.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "annotator" / "web" / "frontend"
BUILT = ROOT / "annotator" / "web" / "static" / "dist"
#: What the build reads; tests are no part of it.
PATTERNS = (
    "src/**/*",
    "licenses/*",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
    ".npmrc",
)
MANIFEST = "manifest.json"


def digest(path: Path) -> str:
    """SHA-256 of a text file, line ends as on Unix: git may have turned them."""
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def sources(folder: Path = SOURCES) -> dict[str, str]:
    """Digest of each source file, by its path within `folder`."""
    files = {file for pattern in PATTERNS for file in folder.glob(pattern) if file.is_file()}
    return {file.relative_to(folder).as_posix(): digest(file) for file in sorted(files)}


def built(folder: Path = BUILT) -> dict[str, str]:
    """Digest of each built file, by name; the manifest itself is left out."""
    if not folder.is_dir():
        return {}
    return {
        file.name: digest(file) for file in sorted(folder.iterdir()) if file.is_file() and file.name != MANIFEST
    }


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """Names that were added, removed or altered."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def stale(source_folder: Path = SOURCES, built_folder: Path = BUILT) -> list[str]:
    """List the differences from the manifest; empty if all is fresh."""
    manifest = built_folder / MANIFEST
    if not manifest.is_file():
        return [MANIFEST]
    try:
        known = json.loads(manifest.read_text(encoding="utf-8"))
        before, before_built = dict(known["sources"]), dict(known["built"])
    except (ValueError, KeyError, TypeError):
        return [MANIFEST]
    return changed(before, sources(source_folder)) + changed(before_built, built(built_folder))


def write(source_folder: Path = SOURCES, built_folder: Path = BUILT) -> None:
    """Take sources and built files as they are."""
    known = {"sources": sources(source_folder), "built": built(built_folder)}
    (built_folder / MANIFEST).write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def rebuild() -> list[str] | None:
    """Names of built files that a build from scratch makes otherwise; None where it cannot be done here."""
    node, vite = shutil.which("node"), SOURCES / "node_modules" / "vite" / "bin" / "vite.js"
    if node is None or not vite.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = [node, str(vite), "build", "--outDir", folder, "--logLevel", "warn"]
        done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return [f"the build itself: {(done.stderr or done.stdout).strip().splitlines()[-1]}"]
        return changed(built(Path(folder)), built())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="take the files as they are, after a build")
    parser.add_argument("--rebuild", action="store_true", help="build again and compare, where node is at hand")
    asked = parser.parse_args()
    if asked.write:
        write()
        return 0
    found = stale()
    if not found and asked.rebuild:
        again = rebuild()
        if again is None:
            print("not rebuilt: node or annotator/web/frontend/node_modules is missing", file=sys.stderr)
        found = again or []
    if found:
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        print(
            f"annotator/web/static/dist is stale ({', '.join(found[:3])}{more}); run make assets", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
