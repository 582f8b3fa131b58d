"""Reading ZIP archives that may be damaged."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib

#: Exceptions from reading a damaged file of an archive, of which others may be whole.
DAMAGED_ENTRY = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError)
#: Exceptions from reading a damaged archive, whose flags, sizes, offsets and names may be anything.
DAMAGE = (
    *(*DAMAGED_ENTRY, zipfile.LargeZipFile, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)
