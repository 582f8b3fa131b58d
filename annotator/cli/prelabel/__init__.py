"""The `prelabel` command. Heavy modules are imported only by the commands that need them."""

from __future__ import annotations

from annotator.cli.commandline import program, run

COMMANDS = (
    "run",
    "serve",
    "captions",
    "evaluate",
    "effort",
    "synth",
    "compose",
    "statistics",
    "classify",
    "train",
    "tune",
)


group = program(
    "prelabel",
    "Predict the subfigures and subcaptions of compound figures, for annotators to correct.",
    {name: f"annotator.cli.prelabel.{name}:command" for name in COMMANDS},
    example="Example: prelabel run figures.jsonl --out predictions.jsonl",
)


def main() -> None:
    """Entry point of the console script."""
    run(group)
