"""The `agreement` command."""

from __future__ import annotations

import os

import click

from annotator.cli.commandline import LazyGroup, run

COMMANDS = ("compare", "consensus", "report")


@click.group(
    "agreement",
    cls=LazyGroup,
    lazy={name: f"annotator.cli.agreement.{name}:{name}" for name in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: agreement report annotations.jsonl",
)
@click.version_option(package_name="panelwise", prog_name="agreement")
def group() -> None:
    """Measure the agreement of annotators and models, with each other and with gold."""


def main() -> None:
    """Entry point of the console script."""
    # The products of resampling are too narrow for threads, which would cost twice the processor's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(group)
