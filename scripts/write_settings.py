"""Write the lists of docs/reference/campaign.md from the settings' texts; with --check, only say if it is fresh.

Everything else on the page is written by hand: under a heading below, the first list is replaced.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path

from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.setting import Row, setting_rows
from panelwise.settings.campaign_toml import TABLES, usual_value
from panelwise.settings.release_table import Author

FILE = Path(__file__).parent.parent / "docs" / "reference" / "campaign.md"
#: The table that is listed below each heading.
SECTIONS = {
    "## The campaign": Campaign,
    "## A phase": Phase,
    "## Release": TABLES["release"],
    "### Authors": Author,
    **{f"### [{name}]": table for name, table in TABLES.items() if name != "release"},
}
WIDTH = 125


def entries(table: type) -> Iterator[str]:
    """Yield a list entry for each setting of a table; settings that are tables come last."""
    for row in sorted(setting_rows(table).values(), key=lambda row: is_dataclass(row.element)):
        default = usual(row)
        text = f"- `{row.key}`{f' ({default})' if default else ''}: {row.setting.text}{allowed(row)}"
        yield "\n".join(
            textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
        )


def usual(row: Row) -> str:
    """Return the default of a setting, "" for none."""
    if row.required and not row.setting.default:
        return "required"
    if row.setting.default or row.default in ("", None, ()):
        return row.setting.default
    return f"`{usual_value(row)}`"


def allowed(row: Row) -> str:
    """Return what a setting may hold, where its default and text do not say it."""
    if row.setting.limits and not row.setting.limits.endswith(" up"):
        return f"; {row.setting.limits}"
    if isinstance(row.kind, type) and issubclass(row.kind, Enum):
        return f"; one of {', '.join(f'`{choice.value}`' for choice in row.kind)}"
    return f"; for example `{row.setting.example}`" if row.setting.example else ""


def text() -> str:
    """Return the whole page."""
    parts: list[str] = []
    table: type | None = None
    listing = False
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            table, listing = SECTIONS.get(line), False
        if table is not None and line.startswith("- "):
            parts += entries(table)
            table, listing = None, True
        elif not listing or not line.startswith(("- ", "  ")):
            parts.append(line)
            listing = False
    return "\n".join(parts) + "\n"


def main() -> int:
    fresh = text()
    missing = [heading for heading in SECTIONS if f"\n{heading}\n" not in fresh]
    if missing:
        print(f"{FILE}: has no heading {missing[0]}; add it with a list below it")
        return 1
    if "--check" not in sys.argv:
        FILE.write_text(fresh, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != fresh:
        print(f"{FILE}: stale; run scripts/write_settings.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
