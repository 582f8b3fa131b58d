"""Images of figures, whole and small."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, request, send_file

from annotator.imports import thumbnails
from annotator.web.app import context
from panelwise.domain import AnnotatorError, Figure

blueprint = Blueprint("image", __name__, url_prefix="/figures")

#: How long a browser may keep an image without asking again, in seconds.
KEEP = 600

#: First bytes of the types that are sent, each under its own type whatever the file's name.
_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


@blueprint.get("/<figure:figure_id>/image")
def full(figure_id: str) -> Response:
    """The stored image; 404 if it is missing or of a type that is not sent."""
    return whole(figure_id)


@blueprint.get("/<figure:figure_id>/thumbnail")
def thumbnail(figure_id: str) -> Response:
    """A small JPEG of the image; a drawing of an empty frame where there is none."""
    return small(figure_id)


def whole(figure_id: str) -> Response:
    """See `full`; the caller has checked access."""
    path = _path(context.store().existing_figure(figure_id))
    kind = _kind(path) if path else None
    if path is None or kind is None:
        abort(404, "The figure has no image here.")
    return _cached(send_file(path, mimetype=kind, conditional=True, max_age=KEEP))


def small(figure_id: str) -> Response:
    """See `thumbnail`; the caller has checked access."""
    figure = context.store().existing_figure(figure_id)
    path = _path(figure)
    if path is None or not _kind(path):
        return _cached(current_app.send_static_file("no-image.svg"))
    try:
        picture = thumbnails.thumbnail(context.home(), figure)
    except AnnotatorError as error:
        current_app.logger.warning("no thumbnail: %s", error)
        return _cached(current_app.send_static_file("no-image.svg"))
    response = Response(picture, mimetype="image/jpeg")
    response.add_etag()
    response.make_conditional(request.environ)
    return _cached(response)


def _path(figure: Figure) -> Path | None:
    """Return the path of the image; None if there is none, or if it is outside the home."""
    if not figure.image:
        return None
    try:
        path = context.home().image_path(figure)
    except AnnotatorError as error:
        current_app.logger.warning("%s", error)
        return None
    return path if path.is_file() else None


def _kind(path: Path) -> str | None:
    """The media type by the file's first bytes; None for types that are not sent."""
    with path.open("rb") as file:
        start = file.read(12)
    if start[:4] == b"RIFF" and start[8:] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES if start.startswith(signature)), None)


def _cached(response: Response) -> Response:
    response.headers["Cache-Control"] = f"private, max-age={KEEP}"
    return response
