"""`annotator serve`: run the adjudication view."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from annotator.cli.commandline import LOOPBACK, campaign_at, stop_requests, warn
from annotator.cli.parameters import Option, OptionGroup, SignatureCommand
from annotator.cli.shared_options import HomeOption, OpenBrowser
from panelwise.domain import AnnotatorError

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from panelwise.settings import ViewSettings


class Listening(OptionGroup):
    """Addresses of the view; None for the settings in campaign.toml."""

    host: Annotated[str | None, Option("Address to listen on [default: campaign.toml, else 127.0.0.1].")]
    port: Annotated[
        int | None,
        Option("Port; 0 for any free [default: campaign.toml, else 8090].", type=click.IntRange(0, 65535)),
    ]
    https: Annotated[bool | None, Option("Behind an HTTPS proxy: cookies over HTTPS only.")]
    proxy: Annotated[str | None, Option("Proxy in front, trusted to name clients' addresses.", metavar="ADDRESS")]


def listening(home: Home, options: dict[str, Any]) -> ViewSettings:
    """Return the view's settings in campaign.toml with what the command's options change of them."""
    return replace(home.settings.view, **{key: value for key, value in options.items() if value is not None})


@click.command(epilog="Example: annotator serve --port 8090", cls=SignatureCommand)
def command(
    options: Listening,
    log_kind: Annotated[
        Literal["text", "json"] | None, Option("Log every request to stderr [default: errors].", "--log")
    ],
    open_browser: OpenBrowser,
    home: HomeOption,
) -> None:
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
    view = listening(found, vars(options))
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
