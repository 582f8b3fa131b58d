"""`annotator serve`: run the adjudication view."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.commandline import LOOPBACK, campaign_at, home_option, options, stop_requests, warn
from panelwise.domain import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from panelwise.settings import ViewSettings


#: Add `--host`, `--port`, `--https` and `--proxy`, for `listening`.
listening_options = options(
    click.option("--host", help="Address to listen on [default: campaign.toml, else 127.0.0.1]."),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help="Port; 0 for any free [default: campaign.toml, else 8090].",
    ),
    click.option(
        "--https",
        is_flag=True,
        default=None,
        help="Behind an HTTPS proxy: cookies over HTTPS only.",
    ),
    click.option(
        "--proxy",
        metavar="ADDRESS",
        help="Proxy in front, trusted to name clients' addresses.",
    ),
)


def listening(home: Home, options: dict[str, Any]) -> ViewSettings:
    """Return the view's settings in campaign.toml with what the command's options change of them."""
    return replace(home.settings.view, **{key: value for key, value in options.items() if value is not None})


@click.command(epilog="Example: annotator serve --port 8090")
@listening_options
@click.option(
    "--log",
    "log_kind",
    type=click.Choice(["text", "json"]),
    help="Log every request to stderr [default: errors].",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the view in the browser.")
@home_option
def command(log_kind: str | None, open_browser: bool, home: Path | None, **options: Any) -> None:
    """Serve the adjudication view, where reviewers decide on figures that annotators disagree about.

    /health, /ready and /metrics are for monitoring; a token in PANELWISE_METRICS_TOKEN, or in the file that
    PANELWISE_METRICS_TOKEN_FILE names, opens /metrics to other machines.
    """
    from annotator.accounts.people import has_reviewer
    from annotator.queue.ranking import score_where_needed
    from annotator.web.app import logs
    from annotator.web.server import AdjudicationServer
    from panelwise.settings import secret_setting

    found = campaign_at(home)
    view = listening(found, options)
    with found.open_store() as store:
        if not has_reviewer(store):
            raise AnnotatorError(
                "no active reviewer has an account; add one with `annotator user add NAME --role reviewer`"
            )
        if view.https or view.proxy or view.host not in LOOPBACK:
            found.check_secret()
        logs.start(log_kind or "")
        try:
            server = AdjudicationServer(
                found,
                store,
                host=view.host,
                port=view.port,
                https=view.https,
                proxy=view.proxy,
                metrics_token=secret_setting("PANELWISE_METRICS_TOKEN"),
            )
        except AnnotatorError as error:
            from annotator.operations.running_parts import read_parts

            there = read_parts(found.path)
            # `annotator up` starts this command, too.
            if there is None or not there.alive or there.pid == os.getppid():
                raise
            raise AnnotatorError(f"annotator up serves this campaign already: {there.url}; {error}") from error
        score_where_needed(store, found.campaign)
        wait_for_stop = stop_requests()
        with server:
            where, here = f"{server.address_for_others}/", ""
            if where != server.url:
                here = f"on this machine {server.url}; "
            click.echo(f"adjudication view of {found.campaign.name}: {where} ({here}Ctrl-C stops)")
            if view.host not in LOOPBACK and not view.https:
                warn("warning: other machines connect unencrypted; use an HTTPS proxy and add --https")
            if open_browser:
                click.launch(server.url)
            wait_for_stop()
    click.echo("stopped", err=True)
