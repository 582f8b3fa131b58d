"""The `panelwise` command: the entry point after installing the package."""

from __future__ import annotations

import click

from annotator.cli.commandline import LazyGroup, run


@click.group(
    "panelwise",
    cls=LazyGroup,
    lazy={name: f"annotator.cli.campaign.{name}:command" for name in ("demo", "up")},
    program="annotator",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: panelwise demo",
)
@click.version_option(package_name="panelwise", prog_name="panelwise")
def group() -> None:
    """Panelwise: from compound scientific figures and captions to trusted gold data.

    \b
    Its commands, each with --help:
      annotator  run a campaign: figures, Label Studio, adjudication, gold, releases
      prelabel   boxes and subcaptions for annotators to correct; train and score models
      agreement  how well annotators agree, and models with gold
    """


def main() -> None:
    """Entry point of the console script."""
    run(group)
