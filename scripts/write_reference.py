"""Write docs/reference/commands.md from the commands' own help; with --check, only say whether it is fresh."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

FILE = Path(__file__).parent.parent / "docs" / "reference" / "commands.md"
HEAD = """# Commands

Written from the commands' own help by `scripts/write_reference.py`; a test keeps it fresh.

Exit status: 0 done; 1 an error, in one line, or a part left out and named; 2 wrong usage. Results go to
stdout, progress and errors to stderr. A campaign's home is `--home DIR`, else `PANELWISE_HOME`, else the current
directory.
"""


def commands(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Every command below and including `command`, with its help."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(found, child, context)


def text() -> str:
    """The whole page."""
    from annotator.cli.agreement.main import group as agreement
    from annotator.cli.campaign.main import group as annotator
    from annotator.cli.panelwise import group as panelwise
    from annotator.cli.prelabel import group as prelabel

    parts = [HEAD]
    context = click.Context(panelwise, info_name="panelwise", max_content_width=100, terminal_width=100)
    parts.append(f"## panelwise\n\n```text\n{panelwise.get_help(context).rstrip()}\n```\n")
    for name, group in (("annotator", annotator), ("agreement", agreement), ("prelabel", prelabel)):
        for path, help_text in commands(group, name):
            parts.append(f"{'##' if ' ' not in path else '###'} {path}\n\n```text\n{help_text.rstrip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    fresh = text()
    if "--check" in sys.argv:
        if FILE.read_text(encoding="utf-8") == fresh:
            return 0
        print(f"{FILE}: stale; run scripts/write_reference.py")
        return 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
