"""Connect to the campaign's annotation server, or run its own: the one place that makes Label Studio's adapter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from annotator.annotation_server import AnnotationServer
from annotator.campaign.home import Home
from annotator.label_studio.embedded import server as embedded
from annotator.label_studio.embedded.environment import Report, quiet
from annotator.label_studio.embedded.server import EmbeddedServer as OwnServer
from annotator.label_studio.reachable import why_unreachable
from panelwise.domain import SyncError

__all__ = [
    "OwnServer",
    "connected",
    "images_folder",
    "own_server",
    "run_own_server",
    "running_studio",
    "server_folder",
    "server_of",
    "studio_address",
    "usual_port",
    "wait_for_end",
    "why_unreachable",
]


def own_server(home: Home) -> OwnServer | None:
    """Return the campaign's own server if it runs."""
    return embedded.running(home.path)


def run_own_server(
    home: Home, *, port: int | None = None, report: Report = quiet
) -> AbstractContextManager[OwnServer]:
    """Run the campaign's own server; one that runs already is used and left running. Raises SyncError.

    port: None chooses that of the last start, or a free one. report: called with messages about long steps.
    """
    return embedded.label_studio(home.path, port=port, report=report)


def wait_for_end(own: OwnServer, home: Home) -> None:
    """Wait until a server that was started here ends; raises SyncError with the log's last line."""
    embedded.wait_for_end(own, home.path)


def usual_port(home: Home, report: Report) -> int:
    """Return the port of the last start; another one if it is taken, with a line to `report`."""
    return embedded.usual_port(home.path, report)


def server_folder(home: Home) -> Path:
    """Return the folder of the campaign's own server."""
    return embedded.data_dir(home.path)


def images_folder(home: Home, url: str) -> str | None:
    """Return the folder of images as the server at `url` sees it; None for a server other than the home's own."""
    return embedded.images_folder(home.path, url)


def server_of(own: OwnServer) -> AnnotationServer:
    """Connect to the campaign's own server."""
    return _server(own.url, own.token)


def studio_address(home: Home) -> str:
    """Return the server's address that people open; "" if none is set and the home's own does not run."""
    settings, own = home.label_studio, own_server(home)
    return settings.public_url or settings.url or (own.url if own is not None else "")


def running_studio(home: Home) -> AnnotationServer:
    """Connect to the campaign's server. Raises SyncError if none runs."""
    settings, own = home.label_studio, own_server(home)
    if settings.url:
        return _server(settings.url, _token(settings.url, settings.token, own), settings.public_url)
    if own is None:
        raise SyncError("Label Studio does not run; start the campaign with `annotator up`")
    return server_of(own)


@contextmanager
def connected(home: Home, url: str | None, token: str | None, *, report: Report) -> Iterator[AnnotationServer]:
    """Connect to this server or the campaign's; else to the campaign's own, started if needed.

    url, token: None for those of the campaign. report: called with messages about long steps.
    """
    public_url = home.label_studio.public_url if url in (None, home.label_studio.url) else ""
    url = (url or home.label_studio.url).rstrip("/")
    token = token or home.label_studio.token
    if url:
        with _server(url, _token(url, token, own_server(home)), public_url) as server:
            yield server
        return
    if token and home.label_studio.token != token:
        raise SyncError("--token without --url: the campaign's own server has its own token; add --url")
    with run_own_server(home, report=report) as own, server_of(own) as server:
        yield server


def _token(url: str, token: str, own: OwnServer | None) -> str:
    """Return the token for an address: that of the campaign's own server if none is set."""
    return own.token if own is not None and not token and own.url == url else token


def _server(url: str, token: str, public_url: str = "") -> AnnotationServer:
    from annotator.label_studio.client import LabelStudioServer

    return LabelStudioServer(url, token, public_url=public_url)
