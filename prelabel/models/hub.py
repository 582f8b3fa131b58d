"""Models by their name on the hub: one question before any download, so that a wrong name fails at once.

transformers asks for every file of a model with five retries each, up to 25 seconds a file, also where the hub has
no such model or there is no network at all.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from panelwise.domain import AnnotatorError, FormatError, one_line

#: The file that every model of transformers has.
CONFIG = "config.json"
#: The hub has so long to answer the one question; the library's own limit is 10.
SECONDS = 3.0
#: For `from_pretrained`: never run a model's own Python code, and never ask at the terminal whether to.
NO_CODE: Mapping[str, bool] = {"trust_remote_code": False}
_NOTHING = "no such folder, and no model of that name could be fetched ({})"


#: Most parameters (4 GB in float32), and most layers of a kind, of a model that is built from its config.json.
MOST_PARAMETERS, MOST_LAYERS = 10**9, 1000


class NotFetched(AnnotatorError):
    """No folder, and no model on the hub, has this name; or the hub gave no answer. The message is the reason."""


def refuse_absent(name_or_folder: str) -> None:
    """Raise NotFetched if surely no such model is there, without asking the hub or importing torch."""
    from huggingface_hub import constants

    path = Path(name_or_folder)
    if path.is_dir():
        return
    if path.is_absolute() or name_or_folder.startswith(".") or name_or_folder.count("/") > 1:
        raise NotFetched("no such folder")
    if constants.HF_HUB_OFFLINE and downloaded_commit(name_or_folder) is None:
        raise NotFetched(_NOTHING.format("HF_HUB_OFFLINE is set"))


def ask_hub_once(name_or_folder: str) -> bool:
    """Ask the hub whether it has a model, once and without retries; a folder is never asked for.

    Returns True if only the cached copy is to be opened (`local_files_only`): the hub gave no answer, but the
    model was downloaded before. Raises NotFetched.
    """
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
    )

    refuse_absent(name_or_folder)
    if Path(name_or_folder).is_dir():
        return False
    try:
        get_hf_file_metadata(hf_hub_url(name_or_folder, CONFIG), timeout=SECONDS)
    except GatedRepoError:
        why = "its authors give access on request; ask on its page, then log in with `hf auth login`"
    except RepositoryNotFoundError:
        why = "the hub has no such model, or a private one; check the name, or log in with `hf auth login`"
    except EntryNotFoundError:
        why = f"it has no {CONFIG}, so transformers cannot open it"
    except HFValidationError:
        why = "not a name that the hub allows"
    except Exception as error:  # The HTTP library's own: which one it is hangs on the version of huggingface_hub.
        if downloaded_commit(name_or_folder) is not None:
            return True
        why = f"the hub gives no answer: {one_line(error)[:160]}"
    else:
        return False
    raise NotFetched(_NOTHING.format(why))


def find_on_hub(name: str) -> bool:
    """As `ask_hub_once`. Raises FormatError, one line, where neither a folder nor a model has this name."""
    try:
        return ask_hub_once(name)
    except NotFetched as error:
        raise FormatError(f'detector "{name}": {error}; name a folder, or a model on the hub') from None


def downloaded_commit(name: str) -> str | None:
    """The commit of the copy that a model's name opens; None if the hub's cache does not hold it."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, CONFIG)
    return Path(found).parent.name if isinstance(found, str) else None


def refuse_hostile(auto: Any, config: Any, name_or_folder: str | None = None) -> None:
    """Raise FormatError where a model's files would take far more memory than models do.

    auto: the class of transformers that is to build the configuration; no memory is taken to find out.
    name_or_folder: of its weights, of which those in a folder are looked at; None if they are read otherwise.
    """
    import torch

    numbers = config.to_dict()
    if any(isinstance(n, int) and n > MOST_LAYERS for key, n in numbers.items() if key.endswith("layers")):
        raise FormatError(f"its {CONFIG} asks for more than {MOST_LAYERS:,} layers")
    with torch.device("meta"):
        count = sum(each.numel() for each in auto.from_config(config, **NO_CODE).parameters())
    if count > MOST_PARAMETERS:
        raise FormatError(f"its {CONFIG} asks for {count:,} parameters, more than {MOST_PARAMETERS:,}")
    for weights in () if name_or_folder is None else sorted(Path(name_or_folder).glob("*.bin")):
        refuse_compressed(weights)


def refuse_compressed(file: Path) -> None:
    """Raise FormatError for a file of torch's with compressed content, which torch never writes: a few bytes of it
    may become gigabytes."""
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            if any(each.compress_type != zipfile.ZIP_STORED for each in archive.infolist()):
                raise FormatError(f"{file}: is compressed, as torch writes no weights; get a whole copy")


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence the notes and progress bars of transformers; errors reach the user as our own lines."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
