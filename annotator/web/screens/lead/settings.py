"""Settings and guidelines: a new campaign from a template; then as a form and as texts, with earlier versions."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, flash, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.campaign.edit_settings import SettingsConflict, Texts, earlier_versions, save_texts, with_values
from annotator.campaign.guidelines import blocks
from annotator.campaign.templates import TEMPLATES, initial_texts
from annotator.web.app import context, sessions
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import AnnotatorError, InvalidAnnotation

blueprint = Blueprint("settings", __name__)

#: Earlier versions on the page.
LISTED = 20


@blueprint.get("/campaign/new")
def new() -> str:
    """Form for a campaign that has no figures yet: `?template=NAME` chooses what it begins from."""
    template = request.args.get("template", "")
    return _new_page(template, context.home().campaign.name, _guidelines_of(template))


@blueprint.post("/campaign/new")
def create() -> str | Response:
    """Replace the settings of a campaign without figures by a template's; `preview`: show the guidelines first."""
    home, form = context.home(), request.form
    template, name, guidelines = form.get("template", ""), form.get("name", "").strip(), _text("guidelines")
    if guidelines == _guidelines_of(form.get("guidelines_of", "")):
        guidelines = _guidelines_of(template)
    if "preview" in form:
        return _new_page(template, name, guidelines)
    try:
        if context.snapshot().figures.count():
            raise InvalidAnnotation("the campaign has figures already; change its settings here")
        settings, _ = initial_texts(
            template,
            name or home.campaign.name,
            _names("labels"),
            annotators=_names("annotators"),
            reviewers=_names("reviewers"),
            own_screen=form.get("screen") == "panelwise",
            example_names=False,
        )
        save_texts(home, Texts(settings, guidelines), sessions.at_work().name, loaded=Texts.of(home).version)
    except AnnotatorError as error:
        flash(f"{error}.", "error")
        return _new_page(template, name, guidelines)
    flash("The campaign is set up. Add its figures.", "done")
    return redirect(url_for("uploads.show"))


def _guidelines_of(template: str) -> str:
    """The initial guidelines of a template; those of the campaign for none."""
    return TEMPLATES[template].guidelines() if template in TEMPLATES else Texts.of(context.home()).guidelines


def _new_page(template: str, name: str, guidelines: str) -> str:
    return render_template(
        "lead_new.html",
        templates=TEMPLATES.values(),
        template=template if template in TEMPLATES else "",
        name=name,
        guidelines=guidelines,
        preview=blocks(guidelines),
        form=request.form,
        labels=request.form.get("labels", ", ".join(context.home().campaign.labels)),
        started=context.snapshot().figures.count() > 0,
    )


@blueprint.get("/campaign/settings")
def show() -> Response:
    """The most used settings as a form, campaign.toml and the guidelines to edit, and earlier versions."""
    return _page(Texts.of(context.home()))


@blueprint.post("/campaign/settings")
def save() -> Response:
    """Save the form or the texts, if they are valid and unchanged by others meanwhile."""
    home, form = context.home(), request.form
    texts = Texts.of(home)
    try:
        if form.get("what") == "form":
            texts = replace(texts, settings=with_values(texts.settings, _values()))
        else:
            texts = Texts(_text("settings"), _text("guidelines"))
        if form.get("what") == "preview":
            return _page(texts)
        save_texts(home, texts, sessions.at_work().name, loaded=form.get("version", ""))
    except SettingsConflict:
        return _page(texts, conflict=True, code=409)
    except AnnotatorError as error:
        return _page(texts, error=f"{error}.", code=422)
    flash("Saved. Earlier versions are listed below.", "done")
    return redirect(url_for("settings.show"))


def _values() -> Mapping[str, object]:
    """The settings of the form. Raises InvalidAnnotation for a number that is none."""
    form = request.form
    numbers = {}
    for key in ("quorum", "max_boxes"):
        text = form.get(key, "").strip()
        if not (text.isascii() and text.isdigit() and len(text) < 8):
            raise InvalidAnnotation(f'{key} is "{text[:20]}"; give a whole number')
        numbers[key] = int(text)
    return {
        "name": form.get("name", "").strip(),
        "labels": list(_names("labels")),
        "guideline": form.get("guideline", "").strip(),
        **numbers,
        "second_reviewer": "second_reviewer" in form,
        "include": [GoldSource.SINGLE.value] if "single" in form else [],
        "language_models": "language_models" in form,
    }


def _names(field: str) -> tuple[str, ...]:
    """Names or labels of a field, which are apart by commas."""
    return tuple(name.strip() for name in request.form.get(field, "").split(",") if name.strip())


def _text(field: str) -> str:
    """A text of the form, with line ends as in files."""
    return request.form.get(field, "").replace("\r\n", "\n")


def _page(texts: Texts, *, error: str = "", conflict: bool = False, code: int = 200) -> Response:
    home = context.home()
    present = Texts.of(home)
    html = render_template(
        "lead_settings.html",
        campaign=home.campaign,
        single=GoldSource.SINGLE in home.campaign.include,
        texts=texts,
        preview=blocks(texts.guidelines),
        version=request.form.get("version", present.version) if code == 422 else present.version,
        earlier=earlier_versions(home, limit=LISTED),
        differences=_differences(present, texts) if conflict else (),
        error=error,
    )
    return make_response(html, code)


def _differences(present: Texts, mine: Texts) -> list[str]:
    """List the changes that saving one's own version would make, line by line."""
    pairs = ((present.settings, mine.settings), (present.guidelines, mine.guidelines))
    return [
        line
        for saved, own in pairs
        for line in difflib.unified_diff(saved.splitlines(), own.splitlines(), lineterm="", n=1)
        if not line.startswith(("---", "+++"))
    ]
