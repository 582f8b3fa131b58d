"""Label Studio's tasks as figures with their images, for a model; and where images may come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from PIL import Image

from label_config import names
from panelwise.domain import Caption, Figure, FormatError, SyncError, one_line
from panelwise.files import image_path
from panelwise.images import read_bytes, read_picture
from panelwise.runtime import http_client
from panelwise.settings import ImageLimits

#: The address under which Label Studio serves files of a folder: `?d=` and the path below its root.
LOCAL_FILES = "/data/local-files/"
#: Seconds that Label Studio is given for an image.
TIMEOUT = 20.0


@dataclass(frozen=True, slots=True)
class ImageSource:
    """The folder of tasks' images. folder: Label Studio's root of local files, None if it is not on this machine.

    studio, token: Label Studio's address and a token for it, "" where images are not to be asked of it. Nothing
    else is ever fetched.
    """

    folder: Path | None = None
    studio: str = ""
    token: str = ""
    limits: ImageLimits = field(default_factory=ImageLimits)

    def image(self, address: str) -> Image.Image:
        """The image, upright and opaque. Raises FormatError or SyncError, one line, where it cannot be had."""
        parts = urlsplit(address)
        local = parts.path.endswith(LOCAL_FILES) and not self._foreign(address)
        if self.folder is not None and local:
            path = self._below(self.folder, parse_qs(parts.query).get("d", [""])[0])
            return read_picture(read_bytes(path, self.limits), path, self.limits).image
        if self.studio and not self._foreign(address):
            return read_picture(self._fetched(address), _brief(address), self.limits).image
        raise FormatError(
            f"{_brief(address)}: is not served by the folder or the Label Studio that images are taken from; "
            "give --images, or --label-studio and a token"
        )

    def _foreign(self, address: str) -> bool:
        """Return whether the address is of a server other than this Label Studio."""
        parts = urlsplit(address)
        if not parts.scheme and not parts.netloc:
            return not address.startswith("/")
        own = urlsplit(self.studio)
        return (parts.scheme, parts.netloc) != (own.scheme, own.netloc)

    def _below(self, folder: Path, given: str) -> Path:
        """A file below the folder. Raises FormatError for what would lead out of it."""
        path = image_path(folder, unquote(given).lstrip("/"))
        if not given or not path.resolve().is_relative_to(folder.resolve()):
            raise FormatError(f'"{_brief(given)}": leads out of the folder of images; leave ".." out')
        return path

    def _fetched(self, address: str) -> bytes:
        import httpx

        url = address if urlsplit(address).scheme else f"{self.studio.rstrip('/')}{address}"
        headers = {"Authorization": f"Token {self.token}"} if self.token else {}
        try:
            with (
                http_client(url, TIMEOUT) as client,
                client.stream("GET", url, headers=headers) as answer,
            ):
                if answer.status_code != 200:
                    raise SyncError(f"{_brief(url)}: Label Studio answers {answer.status_code}; check the token")
                data = bytearray()
                for piece in answer.iter_bytes():
                    data += piece
                    if len(data) > self.limits.max_bytes:
                        raise FormatError(f"{_brief(url)}: is larger than images may be; scale it down")
                return bytes(data)
        except httpx.HTTPError as error:
            raise SyncError(
                f"{_brief(url)}: cannot be fetched ({one_line(error)}); check --label-studio"
            ) from error


def figure_of_task(data: Mapping[str, Any], image: Image.Image, name: str) -> Figure:
    """The figure that a task shows. name: what to call it where its data does not say.

    Raises FormatError if the data has no caption that is a text.
    """
    caption = data.get(names.DATA_CAPTION)
    if caption is not None and not isinstance(caption, str):
        raise FormatError(f'{name}: "{names.DATA_CAPTION}" is no text; give the caption')
    source = data.get(names.DATA_SOURCE)
    figure_id = names.figure_of_source(source)[0] if isinstance(source, str) and source else name
    return Figure(figure_id, "", image.width, image.height, Caption.cut(caption or ""))


def image_address(data: Mapping[str, Any], name: str) -> str:
    """Return the address of a task's image. Raises FormatError if its data has none."""
    address = data.get(names.DATA_IMAGE)
    if not isinstance(address, str) or not address:
        raise FormatError(f'{name}: no "{names.DATA_IMAGE}" in its data; push it with `annotator push`')
    return address


def _brief(text: str) -> str:
    return one_line(text)[:200]
