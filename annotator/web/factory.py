"""The adjudication view: a Flask app over a campaign's home and store."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask

from annotator.campaign.home import Home, LiveHome
from annotator.dashboards.feedback import Feedback
from annotator.dashboards.lead import LiveDashboard
from annotator.dashboards.live_agreement import LiveAgreement
from annotator.store.store import Store
from annotator.web.api import comments, guidelines, health, image, metrics, presence
from annotator.web.api import figure as api
from annotator.web.api.v1 import routes as v1
from annotator.web.app import blindfold, errors, incoming, logs, request_ids, security, seen, sessions
from annotator.web.app.context import Context, attach, end_before_writing, next_id
from annotator.web.app.urls import FigureConverter
from annotator.web.screens import (
    account,
    agreement,
    bulk,
    dashboard,
    feedback,
    figure,
    help_pages,
    history,
    items,
    login,
    queue,
)
from annotator.web.screens.annotating import blind, own_tasks
from annotator.web.screens.lead import assignment, figure_view, figures, jobs, people, release, settings
from annotator.web.screens.lead.page_words import in_page_words
from panelwise.domain import GLOSSARY

#: Bytes that a request may have at most.
MAX_REQUEST = 1024 * 1024


def create_app(home: Home, store: Store, *, https: bool = False, metrics_token: str = "") -> Flask:
    """The app. https: it is reached over HTTPS, so cookies are sent over nothing else. metrics_token: who knows it
    may read /metrics from wherever; "" for none.
    """
    app = logs.Logged("annotator.web")
    app.request_class = incoming.Incoming
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_REQUEST,
        MAX_FORM_MEMORY_SIZE=MAX_REQUEST,
        # As long as the session: a reviewer may look at one figure for an hour.
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    app.jinja_env.globals.update(GLOSSARY=GLOSSARY, next_id=next_id)
    app.jinja_env.filters["in_page_words"] = in_page_words
    app.url_map.converters["figure"] = FigureConverter
    live = LiveHome(home, report=logs.settings)
    attach(
        app,
        Context(
            live,
            store,
            LiveAgreement(live.current, store),
            LiveDashboard(live.current, store),
            Feedback(live.current, store),
        ),
    )
    request_ids.set_up(app)
    logs.set_up(app)
    metrics.set_up(app, store, token=metrics_token, https=https)
    security.add_headers(app, https=https)
    errors.handle_errors(app)
    # The guard goes before the CSRF check, so that a stranger is told to sign in, not that a token is missing.
    sessions.set_up(app, secret=home.secret(), https=https)
    blindfold.set_up(app)
    seen.set_up(app)
    security.check_seals(app)
    limiter = security.make_limiter(app)
    security.limit_writes(app, limiter)
    end_before_writing(app)
    for counted in (login, account):
        app.register_blueprint(counted.make_blueprint(limiter))
    for module in (
        queue,
        agreement,
        figure,
        history,
        api,
        items,
        guidelines,
        image,
        health,
        dashboard,
        feedback,
        presence,
        comments,
        bulk,
        blind,
        own_tasks,
        people,
        figures,
        figure_view,
        assignment,
        jobs,
        release,
        settings,
        help_pages,
        v1,
    ):
        app.register_blueprint(module.blueprint)
    app.url_defaults(_version_static_files)
    return app


def _version_static_files(endpoint: str, values: dict[str, Any]) -> None:
    """Give addresses of static files a mark of their content, so that no browser runs an old script."""
    if endpoint == "static" and "filename" in values:
        file = Path(__file__).parent / "static" / values["filename"]
        if file.is_file():
            values["v"] = _content_mark(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _content_mark(file: Path, _changed: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:10]
