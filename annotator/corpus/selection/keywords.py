"""Keywords in captions and references, as appendix B of the MedICaT paper selects medical figures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from annotator.corpus.selection.text_lists import read_list
from panelwise.domain import FormatError

#: The paper's list.
MEDICAL = Path(__file__).with_name("medical_keywords.txt")
_WORD = re.compile(r"\w+")
_Words = tuple[str, ...]


class Keywords:
    """A list of keywords, to be found as whole words, also in the plural with an s.

    A keyword in capitals ("CAT") is found in capitals only, any other in upper and lower case. Words of a keyword
    may be joined by hyphens or white space ("X-ray", "X ray").
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        #: Words as written, and lower-case words, with the keyword that they are.
        self._capital: dict[_Words, str] = {}
        self._any_case: dict[_Words, str] = {}
        for name in self.names:
            words = _WORD.findall(name)
            if not words:
                raise FormatError(f'keyword "{name}" has no letters or digits; give a word')
            table, words = (self._capital, words) if name.isupper() else (self._any_case, _lower(words))
            for ending in ("", "s"):
                table.setdefault((*words[:-1], words[-1] + ending), name)
        self._lengths = sorted({len(words) for words in (*self._capital, *self._any_case)})

    @classmethod
    def read(cls, path: Path) -> Keywords:
        """Return the keywords of a text file, one a line. Raises FormatError."""
        try:
            return cls(read_list(path))
        except FormatError as error:
            raise error if str(error).startswith(str(path)) else FormatError(f"{path}: {error}") from None

    def find(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the keywords that any of the texts has."""
        found: set[str] = set()
        for text in texts:
            words = _WORD.findall(text)
            for table, forms in ((self._capital, words), (self._any_case, _lower(words))):
                for length in self._lengths:
                    runs = set(zip(*(forms[start:] for start in range(length)), strict=False))
                    found.update(table[run] for run in runs & table.keys())
        return frozenset(found)


def _lower(words: list[str]) -> list[str]:
    return [word.lower() for word in words]
