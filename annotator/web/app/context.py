"""The home and the store that a request works on."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app, g, request

from annotator.campaign.home import Home, LiveHome
from annotator.dashboards.feedback import Feedback
from annotator.dashboards.lead import LiveDashboard
from annotator.dashboards.live_agreement import LiveAgreement
from annotator.store.store import Store, Transaction

_KEY = "panelwise"


@dataclass(frozen=True, slots=True)
class Context:
    """The arguments of `create_app`, and the objects made from them."""

    home: LiveHome
    store: Store
    agreement: LiveAgreement
    dashboard: LiveDashboard
    feedback: Feedback


def attach(app: Flask, context: Context) -> None:
    """Give the app its home and store."""
    app.extensions[_KEY] = context
    app.teardown_appcontext(end_snapshot)


def home() -> Home:
    """The home of the app at work. Its settings stay the same for as long as a request is answered."""
    if "home" not in g:
        g.home = cast(Context, current_app.extensions[_KEY]).home.current()
    return cast(Home, g.home)


def check_store() -> None:
    """Raise StoreError while campaign.toml names another store than the one that is served."""
    cast(Context, current_app.extensions[_KEY]).home.check_store()


def store() -> Store:
    """The store of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).store


def snapshot() -> Transaction:
    """The request's reading transaction: its guards and what it answers see one state of the store.

    Started on first use. It does not see the request's own writes: end it before reading these.
    """
    if "snapshot" not in g:
        with ExitStack() as stack:
            found = stack.enter_context(store().read())
            g.snapshot, g.snapshot_end = found, stack.pop_all()
    return cast(Transaction, g.snapshot)


def end_before_writing(app: Flask) -> None:
    """End the guards' snapshot of a request that may write; to be called once all guards were set up."""

    @app.before_request
    def end() -> None:
        if request.method not in ("GET", "HEAD"):
            end_snapshot()


def end_snapshot(_error: BaseException | None = None) -> None:
    """End the request's reading transaction, if one was started; the next `snapshot` sees the current store."""
    g.pop("snapshot", None)
    end = g.pop("snapshot_end", None)
    if end is not None:
        end.close()


def next_id() -> str:
    """Return an id for the next element of the page whose text another one shows."""
    g.ids = g.get("ids", 0) + 1
    return f"note-{g.ids}"


def agreement() -> LiveAgreement:
    """The agreement in the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).agreement


def dashboard() -> LiveDashboard:
    """The dashboard of the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).dashboard


def feedback() -> Feedback:
    """The feedback to annotators in the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).feedback
