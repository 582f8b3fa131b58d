"""Find images that are nearly the same as earlier ones: scaled, recompressed; needs `panelwise[corpus]`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotator.corpus.selection.figure_lines import FigureLine
from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import image_path
from panelwise.images import read_bytes, read_picture

#: Side of the square of frequencies that a hash compares: 256 bits.
_SIDE = 16
_WORDS = _SIDE * _SIDE // 64
#: Most bits in which hashes of nearly the same images differ. Of 200 real figures, copies in a quarter of the
#: size, as GIF and as JPEG of quality 40 differ in 8 at most, two different figures in 68 at least.
DISTANCE = 16


class NearDuplicates:
    """The images seen so far, at 32 bytes and an id each; every new one is compared with all of them.

    images: folder of the figures' image paths. Raises AnnotatorError if the extra is not installed.
    """

    def __init__(self, images: Path) -> None:
        try:
            import imagehash
        except ImportError:
            raise AnnotatorError('--images needs panelwise[corpus]; pip install "panelwise[corpus]"') from None
        self._hash = imagehash.phash
        self._images = images
        self._hashes: NDArray[np.uint64] = np.zeros((1024, _WORDS), np.uint64)
        self._names: list[str] = []

    def earlier(self, figure: FigureLine) -> str:
        """Return the id of the first figure with nearly the same image; "" if none, and remember the image.

        Raises FormatError for an image that is missing or cannot be read.
        """
        bits = self._read(figure)
        count = len(self._names)
        distances = np.bitwise_count(self._hashes[:count] ^ bits).sum(axis=1)
        near = np.flatnonzero(distances <= DISTANCE)
        if near.size:
            return self._names[int(near[0])]
        if count == len(self._hashes):
            self._hashes = np.concatenate((self._hashes, np.zeros_like(self._hashes)))
        self._hashes[count] = bits
        self._names.append(figure.figure_id)
        return ""

    def _read(self, figure: FigureLine) -> NDArray[np.uint64]:
        """Return the hash of a figure's image, (_WORDS,)."""
        if not figure.image or "://" in figure.image:
            raise FormatError(f'figure "{figure.figure_id}": names no image file; get its image')
        path = image_path(self._images, figure.image)
        picture = read_picture(read_bytes(path), path)
        found = self._hash(picture.image.convert("L"), hash_size=_SIDE)
        return np.packbits(found.hash.ravel()).view(np.uint64)
