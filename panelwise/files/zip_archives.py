"""Reading ZIP archives that may be damaged, and writing small ones."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO

#: Exceptions from reading a damaged file of an archive, of which others may be whole.
DAMAGED_ENTRY = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError)
#: Exceptions from reading a damaged archive, whose flags, sizes, offsets and names may be anything.
DAMAGE = (
    *(*DAMAGED_ENTRY, zipfile.LargeZipFile, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError),
)


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files by name; the same files give the same bytes."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
