"""Check that the lock files name no host and no path, carry a hash for every package, and match pyproject.toml."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = [*sorted((ROOT / "requirements").glob("*.txt")), ROOT / "annotator/label_studio/embedded/requirements.txt"]
LOCATION = re.compile(r"://|(^|\s)(/|\.\./)|--(index-url|find-links|extra-index-url)")
#: Which extras each lock must hold beside the base dependencies.
EXTRAS = {
    "base": ("postgres",),
    "dev": ("coco", "corpus", "dev", "fast", "postgres", "release"),
    "models": ("coco", "corpus", "dev", "fast", "models", "ocr", "oracles", "postgres", "ray", "release", "tune"),
    "serving": ("models", "postgres"),
}


def normal(requirement: str) -> str:
    """The package's normalised name."""
    name = re.split(r"[\s\[<>=!~;]", requirement.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    problems = []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for lock in LOCKS:
        name = lock.relative_to(ROOT)
        locked: dict[str, int] = {}
        current = ""
        for number, line in enumerate(lock.read_text().splitlines(), start=1):
            if LOCATION.search(line):
                problems.append(f"{name}:{number}: names a place; lock again with `make lock`")
            if line and not line[0].isspace() and not line.startswith("#"):
                current = normal(line)
                locked.setdefault(current, 0)
            elif "--hash=" in line:
                locked[current] += 1
        problems += [f"{name}: {package} has no hash" for package, hashes in locked.items() if not hashes]
        for extra in EXTRAS.get(lock.stem, ()) if lock.parent.name == "requirements" else ():
            wanted = [*project["dependencies"], *project["optional-dependencies"][extra]]
            problems += [
                f"{name}: lacks {normal(each)}; lock again with `make lock`"
                for each in wanted
                if normal(each) not in locked
            ]
    print("\n".join(problems) or f"{len(LOCKS)} lock files name no place, every package has a hash")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
