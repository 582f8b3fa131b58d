"""The screen of one figure: the page that carries the island."""

from __future__ import annotations

import hashlib

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from annotator.adjudication.items.screen import screens_of
from annotator.campaign import guidelines
from annotator.web.app import context, queue_part
from panelwise.domain.figure import Figure

blueprint = Blueprint("figure", __name__, url_prefix="/figures")


@blueprint.get("/<figure:figure_id>")
def show(figure_id: str) -> str | Response:
    """The page of a figure; its state is fetched from the API. Where it has types and pairs only, theirs."""
    work = context.snapshot().work.of(figure_id)
    subfigures, _ = screens_of(work, context.home().campaign)
    if not subfigures:
        return redirect(url_for("items.show", figure_id=figure_id, **queue_part.part_of_address()))
    return page("figure.html", work.figure)


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
    """What browsers file drafts under: another campaign on the same address has another, and it tells nothing."""
    return hashlib.blake2b(b"drafts of this campaign", key=secret[:64], digest_size=8).hexdigest()


@blueprint.get("/<path:typed>")
def loose(typed: str) -> Response:
    """An id typed as it is, slashes and all: sent on to the address that the id is written with."""
    figure = context.snapshot().figures.existing(typed)
    return redirect(url_for("figure.show", figure_id=figure.id, **queue_part.part_of_address()))
