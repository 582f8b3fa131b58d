"""Settings and guidelines: a new campaign from a template; then as a form and as texts, with earlier versions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile

from flask import Blueprint, flash, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.campaign.edit_settings import (
    SettingsConflict,
    Texts,
    earlier_versions,
    save_texts,
    with_phase,
)
from annotator.campaign.guidelines import blocks
from annotator.campaign.home import Home
from annotator.campaign.templates import TEMPLATES, initial_texts
from annotator.web.app import context, sessions
from annotator.web.screens.lead.notices import whole_number
from panelwise.domain import (
    AnnotatorError,
    Campaign,
    GoldSource,
    InvalidAnnotation,
    Phase,
    Screen,
    TaskType,
    Visit,
    setting_rows,
)
from panelwise.settings import FILE_NAME, plain, with_values

blueprint = Blueprint("settings", __name__)

#: Earlier versions on the page.
LISTED = 20
#: Lines that two people changed at the same time and that are compared one by one, at most.
MOST_COMPARED = 1_000


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
            single="single" in form,
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
            texts = replace(texts, settings=_with_form(texts.settings, home))
        elif form.get("what") == "phase":
            texts = replace(texts, settings=_with_phase(texts.settings, home.campaign.phases))
        else:
            texts = replace(texts, **{key: _text(key) for key in ("settings", "guidelines") if key in form})
        if form.get("what") == "preview":
            return _page(texts)
        save_texts(home, texts, sessions.at_work().name, loaded=form.get("version", ""))
    except SettingsConflict:
        return _page(texts, conflict=True, code=409)
    except AnnotatorError as error:
        return _page(texts, error=f"{error}.", code=422)
    flash("Saved. Earlier versions are listed below.", "done")
    return redirect(url_for("settings.show"))


def _with_form(settings: str, home: Home) -> str:
    """Change what the form has of the campaign and of [view]. Raises InvalidAnnotation."""
    changed = with_values(settings, _values(home.campaign), FILE_NAME)
    feedback = "feedback" in request.form
    if feedback == home.settings.view.feedback:
        return changed
    return with_values(changed, {"feedback": feedback}, FILE_NAME, table="view")


def _values(campaign: Campaign) -> Mapping[str, object]:
    """The settings that the form changes. Raises InvalidAnnotation for a number that is none."""
    form = request.form
    numbers = {key: whole_number(form, key) for key in ("quorum", "max_boxes") if key in form}
    values: dict[str, object] = {
        "name": form.get("name", "").strip(),
        **({"labels": list(_names("labels"))} if "labels" in form else {}),
        "guideline": form.get("guideline", "").strip(),
        **numbers,
        "second_reviewer": "second_reviewer" in form,
        "include": [GoldSource.SINGLE.value] if "single" in form else [],
        "language_models": "language_models" in form,
    }
    return _changed(values, campaign)


def _changed(values: Mapping[str, object], present: Campaign | Phase) -> dict[str, object]:
    """Those values that differ from the present ones, so that the others stay as they are written."""
    kept = {key: getattr(present, key) for key in values}
    plain = {key: list(value) if isinstance(value, tuple | frozenset) else value for key, value in kept.items()}
    return {key: value for key, value in values.items() if value != plain[key]}


def _with_phase(settings: str, phases: Sequence[Phase]) -> str:
    """Change the phase of the form, or add it if the form names a new one. Raises InvalidAnnotation."""
    form = request.form
    if "name" in form:
        name, kind = form["name"].strip(), form.get("task_type", "")
        if kind not in set(TaskType) or not name:
            raise InvalidAnnotation("a new phase needs a name, such as 2, and a kind of task")
        return with_phase(settings, Phase(name, TaskType(kind), annotate_in=Screen.PANELWISE))
    number = whole_number(form, "phase")
    if number >= len(phases):
        raise InvalidAnnotation("this phase is gone; reload the page")
    phase = phases[number]
    numbers = [key for key in ("figures", "overlap", "batch") if key in form]
    values: dict[str, object] = {
        **{key: list(_names(key)) for key in ("annotators", "reviewers") if key in form},
        **{key: whole_number(form, key) if form[key].strip() else None for key in numbers},
    }
    if not phase.kind.answered:
        values["seeded"] = "seeded" in form
    if "figures_of" in form:
        values["figures_of"] = form["figures_of"]
    if form.get("deadline", "") != deadline_text(phase.deadline):
        values["deadline"] = _deadline()
    if not phase.blind:
        values["annotate_in"] = form.get("annotate_in", "")
        own = values["annotate_in"] == Screen.PANELWISE
        values["visit"] = Visit.ALL if own and "visit" in form else Visit.NONE
        values["show_ids"] = not own or "show_ids" in form
    changed = _changed(values, phase)
    return with_values(
        settings,
        {key: None if value in ([], "") else value for key, value in changed.items()},
        FILE_NAME,
        phase=number,
    )


def _deadline() -> datetime | None:
    text = request.form.get("deadline", "").strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise InvalidAnnotation(f'deadline is "{text[:40]}"; give one such as 2026-12-01T18:00') from None


def deadline_text(deadline: datetime | None) -> str:
    """A deadline as the form has it, in UTC; "" for none."""
    return "" if deadline is None else deadline.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")


def _names(field: str) -> tuple[str, ...]:
    """Return the names or labels of a field, separated by commas, semicolons or line breaks."""
    names = (name.strip() for name in re.split(r"[,;\r\n]", request.form.get(field, "")))
    return tuple(name for name in names if name)


def _text(field: str) -> str:
    """A text of the form, with line ends as in files."""
    return request.form.get(field, "").replace("\r\n", "\n")


def _page(texts: Texts, *, error: str = "", conflict: bool = False, code: int = 200) -> Response:
    home = context.home()
    present = Texts.of(home)
    html = render_template(
        "lead_settings.html",
        campaign=home.campaign,
        task_types=list(TaskType),
        rows={"campaign": setting_rows(Campaign), "phase": setting_rows(Phase)},
        plain=plain,
        deadline_text=deadline_text,
        single=GoldSource.SINGLE in home.campaign.include,
        feedback=home.settings.view.feedback,
        texts=texts,
        preview=blocks(texts.guidelines),
        version=request.form.get("version", present.version) if code == 422 else present.version,
        earlier=earlier_versions(home, limit=LISTED),
        settings_file=FILE_NAME,
        differences=_differences(present, texts) if conflict else (),
        forms=not conflict and (not error or request.form.get("what") in ("form", "phase")),
        error=error,
    )
    return make_response(html, code)


def _differences(present: Texts, mine: Texts) -> list[str]:
    """List the changes that saving one's own version would make, line by line."""
    pairs = (
        ("campaign.toml", present.settings, mine.settings),
        ("Guidelines", present.guidelines, mine.guidelines),
    )
    found = []
    for name, saved, own in pairs:
        lines = _changed_lines(saved.splitlines(), own.splitlines())
        found += [f"{name}:" if lines else "", *("…" if line.startswith("@@") else line for line in lines)]
    return [line for line in found if line]


def _changed_lines(saved: list[str], own: list[str]) -> list[str]:
    """The lines of a unified diff; if there is too much to compare, only how many lines differ.

    The time that difflib takes grows with the square of the lines, and more.
    """
    start = _alike(saved, own)
    end = _alike(saved[start:][::-1], own[start:][::-1])
    before, after = (len(lines) - start - end for lines in (saved, own))
    if max(before, after) > MOST_COMPARED:
        return [f"{before:,} lines from line {start + 1:,} on differ: yours has {after:,} there"]
    first, behind = max(start - 1, 0), max(end - 1, 0)
    there, mine = (lines[first : len(lines) - behind] for lines in (saved, own))
    # The first two lines name the files, and each place begins with its numbers.
    return list(difflib.unified_diff(there, mine, lineterm="", n=1))[2:]


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """Count the lines at the beginning that are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
