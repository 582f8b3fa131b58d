"""The screen of one figure: the page that carries the island."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from annotator.adjudication.items.screen import screens_of
from annotator.campaign import guidelines
from annotator.imports.replace import replace_caption, replace_image
from annotator.imports.uploads import remove_upload, upload_folder
from annotator.imports.withdraw import restore_figures, withdraw_figures
from annotator.web import payloads
from annotator.web.app import context, queue_part, sessions
from panelwise.domain.errors import AnnotatorError, InvalidAnnotation
from panelwise.domain.figure import Figure

blueprint = Blueprint("figure", __name__, url_prefix="/figures")


@blueprint.get("/<figure:figure_id>")
def show(figure_id: str) -> str | Response:
    """The page of a figure; its state is fetched from the API. Where it has types and pairs only, theirs.

    A withdrawn figure has its history only.
    """
    work = context.snapshot().work.of(figure_id)
    if work.withdrawn:
        return redirect(url_for("history.show", figure_id=figure_id, **queue_part.part_of_address()))
    subfigures, _ = screens_of(work, context.home().campaign)
    if not subfigures:
        return redirect(url_for("items.show", figure_id=figure_id, **queue_part.part_of_address()))
    return page("figure.html", work.figure)


@blueprint.post("/<figure:figure_id>/withdraw")
def withdraw(figure_id: str) -> Response:
    """Take the figure out of the campaign, for a `reason`; to its history."""
    return _changed(
        figure_id,
        "Withdrawn: nothing counts that is on this figure, until it is restored.",
        lambda me: withdraw_figures(sessions.store(), [figure_id], me, request.form.get("reason", "")),
    )


@blueprint.post("/<figure:figure_id>/restore")
def restore(figure_id: str) -> Response:
    """Take the figure back into the campaign; to its history."""
    return _changed(
        figure_id,
        "Restored: the figure and all work on it count again.",
        lambda me: restore_figures(sessions.store(), context.home().campaign, [figure_id], me),
    )


@blueprint.post("/<figure:figure_id>/caption")
def new_caption(figure_id: str) -> Response:
    """Replace the caption by the form's `caption`; to the history."""

    def change(_me: str) -> None:
        text = request.form.get("caption", "").replace("\r\n", "\n")
        replace_caption(context.home(), sessions.store(), figure_id, text)

    return _changed(figure_id, "Caption replaced; work on the earlier one is outdated.", change)


@blueprint.post("/<figure:figure_id>/image")
def new_image(figure_id: str) -> Response:
    """Replace the image by the only file of `?upload=ID`: `{"url": ADDRESS}` of the history."""
    home, upload = context.home(), request.args.get("upload", "")
    try:
        folder = upload_folder(home, upload)
        files = [each for each in folder.rglob("*") if each.is_file() and not each.name.startswith(".")]
        if len(files) != 1:
            raise InvalidAnnotation("choose one image")
        replace_image(home, sessions.store(), figure_id, files[0])
        remove_upload(home, upload)
    except AnnotatorError as error:
        return payloads.answer({"error": str(error)}, 422)
    flash("Image replaced; work on the earlier one is outdated.", "done")
    return payloads.answer({"url": url_for("history.show", figure_id=figure_id)})


def _changed(figure_id: str, done: str, change: Callable[[str], None]) -> Response:
    try:
        change(sessions.at_work().name)
    except InvalidAnnotation as error:
        flash(f"Not changed: {error}.", "left")
    else:
        flash(done, "done")
    part = queue_part.part_of_address()
    return redirect(url_for("history.show", figure_id=figure_id, **part, _anchor="withdrawal"), 303)


def page(template: str, figure: Figure) -> str:
    """A page that carries the island."""
    return render_template(
        template,
        figure_id=figure.id,
        revision=figure.revision,
        guidelines=guidelines.present(context.home()),
        campaign=campaign_mark(context.home().secret()),
        slice=queue_part.part_of_address(),
    )


def campaign_mark(secret: bytes) -> str:
    """Return the key under which browsers store drafts: different for each campaign, and without its name."""
    return hashlib.blake2b(b"drafts of this campaign", key=secret[:64], digest_size=8).hexdigest()


@blueprint.get("/<path:typed>")
def loose(typed: str) -> Response:
    """An id typed as it is, slashes and all: sent on to the address that the id is written with."""
    figure = context.snapshot().figures.existing(typed)
    return redirect(url_for("figure.show", figure_id=figure.id, **queue_part.part_of_address()))
