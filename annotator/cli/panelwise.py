"""The `panelwise` command: the entry point after installing the package."""

from __future__ import annotations

from annotator.cli.commandline import program, run

ABOUT = """Panelwise: from compound scientific figures and captions to trusted gold data.

\b
Its commands, each with --help:
  annotator  run a campaign: figures, Label Studio, adjudication, gold, releases
  prelabel   boxes and subcaptions for annotators to correct; train and score models
  agreement  how well annotators agree, and models with gold
"""
group = program(
    "panelwise",
    ABOUT,
    {name: f"annotator.cli.campaign.{name}:command" for name in ("demo", "up")},
    example="Start with: panelwise demo",
    next_steps_of="annotator",
)


def main() -> None:
    """Entry point of the console script."""
    run(group)
