"""An engine whose least certain predictions get the text that a language model finds in their captions."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelwise.domain import AnnotatorError, FormatError, Prediction
from panelwise.files import Problems
from panelwise.runtime import counted, write_whole
from prelabel.assistant.answers import PanelTexts, messages, read_answer
from prelabel.assistant.server import LanguageModel, RequestRefused
from prelabel.runs.predict import open_image

if TYPE_CHECKING:
    from prelabel.runs.engines import Engine, Slot

#: Figures whose least certain subfigure scores lower are asked about.
BELOW = 0.8
#: Requests under way at once.
AT_ONCE = 4
#: Hexadecimal digits of the prompt's hash in a version.
SHORT = 8


@dataclass(slots=True)
class Tally:
    """Counts of a run. figures: all; requested: those that a model was asked about.

    from_cache: of these, answered before. refused: quotes that the caption does not hold. unusable: answers of no
    use at all.
    """

    figures: int = 0
    requested: int = 0
    from_cache: int = 0
    refused: int = 0
    unusable: int = 0

    def describe(self) -> str:
        """In one line."""
        line = f"assistant: asked about {self.requested} of {counted(self.figures, 'figure')}"
        parts = [
            f"{counted(self.from_cache, 'answer')} from earlier runs" if self.from_cache else "",
            f"{counted(self.refused, 'quote')} refused that the caption does not hold" if self.refused else "",
            f"{counted(self.unusable, 'answer')} of no use" if self.unusable else "",
        ]
        told = "; ".join(part for part in parts if part)
        return f"{line} ({told})" if told else line


def packaged_prompt() -> str:
    """The instructions that the model gets, as the package has them."""
    return files("prelabel.assistant").joinpath("prompt.txt").read_text("utf-8")


class AssistedEngine:
    """Runs another engine, and asks a language model for the text of panels where a figure's score is low.

    Boxes, labels and scores stay as they are: a score does not know what the model read. version: the engine's,
    with the model's name and a hash of the prompt. Answers are cached in a folder by the whole request, so that no
    question is asked, or paid for, twice.
    """

    def __init__(
        self,
        engine: Engine,
        model: LanguageModel,
        answers: Path,
        *,
        prompt: str,
        below: float = BELOW,
        images: bool = False,
    ) -> None:
        """answers: folder, made on first use. below: see BELOW. images: whether the model sees the image."""
        self._engine, self._model, self._answers = engine, model, answers
        self._prompt, self._below, self._images = prompt, below, images
        self._lock = threading.Lock()
        self.tally = Tally()
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.name)
        seen = "-images" if images else ""
        self.version = f"{engine.version}+{name}{seen}-{_hash(prompt)[:SHORT]}"

    def run(self, slots: Iterable[Slot], problems: Problems) -> Iterator[list[Prediction]]:
        """See `Engine`. Raises AnnotatorError if the server is gone; earlier predictions are stored."""
        paths: dict[str, Path] = {}

        def noted() -> Iterator[Slot]:
            for slot in slots:
                if slot is not None:
                    paths[slot[0].id] = slot[1]
                yield slot

        with closing(self._model), ThreadPoolExecutor(AT_ONCE, "assistant") as threads:
            for together in self._engine.run(noted(), problems):
                asked = [
                    threads.submit(self._assisted, each, paths.pop(each.figure.id), problems) for each in together
                ]
                try:
                    yield [each.result() for each in asked]
                except BaseException:
                    for each in asked:
                        each.cancel()
                    raise

    def _assisted(self, prediction: Prediction, path: Path, problems: Problems) -> Prediction:
        named = replace(prediction, model_version=self.version)
        certainty = min(prediction.scores, default=None)
        with self._lock:
            self.tally.figures += 1
        alone = len(prediction.subfigures) < 2
        if alone or certainty is None or certainty >= self._below or not prediction.figure.caption.text.strip():
            return named
        found = self._texts(prediction, path, problems)
        if found is None:
            return named
        subfigures = tuple(
            replace(subfigure, subcaption=found.tokens.get(subfigure.label, subfigure.subcaption))
            for subfigure in prediction.subfigures
        )
        return replace(named, subfigures=subfigures)

    def _texts(self, prediction: Prediction, path: Path, problems: Problems) -> PanelTexts | None:
        """Return the model's answer, cached or new; None if it is unusable."""
        figure = prediction.figure
        image = open_image(path) if self._images else None
        asked = messages(figure, prediction.subfigures, self._prompt, image)
        kept = self._answers / f"{_hash({'model': self._model.name, 'messages': asked})}.json"
        labels = [subfigure.label for subfigure in prediction.subfigures]
        text = _read(kept)
        known = text is not None
        try:
            if text is None:
                text = self._model.answer(asked)
            found = read_answer(text, figure.caption, labels)
        except (RequestRefused, FormatError) as error:
            problems.note(f'figure "{figure.id}": assistant: {error}; its text stays as it was')
            with self._lock:
                self.tally.requested += 1
                self.tally.unusable += 1
            return None
        if not known:
            _write(kept, text)
        with self._lock:
            self.tally.requested += 1
            self.tally.from_cache += known
            self.tally.refused += found.refused
        return found


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotatorError(f"{path}: {error}; remove the file to ask again") from None


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise AnnotatorError(f"{path}: {error.strerror}; answers are kept there") from None


def _hash(value: str | Mapping[str, Any] | Sequence[Any]) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
