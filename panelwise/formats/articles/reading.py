"""Articles of either format, told apart by how they begin."""

from __future__ import annotations

import re

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article
from panelwise.formats.articles.jats import read_jats
from panelwise.formats.articles.s2orc import read_s2orc

#: The first character that is no white space.
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\S)")


def read_articles(data: bytes, file: str, problems: Problems) -> list[Article]:
    """Return the articles of a file, usually one. file: its name for messages and records.

    Raises FormatError if it is neither JATS nor S2ORC JSON.
    """
    start = _START.match(data)
    if start is None:
        raise FormatError(f"{file}: is empty; fetch the article again")
    if start[1] in (b"{", b"["):
        return [read_s2orc(data, file)]
    return read_jats(data, file, problems)
