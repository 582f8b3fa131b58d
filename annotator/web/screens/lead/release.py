"""The release dialog: what a release would leave out, who made the dataset under which licence, and its start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from flask import Blueprint, flash, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.campaign.edit_settings import Texts, save_texts
from annotator.gold.dataset.citation import COMMON_LICENCES
from annotator.gold.release import NAME_PATTERN, preview_release
from annotator.jobs.commands import NO_GOLD, JobKind, possible_jobs, start
from annotator.queue.pages import answered_figures
from annotator.web.app import context, sessions
from panelwise.domain import AnnotatorError, describe_states
from panelwise.settings import FILE_NAME, Author, with_values

blueprint = Blueprint("release", __name__)

#: Empty rows of the form for more authors.
MORE_AUTHORS = 2
_AUTHOR_FIELDS = ("name", "forenames", "orcid", "affiliation")
_TEXTS = ("title", "licence", "figure_licence")


@blueprint.get("/campaign/release")
def show() -> Response:
    """Show what a release would hold and leave out, and the form."""
    return _page()


@blueprint.post("/campaign/release")
def make() -> Response:
    """Save title, licences and authors in campaign.toml; start the release unless the form's `what` is `save`."""
    form, by = request.form, sessions.at_work().name
    asked = {key: form.get(key, "").strip() for key in ("name", "note", "images")}
    try:
        _save(by)
        if form.get("what") == "save":
            flash("Saved.", "done")
            return redirect(url_for("release.show"))
        job = start(context.home(), context.store(), JobKind.RELEASE, by, asked)
    except AnnotatorError as error:
        return _page(error=f"{error}.", code=422)
    return redirect(url_for("jobs.job", number=job.number))


def _save(by: str) -> None:
    """Write what the form changes to [release]. Raises AnnotatorError if somebody else saved other settings."""
    home, form = context.home(), request.form
    present = home.settings.release
    values: dict[str, object] = {
        key: form.get(key, "").strip() or None
        for key in _TEXTS
        if form.get(key, "").strip() != getattr(present, key)
    }
    authors = tuple(_authors())
    if authors != present.authors:
        written = [
            {key: getattr(author, key) for key in _AUTHOR_FIELDS if getattr(author, key)} for author in authors
        ]
        values["authors"] = written or None
    if values:
        texts = Texts.of(home)
        changed = replace(texts, settings=with_values(texts.settings, values, FILE_NAME, table="release"))
        save_texts(home, changed, by, loaded=form.get("version", ""))


def _authors() -> Iterator[Author]:
    """Yield the authors of the form; an empty row is none, and an ORCID needs no address."""
    columns = (request.form.getlist(f"author_{key}") for key in _AUTHOR_FIELDS)
    for row in zip_longest(*columns, fillvalue=""):
        name, forenames, orcid, affiliation = (text.strip() for text in row)
        if orcid and "/" not in orcid:
            orcid = f"https://orcid.org/{orcid}"
        author = Author(name, forenames, orcid, affiliation)
        if author != Author(""):
            yield author


def _page(*, error: str = "", code: int = 200) -> Response:
    home, form = context.home(), request.form
    release = home.settings.release
    texts = {key: form.get(key, getattr(release, key)) for key in _TEXTS}
    preview = preview_release(home, context.store())
    answered = answered_figures(context.snapshot(), home.campaign)
    refused = possible_jobs(home, context.store()).refused
    html = render_template(
        "lead_release.html",
        preview=preview,
        left_out=describe_states(preview.left_out, answered=answered, phrases=True),
        refused=refused.get(JobKind.RELEASE, "") or ("" if preview.figures else NO_GOLD),
        texts=texts,
        campaign=home.campaign,
        authors=[*(tuple(_authors()) if form else release.authors), *[Author("")] * MORE_AUTHORS],
        image_licences=release.image_licences,
        licences=COMMON_LICENCES,
        pattern=NAME_PATTERN,
        form=form,
        version=Texts.of(home).version,
        error=error,
    )
    return make_response(html, code)
