"""The documentation, without signing in: it is the same for every campaign, and shows nothing of one."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response

from annotator.web.app import sessions
from annotator.web.help import pages
from annotator.web.help.targets import help_url
from panelwise.domain import Role

blueprint = Blueprint("help", __name__)


@blueprint.get("/help/", defaults={"name": ""})
@blueprint.get("/help/<path:name>")
def show(name: str) -> str | Response:
    """Show a page; without a name the first one for the person's roles: contents for leads and strangers."""
    someone = sessions.person()
    roles = frozenset[Role]() if someone is None else someone.roles
    if not name:
        return redirect(url_for("help.show", name=pages.first_page(roles)))
    return render_template("help.html", page=pages.page(name), contents=pages.sections(roles))


@blueprint.get("/help/pictures/<path:name>")
def image(name: str) -> Response:
    """Send a picture of a page."""
    return send_file(pages.file_of(name, pages.IMAGES), max_age=3600)


@blueprint.get("/help/schemas/<name>")
def schema(name: str) -> Response:
    """Send a JSON Schema of one of our files."""
    return send_file(pages.schema_of(name), max_age=3600)


@blueprint.app_context_processor
def _help_of_screen() -> dict[str, str]:
    """Return where a page's header leads for help."""
    return {"help_url": help_url(request.endpoint)}
