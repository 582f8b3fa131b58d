"""The `agreement` command."""

from __future__ import annotations

import click

from agreement.cli.compare import compare
from agreement.cli.consensus import consensus
from agreement.cli.report import report
from annotator.commandline import run


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: agreement report annotations.jsonl",
)
@click.version_option(package_name="panelwise", prog_name="agreement")
def group() -> None:
    """How far annotators agree, with each other and with gold."""


for _command in (report, compare, consensus):
    group.add_command(_command)


def main() -> None:
    """Entry point of the console script."""
    run(group)
