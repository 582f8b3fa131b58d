"""Reading ZIP archives that may be damaged."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib

#: Exceptions from reading a damaged archive, whose flags, sizes, offsets and names may be anything.
DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
