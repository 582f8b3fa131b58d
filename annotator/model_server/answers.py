"""A model's answers to Label Studio's tasks, in its ML backend protocol, and the images of these tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

from PIL import Image

from annotator.campaign.palette import on_palette
from annotator.label_studio.payload.figures import prediction_payload
from annotator.label_studio.payload.items import items_prediction
from label_config import names
from panelwise.domain import (
    AnnotatorError,
    Caption,
    Figure,
    FormatError,
    Phase,
    Prediction,
    SyncError,
    TaskType,
    one_line,
)
from panelwise.files import image_path
from panelwise.images import read_bytes, read_picture
from panelwise.runtime import http_client, record_fault
from panelwise.settings import ImageLimits
from prelabel.runs import Prelabeller

#: Longest labelling config that is read, in characters.
MOST_CONFIG = 1_000_000
_TYPES = Phase(name="types", task_type=TaskType.FIGURE_TYPES)


class Answers:
    """A model behind Label Studio's protocol. It predicts one figure at a time for all clients.

    warn: hears, a line each, of figures that could not be done.
    """

    def __init__(self, model: Prelabeller, images: ImageSource, warn: Callable[[str], None]) -> None:
        self._model = model
        self._images = images
        self._warn = warn
        self._one = threading.Lock()

    @property
    def version(self) -> str:
        """Of the model."""
        return self._model.version

    def check(self, config: str) -> None:
        """Raise FormatError, one line, where projects of this labelling config cannot be served."""
        if not labels_of(config) and not asks_for_types(config):
            raise FormatError(
                f'the labelling config has neither <RectangleLabels name="{names.SUBFIGURE}"> nor '
                f'<Choices name="{names.TYPES}">; only projects made by `annotator push` can be served'
            )

    def predictions(
        self, tasks: Sequence[object], config: str, *, single_span: bool = False
    ) -> list[dict[str, Any] | list[Any]]:
        """Return an answer for each task, in order; empty for one that failed: it is not stored, and the task
        is requested again when it is opened next.
        """
        labels, types = labels_of(config), asks_for_types(config)
        found: list[dict[str, Any] | list[Any]] = []
        for task in tasks:
            try:
                found.append(self._prediction(task, labels, types, single_span) or [])
            except AnnotatorError as error:
                self._warn(str(error))
                found.append([])
            except Exception as error:  # A fault of the model's on one figure must not stop the server.
                self._warn(f"{_named(task)}: the model failed on it ({record_fault(error)})")
                found.append([])
        return found

    def _prediction(
        self, task: object, labels: Sequence[str], types: bool, single_span: bool
    ) -> dict[str, Any] | None:
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping):
            raise FormatError(f"{_named(task)}: has no data")
        image = self._images.image(_image_address(data, _named(task)))
        figure = figure_of_task(data, image, _named(task))
        with self._one:
            prediction = self._model.predict(figure, image)
        if not labels:
            kind = prediction.items.kind if types else None
            return signed(items_prediction(_TYPES, (), kind), self.version)
        return signed(prediction_payload(_offered(prediction, labels), single_span=single_span), self.version)


def signed(payload: dict[str, Any] | None, version: str) -> dict[str, Any] | None:
    """The prediction, each region bearing the model's version: all of a project's predictions share one there.

    What is read back from there: `annotator.label_studio.payload.reading`.
    """
    if payload is None:
        return None
    return {**payload, "result": [{**region, names.REGION_MODEL: version} for region in payload["result"]]}


def labels_of(config: str) -> tuple[str, ...]:
    """Return the labels that a project offers for subfigures; empty if its config has none.

    Raises FormatError for a config that is no XML, or has a document type: entities are not for configs.
    """
    root = _parsed(config)
    return tuple(
        value
        for control in root.iter("RectangleLabels")
        if control.get("name") == names.SUBFIGURE
        for label in control.iter("Label")
        if (value := label.get("value"))
    )


def asks_for_types(config: str) -> bool:
    """Return whether a project asks what types a figure has."""
    return any(control.get("name") == names.TYPES for control in _parsed(config).iter("Choices"))


def _parsed(config: str) -> ElementTree.Element:
    if len(config) > MOST_CONFIG or "<!DOCTYPE" in config or "<!ENTITY" in config:
        raise FormatError("the labelling config is too long, or has a document type; leave that out")
    try:
        return ElementTree.fromstring(config)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise FormatError(
            f"the labelling config is no XML ({error}); correct it in the project's settings"
        ) from None


def _offered(prediction: Prediction, labels: Sequence[str]) -> Prediction:
    """With the project's labels only: the server refuses others."""
    renamed = on_palette(prediction, labels, spare=True)
    return renamed.take([place for place, part in enumerate(renamed.subfigures) if part.label in labels])


def _named(task: object) -> str:
    number = task.get("id") if isinstance(task, Mapping) else None
    return f"task {number}" if isinstance(number, int) else "a task"


#: The address under which Label Studio serves files of a folder: `?d=` and the path below its root.
_LOCAL_FILES = "/data/local-files/"
#: Seconds that Label Studio is given for an image.
_TIMEOUT = 20.0


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
        local = parts.path.endswith(_LOCAL_FILES) and not self._foreign(address)
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
                http_client(url, _TIMEOUT) as client,
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


def _image_address(data: Mapping[str, Any], name: str) -> str:
    """Return the address of a task's image. Raises FormatError if its data has none."""
    address = data.get(names.DATA_IMAGE)
    if not isinstance(address, str) or not address:
        raise FormatError(f'{name}: no "{names.DATA_IMAGE}" in its data; push it with `annotator push`')
    return address


def _brief(text: str) -> str:
    return one_line(text)[:200]
