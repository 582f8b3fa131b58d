"""Licences of the front-end code that Panelwise ships: each allowed, signed off, and its text shipped beside it.

What is shipped is what annotator/web/frontend/package-lock.json has for more than development. Signed off is what
docs/security/licences.md lists, with version and licence: a person has looked at each line. --write brings the
page's table up to date after somebody has; without it, exit status 1 and a line for each thing that is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "annotator" / "web" / "frontend" / "package-lock.json"
TEXTS = ROOT / "annotator" / "web" / "static" / "dist" / "THIRD_PARTY_LICENSES.txt"
PAGE = ROOT / "docs" / "security" / "licences.md"
#: Licences whose terms are met by shipping their text.
ALLOWED = frozenset({"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"})
#: What is in the bundle though the lock does not name it: within which package, version and licence.
WITHIN = {"svelte": ("4, the runtime within @annotorious/annotorious", "MIT")}
#: Words of which each of those licences has at least one.
_WORDS = ("Permission is hereby granted", "Redistribution and use", "Permission to use", "Apache License")
_RULE = "-" * 100
_START, _END = "<!-- table -->\n", "<!-- end of table -->\n"


@dataclass(frozen=True, order=True)
class Shipped:
    """A package in the bundle."""

    name: str
    version: str
    licence: str


def shipped(lock: Mapping[str, Any]) -> list[Shipped]:
    """The packages of a lock that get into the bundle, and what comes within them; by name."""
    found = [Shipped(name, *rest) for name, rest in WITHIN.items()]
    for path, entry in lock["packages"].items():
        if path and not any(entry.get(key) for key in ("dev", "optional", "devOptional", "peer")):
            name = path.rpartition("node_modules/")[2]
            found.append(Shipped(name, str(entry.get("version", "")), str(entry.get("license", ""))))
    return sorted(found)


def texts(file: str) -> dict[str, str]:
    """The licence texts of the bundle, by the line that heads each."""
    parts = file.split(_RULE)
    return {head.strip(): body.strip() for head, body in zip(parts[1::2], parts[2::2], strict=True)}


def signed_off(page: str) -> set[Shipped]:
    """Return the entries of the page's table."""
    inside = page.partition(_START)[2].partition(_END)[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", inside, re.MULTILINE)
    return {Shipped(name, version.strip(), licence.strip()) for name, version, licence in rows}


def table(packages: list[Shipped]) -> str:
    """The page's table."""
    rows = "".join(f"| `{each.name}` | {each.version} | {each.licence} |\n" for each in packages)
    return f"| package | version | licence |\n|---|---|---|\n{rows}"


def problems(lock: Mapping[str, Any], bundled: str, page: str) -> list[str]:
    """A line for each thing that is wrong."""
    found = []
    there, agreed, known = shipped(lock), signed_off(page), texts(bundled)
    for each in there:
        head = f"{each.name} {each.version} ({each.licence})"
        if each.licence not in ALLOWED:
            found.append(f"{head}: its licence is not among those allowed; ask before it is shipped")
        if each not in agreed:
            found.append(f"{head}: nobody has signed it off; look at it, then scripts/check_licences.py --write")
        text = known.get(head, "")
        if not any(word in text for word in _WORDS):
            found.append(f"{head}: its licence's text is not shipped; make assets")
    names = {each.name for each in there}
    found += [
        f"{each.name}: is signed off, and shipped no more" for each in sorted(agreed) if each.name not in names
    ]
    heads = {f"{each.name} {each.version} ({each.licence})" for each in there}
    found += [f"{head}: its text is shipped, and it is not" for head in known if head not in heads]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="bring the page's table up to date: you have looked")
    asked = parser.parse_args()
    lock = json.loads(LOCK.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    if asked.write:
        before, _, rest = page.partition(_START)
        page = before + _START + table(shipped(lock)) + _END + rest.partition(_END)[2]
        PAGE.write_text(page, encoding="utf-8")
    found = problems(lock, TEXTS.read_text(encoding="utf-8"), page)
    print(
        "\n".join(found)
        or f"{len(shipped(lock))} packages in the front end: licences allowed, signed off, shipped"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
