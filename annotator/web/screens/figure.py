"""The screen of one figure: the page that carries the island."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from flask import Blueprint, abort, flash, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response

from annotator.adjudication.items.screen import screens_of
from annotator.campaign import guidelines
from annotator.imports.replace import NewSize, preview_image, replace_caption, replace_image
from annotator.imports.uploads import remove_upload, upload_folder
from annotator.imports.withdraw import restore_figures, withdraw_figures
from annotator.web import payloads
from annotator.web.app import context, queue_part, sessions
from panelwise.domain import AnnotatorError, Conflict, Figure, InvalidAnnotation

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
    try:
        done = _replace_image(figure_id, request.args.get("upload", ""))
    except AnnotatorError as error:
        return payloads.answer({"error": str(error)}, 422)
    flash(done, "done")
    return payloads.answer({"url": url_for("history.show", figure_id=figure_id)})


@blueprint.post("/<figure:figure_id>/image/check")
def check_image(figure_id: str) -> Response:
    """Check the only file of `?upload=ID`: `{"url": ADDRESS}` of the page that compares it to the image."""
    upload = request.args.get("upload", "")
    try:
        preview_image(context.home(), context.snapshot(), figure_id, _uploaded(upload))
    except AnnotatorError as error:
        return payloads.answer({"error": str(error)}, 422)
    return payloads.answer({"url": url_for("figure.compare_image", figure_id=figure_id, upload=upload)})


@blueprint.get("/<figure:figure_id>/image/new")
def compare_image(figure_id: str) -> str | Response:
    """Ask whether the image of `?upload=ID` shall replace the present one, side by side."""
    upload = request.args.get("upload", "")
    try:
        preview = preview_image(context.home(), context.snapshot(), figure_id, _uploaded(upload))
    except AnnotatorError as error:
        flash(f"Not replaced: {error}.", "left")
        return redirect(url_for("history.show", figure_id=figure_id, _anchor="replace"))
    return render_template(
        "lead_replace.html",
        preview=preview,
        figure=preview.figure,
        loaded=compared_to(preview.figure),
        upload=upload,
        sizes=NewSize,
        drawn=context.home().campaign.drawn,
    )


@blueprint.get("/<figure:figure_id>/image/new/file")
def uploaded_image(figure_id: str) -> Response:
    """Send the image of `?upload=ID` as it would be stored."""
    try:
        file = _uploaded(request.args.get("upload", ""))
        preview = preview_image(context.home(), context.snapshot(), figure_id, file)
    except AnnotatorError as error:
        abort(404, str(error))
    sent = send_file(BytesIO(preview.data), download_name=f"new{preview.suffix}")
    sent.headers["Cache-Control"] = "no-store"
    return sent


@blueprint.post("/<figure:figure_id>/image/new")
def confirm_image(figure_id: str) -> Response:
    """Replace the image by that of the form's `upload`, or discard the upload if `what` is `discard`."""
    form = request.form
    upload, loaded = form.get("upload", ""), form.get("revision", "")
    try:
        if form.get("what") == "discard":
            remove_upload(context.home(), upload)
            flash("Not replaced: the new image was discarded.", "quiet")
        else:
            flash(_replace_image(figure_id, upload, loaded=loaded), "done")
    except Conflict as error:
        flash(f"Not replaced: {error}.", "left")
        return redirect(url_for("figure.compare_image", figure_id=figure_id, upload=upload), 303)
    except AnnotatorError as error:
        flash(f"Not replaced: {error}.", "left")
    return redirect(url_for("history.show", figure_id=figure_id, _anchor="replace"), 303)


def compared_to(figure: Figure) -> str:
    """Return what tells a figure's present caption and image from those before and after."""
    return str(figure.revision) if figure.image_sha256 else f"{figure.revision} without a checksum"


def _uploaded(upload: str) -> Path:
    """Return the only file of an upload. Raises UnknownUpload, InvalidAnnotation."""
    folder = upload_folder(context.home(), upload)
    files = [each for each in folder.rglob("*") if each.is_file() and not each.name.startswith(".")]
    if len(files) != 1:
        raise InvalidAnnotation("choose one image")
    return files[0]


def _replace_image(figure_id: str, upload: str, *, loaded: str | None = None) -> str:
    """Replace the image by that of an upload, and remove the upload; returns a sentence on what was done.

    loaded: what the page compared to; see `compared_to`. Raises Conflict if the figure has another image or
    caption by now.
    """
    home, store = context.home(), sessions.store()
    file, figure = _uploaded(upload), store.existing_figure(figure_id)
    if loaded is not None and loaded != compared_to(figure):
        raise Conflict("its caption or image was replaced meanwhile; below is what is present now")
    present = figure.revision
    replaced = replace_image(home, store, figure_id, file)
    remove_upload(home, upload)
    work = (
        "work on the figure stays current"
        if replaced.revision == present
        else "work on the earlier one is outdated"
    )
    return f"Image replaced; {work}."


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
