"""The `annotator` command."""

from __future__ import annotations

import click

from annotator.cli.commandline import LazyGroup, run

COMMANDS = (
    "assign",
    "backup",
    "check",
    "corpus",
    "demo",
    "doctor",
    "export",
    "import",
    "init",
    "jobs",
    "pull",
    "push",
    "release",
    "restore",
    "serve",
    "status",
    "store",
    "studio",
    "sync",
    "up",
    "user",
    "withdraw",
)


@click.group(
    "annotator",
    cls=LazyGroup,
    lazy={name: f"annotator.cli.campaign.{'import_' if name == 'import' else name}:command" for name in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: annotator demo",
)
@click.version_option(package_name="panelwise", prog_name="annotator")
def group() -> None:
    """Run an annotation campaign, from compound figures and captions to gold data."""


def main() -> None:
    """Entry point of the console script."""
    run(group)
