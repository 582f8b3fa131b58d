from __future__ import annotations

import hashlib
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.reading import content
from agreement.reading.content import ContentHash, content_hash, digest_of


def hash_of(whole: bytes) -> str:
    with tempfile.TemporaryFile() as file:
        file.write(whole)
        file.seek(0)
        return content_hash(file)


@pytest.mark.parametrize("missing", ["threads", "reading at a place"])
def test_without_threads_or_reading_at_a_place_the_digest_is_the_same(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(content, "CHUNK", 2)
    whole = hash_of(b"abc")
    if missing == "threads":
        monkeypatch.setattr(content.ThreadPoolExecutor, "submit", refuse)
    else:
        monkeypatch.delattr(content.os, "pread")
    assert hash_of(b"abc") == whole


@given(st.binary(max_size=200), st.integers(1, 30))
def test_the_digest_is_of_the_chunks_digests_and_the_size(whole: bytes, chunk: int) -> None:
    chunks = [whole[at : at + chunk] for at in range(0, len(whole), chunk)]
    found = ContentHash()
    for each in chunks:
        found.add(len(each), digest_of(each))
    parts = [hashlib.blake2b(each, digest_size=32).digest() for each in chunks]
    expected = hashlib.blake2b(b"".join(parts), digest_size=32)
    expected.update(len(whole).to_bytes(8, "little"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "CHUNK", chunk)
        assert hash_of(whole) == found.hexdigest() == expected.hexdigest()
