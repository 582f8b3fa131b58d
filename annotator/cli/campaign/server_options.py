"""Shared by push, pull and sync: the options that name the server, and the connection to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import options, warn

if TYPE_CHECKING:
    from annotator.annotation_server import AnnotationServer
    from annotator.campaign.home import Home
    from annotator.store.store import Store


#: Add `--phase`, `--annotator` (repeatable; parameter `annotators`), `--url` and `--token`.
server_options = options(
    click.option("--phase", help="Only this phase [default: all]."),
    click.option("--annotator", "annotators", multiple=True, help="Only this annotator (repeatable)."),
    click.option("--url", help="Address of Label Studio [default: LABEL_STUDIO_URL, else its own]."),
    click.option("--token", help="Label Studio's access token [default: LABEL_STUDIO_API_KEY]."),
)
#: Add `--no-prelabels` and `--images-on-server`.
push_options = options(
    click.option("--no-prelabels", is_flag=True, help="Push tasks without pre-labels."),
    click.option(
        "--images-on-server",
        metavar="DIR",
        help="Path of the campaign's images on Label Studio's machine, if another.",
    ),
)


def warn_of_shared_work(server: AnnotationServer) -> None:
    """Print a warning if every account of the server can open every project."""
    if not server.isolates_annotators():
        warn(
            f"warning: annotators can see each other's work: {server.url} lets every account open, change and "
            "delete every project; use the campaign's own Label Studio or the compose file, which isolate them "
            "(docs/how-to/keep-label-studio-in-step.md)"
        )


@contextmanager
def at_server(
    folder: Path | None, phase: str | None, annotators: tuple[str, ...], url: str | None, token: str | None
) -> Iterator[tuple[Home, Store, AnnotationServer]]:
    """Open the campaign's store and connect to the server, once it is known that anything is assigned."""
    from annotator.campaign.home import Home
    from annotator.sync.projects import assigned, done_in_panelwise

    home = Home.find(folder)
    with home.open_store() as store:
        assigned(store, phase, annotators or None, home.campaign)  # before a server is started in vain
        for line in done_in_panelwise(home.campaign) if phase is None else ():
            warn(f"note: {line}")
        with connected(home, url, token) as server:
            yield home, store, server


def connected(home: Home, url: str | None, token: str | None) -> AbstractContextManager[AnnotationServer]:
    """Connect to the server of the options or the campaign; else to the campaign's own, started if needed."""
    from annotator.campaign import connect

    return connect.connected(home, url, token, report=warn)
