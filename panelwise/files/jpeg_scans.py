"""Find the scans of a JPEG: whether all were sent, and where the data of the last one end."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

#: A marker amid coded data: neither a stuffed zero, nor a restart, nor a fill byte.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_SCAN, _END = 0xDA, 0xD9
_PROGRESSIVE = 0xC2
_FRAMES = (0xC0, 0xC1, _PROGRESSIVE)
_COEFFICIENTS = 64
#: Put behind the last scan's data: a decoder that has all of it passes over these bytes.
_PADDING = b"\x5a\xa5" * 64


@dataclass(slots=True)
class JpegScans:
    """The scans of a JPEG's first picture.

    count: number of scans. end: byte behind the last one's data, 0 without any. _left: of each component, the
    lowest bit sent of each coefficient, -1 if none was.
    """

    progressive: bool = False
    components: int = 0
    count: int = 0
    end: int = 0
    _left: dict[int, list[int]] = field(default_factory=lambda: defaultdict(lambda: [-1] * _COEFFICIENTS))

    @property
    def is_incomplete(self) -> bool:
        """Return True for a progressive JPEG that was not sent to its last bit."""
        if not self.progressive:
            return False
        return len(self._left) < self.components or any(bit != 0 for bits in self._left.values() for bit in bits)

    def add(self, head: bytes) -> None:
        """Count a scan from the bytes of its head, behind the length."""
        number = head[0] if head else 0
        if len(head) < 2 * number + 4:
            return
        self.count += 1
        first, last, bits = head[2 * number + 1 : 2 * number + 4]
        for component in head[1 : 2 * number : 2]:
            for place in range(first, min(last, _COEFFICIENTS - 1) + 1):
                self._left[component][place] = bits & 15


def scans_of(data: bytes) -> JpegScans:
    """Return the scans of a JPEG up to its end marker."""
    found, at = JpegScans(), 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # A fill byte.
            at += 1
            continue
        if marker == _END:
            break
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        head, at = data[at + 4 : at + 2 + size], at + 2 + size
        if marker in _FRAMES and len(head) > 5:
            found.progressive, found.components = marker == _PROGRESSIVE, head[5]
        elif marker == _SCAN:
            found.add(head)
            behind = _MARKER.search(data, at)
            at = found.end = behind.start() if behind else len(data)
    return found


def padded(data: bytes, scans: JpegScans) -> bytes:
    """Return the JPEG with bytes behind its last scan, which change the picture only if the scan ends early."""
    return data[: scans.end] + _PADDING + data[scans.end :]
