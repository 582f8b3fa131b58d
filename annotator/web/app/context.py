"""The home and the store that a request works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app, g

from annotator.campaign.home import Home, LiveHome
from annotator.dashboards.feedback import Feedback
from annotator.dashboards.lead import LiveDashboard
from annotator.dashboards.live_agreement import LiveAgreement
from annotator.store.store import Store

_KEY = "panelwise"


@dataclass(frozen=True, slots=True)
class Context:
    """What `create_app` was given, and what it made of it."""

    home: LiveHome
    store: Store
    agreement: LiveAgreement
    dashboard: LiveDashboard
    feedback: Feedback


def attach(app: Flask, context: Context) -> None:
    """Give the app its home and store."""
    app.extensions[_KEY] = context


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


def agreement() -> LiveAgreement:
    """The agreement in the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).agreement


def dashboard() -> LiveDashboard:
    """The dashboard of the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).dashboard


def feedback() -> Feedback:
    """The feedback to annotators in the campaign of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).feedback
