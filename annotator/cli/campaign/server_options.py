"""Shared by push, pull and sync: the options that name the server, and the connection to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import options, warn
from panelwise.domain.errors import SyncError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.label_studio.client import LabelStudioServer
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


def warn_of_shared_work(server: LabelStudioServer) -> None:
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
) -> Iterator[tuple[Home, Store, LabelStudioServer]]:
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


@contextmanager
def connected(home: Home, url: str | None, token: str | None) -> Iterator[LabelStudioServer]:
    """Connect to the server of the options or the campaign; else to the campaign's own, started if needed."""
    from annotator.label_studio.client import LabelStudioServer
    from annotator.label_studio.embedded import server as embedded

    public_url = home.label_studio.public_url if url in (None, home.label_studio.url) else ""
    url = (url or home.label_studio.url).rstrip("/")
    token = token or home.label_studio.token
    if url:
        own = embedded.running(home.path)
        if not token and own is not None and own.url == url:
            token = own.token
        with LabelStudioServer(url, token, public_url=public_url) as server:
            yield server
        return
    if token and home.label_studio.token != token:
        raise SyncError("--token without --url: the campaign's own server has its own token; add --url")
    with (
        embedded.label_studio(home.path, report=warn) as studio,
        LabelStudioServer(studio.url, studio.token) as server,
    ):
        yield server
