"""Keys that stand for annotators and models on one figure's screen: the same on every load, telling nothing."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from annotator.store.queries.work import FigureWork
from panelwise.domain import Decision, InvalidAnnotation


class Keys:
    """Keys of names on one figure: HMAC of figure id and name, so that they shuffle the names, stably."""

    def __init__(self, secret: bytes, figure_id: str) -> None:
        self._secret = hashlib.sha256(b"anonymous annotators\0" + secret).digest()
        self._figure = figure_id.encode()
        self._keys: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the key of `name` on this figure."""
        if name not in self._keys:
            self._keys[name] = self._made(name)
        return self._keys[name]

    def _made(self, name: str) -> str:
        message = len(self._figure).to_bytes(4, "big") + self._figure + name.encode()
        return "a" + hmac.new(self._secret, message, hashlib.sha256).hexdigest()[:12]

    def of_reviewer(self, name: str) -> str:
        """The key of a reviewer whose decision is shown: another than if they had annotated the figure."""
        return self.of(f"\0{name}")


def names_by_key(work: FigureWork, keys: Keys) -> dict[str, str]:
    """Return key -> name of each annotator on whose work a decision can be based."""
    names = {annotation.annotator for annotation in work.annotations}
    found = {}
    for entry in work.history:
        if isinstance(entry, Decision):
            names.update(entry.based_on)
            found[keys.of_reviewer(entry.reviewer)] = entry.reviewer
    if work.prediction is not None:
        names.add(work.prediction.model_version)
    return found | {keys.of(name): name for name in names}


def names_behind(based_on: Sequence[str], by_key: Mapping[str, str]) -> tuple[str, ...]:
    """The names behind the keys, each once, in the given order. Raises InvalidAnnotation for an unknown key."""
    for position, key in enumerate(based_on):
        if key not in by_key:
            raise InvalidAnnotation(
                f'based_on[{position}]: no annotator of this figure has the key "{key}"; reload'
            )
    return tuple(dict.fromkeys(by_key[key] for key in based_on))
