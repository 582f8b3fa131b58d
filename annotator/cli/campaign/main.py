"""The `annotator` command."""

from __future__ import annotations

from annotator.cli.commandline import program, run

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


group = program(
    "annotator",
    "Run an annotation campaign, from compound figures and captions to gold data.",
    {name: f"annotator.cli.campaign.{'import_' if name == 'import' else name}:command" for name in COMMANDS},
    example="Start with: annotator demo",
)


def main() -> None:
    """Entry point of the console script."""
    run(group)
