"""The home and the store that a request works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from annotator.services.dashboard import LiveDashboard
from annotator.services.feedback import Feedback
from annotator.services.home import Home
from annotator.services.live_agreement import LiveAgreement
from annotator.store.store import Store

_KEY = "panelwise"


@dataclass(frozen=True, slots=True)
class Context:
    """What `create_app` was given."""

    home: Home
    store: Store
    agreement: LiveAgreement
    dashboard: LiveDashboard
    feedback: Feedback


def attach(app: Flask, context: Context) -> None:
    """Give the app its home and store."""
    app.extensions[_KEY] = context


def home() -> Home:
    """The home of the app at work."""
    return cast(Context, current_app.extensions[_KEY]).home


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
