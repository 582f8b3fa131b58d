"""The digest of a large file's content: BLAKE2b of chunks, made side by side, and of their digests."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import BinaryIO

#: Bytes of a chunk; part of what the digest is.
CHUNK = 1 << 23


class ContentHash:
    """The digest of a content whose chunks are taken one after the other, each but the last of `CHUNK` bytes."""

    def __init__(self) -> None:
        self._whole = hashlib.blake2b(digest_size=32)
        self._size = 0

    def add(self, size: int, digest: bytes) -> None:
        """Take the next chunk. size: its bytes. digest: see `digest_of`."""
        self._size += size
        self._whole.update(digest)

    def hexdigest(self) -> str:
        """The digest of all that was taken; nothing can be taken afterwards."""
        self._whole.update(self._size.to_bytes(8, "little"))
        return self._whole.hexdigest()


def digest_of(chunk: bytes | memoryview) -> bytes:
    """The digest of one chunk."""
    return hashlib.blake2b(chunk, digest_size=32).digest()


def content_hash(file: BinaryIO) -> str:
    """The digest of a file, open at its beginning."""
    found = ContentHash()
    for size, digest in _side_by_side(file) if hasattr(os, "pread") else _in_order(file):
        found.add(size, digest)
    return found.hexdigest()


def _in_order(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    while chunk := file.read(CHUNK):
        yield len(chunk), digest_of(chunk)


def _side_by_side(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Chunks read and hashed by several threads: both let others run meanwhile."""
    number = file.fileno()

    def digest_at(offset: int) -> tuple[int, bytes]:
        chunk = os.pread(number, CHUNK, offset)
        return len(chunk), digest_of(chunk)

    threads = min(8, os.cpu_count() or 1)
    waiting: deque[Future[tuple[int, bytes]]] = deque()
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for offset in range(0, os.fstat(number).st_size, CHUNK):
            try:
                waiting.append(pool.submit(digest_at, offset))
            except RuntimeError:  # The system grants no thread.
                waiting.append(_done(digest_at(offset)))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _done(found: tuple[int, bytes]) -> Future[tuple[int, bytes]]:
    done: Future[tuple[int, bytes]] = Future()
    done.set_result(found)
    return done
