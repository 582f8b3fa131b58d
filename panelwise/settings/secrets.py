"""Secret settings: from the environment, or from a file that the environment names.

A container gets its secrets as files, which neither `docker inspect` nor a child process shows.
"""

from __future__ import annotations

import os
from pathlib import Path

from panelwise.domain.errors import FormatError

#: Largest secret file in bytes: a larger one was named by mistake.
_MOST = 4096


def secret_setting(name: str) -> str:
    """Return the variable `name`, else the content of the file named by `name`_FILE; "" if neither is set.

    White space around a file's content is removed. Raises FormatError if both are set, or the file is unreadable
    or empty.
    """
    value, named = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if not named:
        return value
    if value:
        raise FormatError(f"{name} and {name}_FILE are both set; unset one of them")
    try:
        with Path(named).open("rb") as file:
            held = file.read(_MOST + 1)
    except OSError as error:
        raise FormatError(f"{name}_FILE={named}: {error.strerror}; name a file that this user may read") from error
    if len(held) > _MOST:
        raise FormatError(f"{name}_FILE={named}: is too large to be a secret; name the right file")
    try:
        secret = held.decode().strip()
    except UnicodeDecodeError:
        raise FormatError(f"{name}_FILE={named}: is not UTF-8; write the secret as text") from None
    if not secret:
        raise FormatError(f"{name}_FILE={named}: is empty; write the secret into it")
    return secret
