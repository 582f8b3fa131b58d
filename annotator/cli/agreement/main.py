"""The `agreement` command."""

from __future__ import annotations

import os

from annotator.cli.commandline import program, run

COMMANDS = ("compare", "consensus", "report")


group = program(
    "agreement",
    "Measure the agreement of annotators and models, with each other and with gold.",
    {name: f"annotator.cli.agreement.{name}:{name}" for name in COMMANDS},
    example="Start with: agreement report annotations.jsonl",
)


def main() -> None:
    """Entry point of the console script."""
    # The products of resampling are too narrow for threads, which would cost twice the processor's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(group)
