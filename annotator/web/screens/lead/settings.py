"""Settings and guidelines as texts: validated, with who changed them and when."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from flask import Blueprint, flash, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.campaign.guidelines import guidelines_path
from annotator.web.app import context, sessions
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.runtime.atomic_write import write_whole
from panelwise.settings.campaign_toml import FILE_NAME, parse_campaign

blueprint = Blueprint("settings", __name__)

#: Folder of earlier versions in the home.
HISTORY = "settings-history"


@blueprint.get("/campaign/settings")
def show() -> Response:
    """campaign.toml and the guidelines, to edit."""
    return _page(_settings(), _guidelines())


@blueprint.post("/campaign/settings")
def save() -> Response:
    """Replace the settings and the guidelines, where the text is sound and nobody else has saved meanwhile."""
    home = context.home()
    settings = _text("settings")
    guidelines = _text("guidelines")
    before = _settings(), _guidelines()
    if request.form.get("version") != _version(*before):
        line = (
            "Somebody else has saved other settings since you opened this page. Copy what you changed, and reload."
        )
        return _page(settings, guidelines, error=line, code=409)
    try:
        parsed = parse_campaign(settings.encode(), home.path / FILE_NAME)
        if parsed.store_url != home.settings.store_url:
            raise FormatError("[store] url cannot be changed here; stop the server and edit campaign.toml")
    except AnnotatorError as error:
        return _page(settings, guidelines, error=f"{error}.", code=422)
    _keep(FILE_NAME, before[0], settings)
    _keep(parsed.campaign.guideline_file, before[1], guidelines)
    flash("Saved. Earlier versions are in the folder settings-history of the campaign.", "done")
    return redirect(url_for("settings.show"))


def _keep(name: str, before: str, after: str) -> None:
    """Write a file of the home, and keep what was in it, with who replaced it and when."""
    if before == after:
        return
    home = context.home().path
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    if before:
        place = home / HISTORY / f"{stamp}-{name}"
        write_whole(place, f"# replaced by {sessions.at_work().name}\n{before}".encode(), mode=0o600)
    write_whole(home / name, after.encode(), lasting=True)


def _text(field: str) -> str:
    """A text of the form, with line ends as in files."""
    return request.form.get(field, "").replace("\r\n", "\n")


def _settings() -> str:
    return (context.home().path / FILE_NAME).read_text("utf-8-sig")


def _guidelines() -> str:
    path = guidelines_path(context.home())
    return "" if path is None else path.read_text("utf-8-sig")


def _version(settings: str, guidelines: str) -> str:
    return hashlib.sha256(f"{settings}\0{guidelines}".encode()).hexdigest()


def _page(settings: str, guidelines: str, *, error: str = "", code: int = 200) -> Response:
    html = render_template(
        "lead_settings.html",
        settings=settings,
        guidelines=guidelines,
        guideline_file=context.home().campaign.guideline_file,
        version=_version(_settings(), _guidelines()) if code == 200 else request.form.get("version", ""),
        error=error,
    )
    return make_response(html, code)
