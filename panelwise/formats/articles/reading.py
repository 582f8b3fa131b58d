"""Articles of each format, distinguished by their first bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from panelwise.domain.errors import FormatError
from panelwise.files.image_bytes import other_kind
from panelwise.files.jsonl import Problems, decode_json, repeated_key, repeated_key_problem
from panelwise.formats.articles.article import Article
from panelwise.formats.articles.docling import is_docling, read_docling
from panelwise.formats.articles.jats import read_jats
from panelwise.formats.articles.s2orc import is_paper, read_s2orc

#: The first bytes of a file, which show whether it is a ZIP archive, a PDF or another kind than XML and JSON.
_HEAD = 4096
#: The first character that is no white space.
_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\S)")


def read_articles(data: bytes, file: str, problems: Problems, metadata: bytes = b"") -> list[Article]:
    """Return the articles of a file, usually one. file: its name for messages and records.

    metadata: JSON of the paper, of the file beside a release of S2ORC. Raises FormatError if it is neither JATS
    nor JSON of S2ORC or docling.
    """
    start = _START.match(data)
    if start is None:
        raise FormatError(f"{file}: is empty; fetch the article again")
    if start[1] in (b"{", b"["):
        record = _object(data, file, problems)
        if metadata:
            record["metadata"] = msgspec.json.decode(metadata)
        return [(read_docling if is_docling(record) else read_s2orc)(record, file, problems)]
    kind = "" if start[1] == b"<" else other_kind(data[:_HEAD])
    if kind:
        raise FormatError(f"{file}: is {kind}; give the article's XML or JSON")
    return read_jats(data, file, problems)


def is_article(record: Mapping[str, Any]) -> bool:
    """Return True for a JSON object that is an article, perhaps one without its text."""
    return is_docling(record) or is_paper(record)


def _object(data: bytes, file: str, problems: Problems) -> dict[str, Any]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        record, notes = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        mend = "is it cut off? fetch it again"
        if "trailing characters" in str(error):
            mend = "give each article a file of its own, or a line of a .jsonl file"
        raise FormatError(f"{file}: not valid JSON ({error}); {mend}") from None
    first = record[0] if isinstance(record, list) and record else record
    if isinstance(first, dict) and isinstance(first.get("documents"), list):
        raise FormatError(f"{file}: is a BioC collection, which is not read; give the article's JATS or NLM XML")
    if not isinstance(record, dict):
        raise FormatError(f"{file}: holds no object; give an article as S2ORC or docling writes it")
    for note in notes:
        problems.note(f"{file}: {note}")
    key = repeated_key(data, record)
    if key is not None:
        problems.add(f"{file}: {repeated_key_problem(key)}")
    return record
