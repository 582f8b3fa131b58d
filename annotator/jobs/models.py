"""The models that were trained as jobs: folders in the campaign's home, `models/NAME`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from annotator.campaign.home import Home
from panelwise.domain import InvalidAnnotation

FOLDER = "models"
#: The curves of a training, in its model's folder.
CURVES = "curves.png"
_CONFIG = Path("best") / "config.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


class TrainedModel(msgspec.Struct, frozen=True):
    """The description stored in a checkpoint. scores: on the validation split. made_at: ISO 8601."""

    kind: str
    name: str
    scores: Mapping[str, float]
    made_at: str


def model_folder(home: Home, name: str) -> Path:
    """The folder of a model. Raises InvalidAnnotation for a name that is not one of a folder."""
    if not _NAME.fullmatch(name):
        raise InvalidAnnotation(
            "a model's name has letters, digits, dots, dashes and underscores, such as boxes-2"
        )
    return home.path / FOLDER / name


def trained_models(home: Home) -> list[TrainedModel]:
    """The models, the newest first. Folders without a whole checkpoint are left out."""
    place = home.path / FOLDER
    models = []
    for folder in place.iterdir() if place.is_dir() else ():
        try:
            about = msgspec.json.decode((folder / _CONFIG).read_bytes(), type=TrainedModel)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            continue  # a training that has no best epoch yet
        models.append(msgspec.structs.replace(about, name=folder.name))
    return sorted(models, key=lambda model: model.made_at, reverse=True)
