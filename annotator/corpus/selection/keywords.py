"""Keywords of figures, found in their captions and references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from panelwise.domain import FormatError
from panelwise.files import open_input

_WORD = re.compile(r"\w+")

#: The list of the MedICaT paper, by which it selects medical figures (appendix B).
MEDICAL = Path(__file__).with_name("medical_keywords.txt")
_Words = tuple[str, ...]


class Keywords:
    """A list of keywords, to be found as whole words, also in the plural with an s, in upper and lower case.

    Words of a keyword may be joined by hyphens or white space ("X-ray", "X ray").
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        #: Lower-case words with the keyword that they are, and words of a keyword in capitals as written.
        self._lower: dict[_Words, str] = {}
        self._capitals: dict[_Words, str] = {}
        for name in self.names:
            words = _WORD.findall(name)
            if not words:
                raise FormatError(f'keyword "{name}" has no letters or digits; give a word')
            for ending in ("", "s"):
                self._lower.setdefault((*_lower(words[:-1]), words[-1].lower() + ending), name)
                if name.isupper():
                    self._capitals[(*words[:-1], words[-1] + ending)] = name
        self._lengths = sorted({len(words) for words in self._lower})

    @classmethod
    def read(cls, path: Path) -> Keywords:
        """Return the keywords of a text file, one a line. Raises FormatError."""
        try:
            return cls(read_list(path))
        except FormatError as error:
            raise error if str(error).startswith(str(path)) else FormatError(f"{path}: {error}") from None

    def find(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the keywords that any of the texts has, in upper or lower case, as the MedICaT paper has them."""
        return self._find(self._lower, [_lower(_WORD.findall(text)) for text in texts])

    def find_as_written(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the keywords that any of the texts has; those in capitals ("CAT") in capitals only."""
        words = [_WORD.findall(text) for text in texts]
        others = self._find(self._lower, [_lower(each) for each in words])
        return frozenset(name for name in others if not name.isupper()) | self._find(self._capitals, words)

    def _find(self, table: dict[_Words, str], texts: Iterable[list[str]]) -> frozenset[str]:
        found: set[str] = set()
        for words in texts:
            for length in self._lengths:
                runs = set(zip(*(words[start:] for start in range(length)), strict=False))
                found.update(table[run] for run in runs & table.keys())
        return frozenset(found)


def _lower(words: list[str]) -> list[str]:
    return [word.lower() for word in words]


def read_list(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file without blank ones and comments (#), white space at their ends removed.

    Raises FormatError if it cannot be read or has no such line.
    """
    with open_input(path) as file:
        try:
            lines = [line.strip() for line in file.read().decode("utf-8-sig").splitlines()]
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    entries = [line for line in lines if line and not line.startswith("#")]
    if not entries:
        raise FormatError(f"{path}: is empty; give one entry a line")
    return entries
