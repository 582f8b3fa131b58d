"""Shared by push, pull and sync: the options that name the server, and the connection to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotator.cli.commandline import warn
from annotator.cli.parameters import Option, OptionGroup
from annotator.cli.shared_options import StudioToken, StudioUrl

if TYPE_CHECKING:
    from annotator.annotation_server import AnnotationServer
    from annotator.campaign.home import Home
    from annotator.store.store import Store


class ServerOptions(OptionGroup):
    """The server, and the annotators whose work is exchanged with it."""

    phase: Annotated[str | None, Option("Only this phase [default: all].")]
    annotators: Annotated[tuple[str, ...], Option("Only this annotator (repeatable).", "--annotator")]
    url: StudioUrl
    token: StudioToken


class PushOptions(OptionGroup):
    """Options of a push."""

    no_prelabels: Annotated[bool, Option("Push tasks without pre-labels.")]
    images_on_server: Annotated[
        str | None,
        Option("Path of the campaign's images on Label Studio's machine, if another.", metavar="DIR"),
    ]


def warn_of_shared_work(server: AnnotationServer) -> None:
    """Print a warning if every account of the server can open every project."""
    if not server.isolates_annotators():
        warn(
            f"warning: annotators can see each other's work: {server.url} lets every account open, change and "
            "delete every project; use the campaign's own Label Studio or the compose file, which isolate them "
            "(docs/how-to/keep-label-studio-in-step.md)"
        )


@contextmanager
def at_server(folder: Path | None, chosen: ServerOptions) -> Iterator[tuple[Home, Store, AnnotationServer]]:
    """Open the campaign's store and connect to the server, once it is known that anything is assigned."""
    from annotator.campaign.home import Home
    from annotator.sync.projects import assigned, done_in_panelwise

    home = Home.find(folder)
    with home.open_store() as store:
        # Before a server is started in vain.
        assigned(store, chosen.phase, chosen.annotators or None, home.campaign)
        for line in done_in_panelwise(home.campaign) if chosen.phase is None else ():
            warn(f"note: {line}")
        with connected(home, chosen.url, chosen.token) as server:
            yield home, store, server


def connected(home: Home, url: str | None, token: str | None) -> AbstractContextManager[AnnotationServer]:
    """Connect to the server of the options or the campaign; else to the campaign's own, started if needed."""
    from annotator.campaign import connect

    return connect.connected(home, url, token, report=warn)
