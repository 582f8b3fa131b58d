"""Find the figure of an image by its file's name, as files of other programs write it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qs, unquote

from panelwise.domain.figure import IMAGE_AS_WRITTEN, Figure
from panelwise.files.file_names import NameIndex, id_of_image, plain_path, without_query

#: What Label Studio puts before the name of a file that was uploaded to it.
_UPLOADED = re.compile(r"^[0-9a-f]{8}-")


class ImageNames:
    """Figures' ids by the names of their images, under any spelling. ids: of all figures."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self.ids = set[str]()
        self._known, self._images = NameIndex[str](), NameIndex[str]()
        for figure in figures:
            self.ids.add(figure.id)
            self._known.add(figure.id, figure.id)
            given = [figure.image, *(figure.extra.get(key) for key in ("image_file", IMAGE_AS_WRITTEN))]
            for image in {each for each in given if isinstance(each, str) and each}:
                for name in _shorter(image):
                    self._images.add(name, figure.id)

    def figures_of(self, image: str) -> tuple[str, ...]:
        """Return the ids of the figures that an image may be of."""
        found = (index.find(name) for name in _shorter(image) for index in (self._known, self._images))
        return next(filter(None, found), ())


def _shorter(image: str) -> tuple[str, ...]:
    """Return an image's path or address whole, without its ending, both without its folders; each once.

    Of an address query and fragment are left out, but for Label Studio's local files, whose path it holds.
    """
    address, _, query = image.partition("?")
    path = plain_path(parse_qs(query).get("d", [address])[0] if address.startswith(("/", "http")) else image)
    name = path.rpartition("/")[2]
    uploaded = _UPLOADED.sub("", name)
    names = [path, id_of_image(path), name, id_of_image(name), uploaded, id_of_image(uploaded)]
    if "%" in name:  # its ending may be escaped too
        names += [id_of_image(unquote(path)), id_of_image(unquote(name))]
    if "#" in path:
        names += _shorter(without_query(path))
    return tuple(dict.fromkeys(filter(None, names)))
