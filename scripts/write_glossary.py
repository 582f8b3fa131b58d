"""Write docs/reference/glossary.md from the glossary; with --check, only say whether it is fresh."""

from __future__ import annotations

import sys
from pathlib import Path

from panelwise.domain.glossary import GLOSSARY

FILE = Path(__file__).parent.parent / "docs" / "reference" / "glossary.md"
HEAD = """# Terms

For everyone: the terms that pages and reports mark with a question mark, where a press shows the same words.
"""


def text() -> str:
    """Return the page: a heading for each term."""
    parts = [f"## {term.name}\n\n{term.meaning}\n" for term in GLOSSARY.values()]
    return "\n".join([HEAD, *parts])


def main() -> int:
    fresh = text()
    if "--check" not in sys.argv:
        FILE.write_text(fresh, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != fresh:
        print(f"{FILE}: stale; run scripts/write_glossary.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
