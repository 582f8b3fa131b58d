"""`prelabel serve`: serve models over Label Studio's ML backend protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from annotator.cli.commandline import LOOPBACK, campaign_at, print_next_step, stop_requests, warn
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.prelabel.model_options import RecipeOptions
from annotator.cli.prelabel.options import FOLDER
from annotator.cli.shared_options import HomeOption
from panelwise.domain import AnnotatorError
from panelwise.runtime import server_address

PASSWORD, TOKEN = "PANELWISE_MODEL_PASSWORD", "LABEL_STUDIO_API_KEY"

EXAMPLES = """\b
Examples:
  prelabel serve --detector models/detector --tagger models/box-crf
  annotator push --ml-backend http://127.0.0.1:9090
"""


@click.command("serve", epilog=EXAMPLES, cls=SignatureCommand)
def command(
    models: RecipeOptions,
    host: Annotated[str, Option("Address to listen on.", default="127.0.0.1")],
    port: Annotated[int, Option("Port; 0 for any free.", type=click.IntRange(0, 65535), default=9090)],
    images: Annotated[
        Path | None,
        Option(
            "Folder that Label Studio serves: a campaign home or a copy of its images [default: --home].",
            type=FOLDER,
        ),
    ],
    studio: Annotated[
        str,
        Option(
            "Fetch images from here, with the token in LABEL_STUDIO_API_KEY.",
            "--label-studio",
            metavar="URL",
            default="",
        ),
    ],
    home: HomeOption,
) -> None:
    """Serve models to Label Studio, which pre-labels tasks when annotators open them.

    `annotator push --ml-backend URL` connects projects. For other machines, set a password in
    PANELWISE_MODEL_PASSWORD, or in the file that PANELWISE_MODEL_PASSWORD_FILE names.
    """
    from annotator.model_server.answers import Answers, ImageSource
    from annotator.model_server.app import ModelServer
    from panelwise.settings import secret_setting
    from prelabel.runs import FigureModel

    password = secret_setting(PASSWORD)
    if not password and host not in LOOPBACK:
        raise AnnotatorError(
            f"{host}: serving other machines needs a password; set {PASSWORD}, or {PASSWORD}_FILE"
        )
    if studio and server_address(studio) is None:
        raise AnnotatorError(f"{studio}: no address of a server; give one such as http://127.0.0.1:8080")
    source = ImageSource(
        _folder(images, studio, home), studio.rstrip("/"), secret_setting(TOKEN) if studio else ""
    )
    model = FigureModel(models.recipe(), warn=warn)
    server = ModelServer(Answers(model, source, warn), host=host, port=port, password=password)
    wait_for_stop = stop_requests()
    with server:
        click.echo(f"serving {model.version}: {server.address_for_others} (Ctrl-C stops)")
        print_next_step("prelabel serve", address=server.address_for_others)
        wait_for_stop()
    click.echo("stopped", err=True)


def _folder(images: Path | None, studio: str, home: Path | None) -> Path | None:
    """Return the folder of local files, None with --label-studio. Raises AnnotatorError if there is neither."""
    if images is not None:
        if not images.is_dir():
            raise AnnotatorError(f"{images}: no such folder; set --images to the folder that Label Studio serves")
        return images
    if studio:
        return None

    return campaign_at(home).path
