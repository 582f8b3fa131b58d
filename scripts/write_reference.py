"""Write docs/reference/commands.md from the commands' own help; with --check, only say whether it is fresh."""

from __future__ import annotations

import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import click

FILE = Path(__file__).parent.parent / "docs" / "reference" / "commands.md"
HEAD = """# Commands

For everyone who works in a terminal: what each command does, its arguments and its options, from the commands' own
help. `COMMAND --help` says more, with examples.

Exit status: 0 done; 1 an error, in one line, or a part left out and named; 2 wrong usage. Results go to
stdout, progress and errors to stderr; files are written whole or not at all. [Shared
options](#shared-options) are described at the end; `--home` is one of almost every command.
"""
#: Click's names of types, and what the page writes in their place.
SHORT = {"INTEGER RANGE": "N", "FLOAT RANGE": "X", "INTEGER": "N", "DIRECTORY": "DIR"}
#: Words of a description above which a later command only names the command that has it.
LONG = 6
Record = tuple[str, str]


def contexts(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for `command` and for every command below it."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    yield context
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from contexts(found, child, context)


def options(context: click.Context) -> list[Record]:
    """Return the options of a command, without --help and --version, each with its description."""
    found = []
    for each in context.command.get_params(context):
        record = each.get_help_record(context) if isinstance(each, click.Option) else None
        if record is not None and not {"--help", "--version"} & set(each.opts):
            names, text = record
            for long, short in SHORT.items():
                names = names.replace(f" {long}", f" {short}")
            # That a number may not be below 0 or 1 needs no words.
            text = re.sub(r"\s*\[x>=?[01](?:\.0)?\]|; x>=?[01](?:\.0)?(?=[];])", "", text)
            found.append((names, text))
    return found


def shared_options(listed: list[click.Context]) -> dict[str, Record]:
    """Return the options that two commands or more describe alike, by name; of several, the commonest."""
    counted = Counter(record for context in listed for record in options(context))
    found: dict[str, Record] = {}
    for record, count in counted.most_common():
        if count > 1:
            found.setdefault(record[0].split()[0], record)
    return dict(sorted(found.items()))


def section(context: click.Context, shared: dict[str, Record], earlier: dict[Record, str]) -> str:
    """Return a command's section: what it does, its own options, the names of those described elsewhere.

    earlier: options with the command above that describes them; this command's own are added.
    """
    command, path = context.command, context.command_path
    arguments = [each for each in command.collect_usage_pieces(context) if each != "[OPTIONS]"]
    parts = [f"{'###' if ' ' in path else '##'} {path}"]
    if not isinstance(command, click.Group) and arguments:
        parts.append(f"Arguments: `{' '.join(arguments)}`")
    summary, *details = _paragraphs(lambda formatter: command.format_help_text(context, formatter))
    parts += [summary, *(details if path == "panelwise" else ())]
    found = options(context)
    own = [record for record in found if record not in shared.values()]
    if fresh := [record for record in own if record not in earlier]:
        parts.append(_listed(fresh))
    above: dict[str, list[str]] = {}
    for record in own:
        if record in earlier:
            above.setdefault(earlier[record], []).append(f"`{record[0].split()[0]}`")
    earlier |= dict.fromkeys((each for each in fresh if len(each[1].split()) > LONG), path)
    for other, names in above.items():
        parts.append(_filled(f"As [`{other}`](#{other.replace(' ', '-')}): {', '.join(names)}"))
    names = [f"`{name}`" for name, record in shared.items() if record in found and name != "--home"]
    if names:
        parts.append(_filled(f"Shared: {', '.join(names)}"))
    return "\n\n".join(parts) + "\n"


def _paragraphs(write: Callable[[click.HelpFormatter], None]) -> Iterator[str]:
    """Yield the paragraphs of a help text as Markdown: options as code, given lines as they are."""
    formatter = click.HelpFormatter(width=100_000)
    write(formatter)
    for part in filter(None, formatter.getvalue().split("\n\n")):
        lines = textwrap.dedent(part.strip("\n")).rstrip().splitlines()
        if len(lines) > 1:
            yield "\n".join([lines[0], "", "```text", textwrap.dedent("\n".join(lines[1:])), "```"])
        else:
            yield _filled(re.sub(r"(?<![`\w/-])--[a-z][a-z-]*[a-z](?![^`]*`[^`]*$)", r"`\g<0>`", lines[0]))


def _filled(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 120, break_on_hyphens=False, break_long_words=False))


def _listed(records: list[Record]) -> str:
    """Return options with their descriptions in two columns, as wide as the site shows them."""
    formatter = click.HelpFormatter(width=86)
    formatter.indent()
    formatter.write_dl(records, col_max=24)
    return f"```text\n{formatter.getvalue().rstrip()}\n```"


def text() -> str:
    """Return the whole page."""
    from annotator.cli.agreement.main import group as agreement
    from annotator.cli.campaign.main import group as annotator
    from annotator.cli.panelwise import group as panelwise
    from annotator.cli.prelabel import group as prelabel

    programs = {"annotator": annotator, "agreement": agreement, "prelabel": prelabel}
    listed = [context for name, group in programs.items() for context in contexts(group, name)]
    shared = shared_options(listed)
    # The commands below `panelwise` are those of `annotator`.
    earlier: dict[Record, str] = {}
    sections = [section(context, shared, earlier) for context in (next(contexts(panelwise, "panelwise")), *listed)]
    return "\n".join([HEAD, *sections, f"## Shared options\n\n{_listed(list(shared.values()))}\n"])


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
