"""The `prelabel` command. Heavy modules are imported only by the commands that need them."""

from __future__ import annotations

import click

from annotator.cli.commandline import LazyGroup, run

COMMANDS = (
    "run",
    "serve",
    "captions",
    "evaluate",
    "effort",
    "synth",
    "statistics",
    "classify",
    "train",
    "tune",
)


@click.group(
    "prelabel",
    cls=LazyGroup,
    lazy={name: f"annotator.cli.prelabel.{name}:command" for name in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: prelabel run figures.jsonl --out predictions.jsonl",
)
@click.version_option(package_name="panelwise", prog_name="prelabel")
def group() -> None:
    """Predict the subfigures and subcaptions of compound figures, for annotators to correct."""


def main() -> None:
    """Entry point of the console script."""
    run(group)
