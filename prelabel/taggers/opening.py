"""Opening a trained tagger: its folder read, its module built again, its weights put in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from panelwise.domain import AnnotatorError, FormatError
from prelabel.models.checkpoints import CONFIG, ENCODER, find_checkpoint, load_weights, read_about
from prelabel.models.devices import choose_device
from prelabel.taggers.box_tagger import DECODERS, BoxCRF, BoxTagger
from prelabel.taggers.decoding import Pace
from prelabel.taggers.encoders import read_encoder
from prelabel.taggers.text_tagger import TextCRF, TextTagger

#: The kinds of checkpoints that are taggers.
MODULES: dict[str, type[TextCRF] | type[BoxCRF]] = {TextCRF.kind: TextCRF, BoxCRF.kind: BoxCRF}


def tagger_of(
    folder: Path, *, device: str, decode: str, amp: bool, warn: Callable[[str], None] | None
) -> TextTagger | BoxTagger:
    """See `open_tagger`."""
    about = read_about(folder, warn=warn)
    if about.kind not in MODULES:
        raise FormatError(f'{folder}: holds a "{about.kind}"; name the folder of a text-crf or a box-crf')
    if decode not in DECODERS:
        raise AnnotatorError(f'no decoding "{decode}"; give {" or ".join(DECODERS)}')
    if decode == "span" and about.kind == TextCRF.kind:
        raise AnnotatorError(
            f"{folder}: a text-crf does not see the boxes, so it cannot find a span for one; give --decode crf"
        )
    where = choose_device(device)
    place = find_checkpoint(folder)
    name, dropout = about.architecture.get("encoder"), about.architecture.get("dropout")
    if not isinstance(name, str) or not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise FormatError(f"{place / CONFIG}: the architecture of a {about.kind} is missing; get a whole copy")
    module = MODULES[about.kind](read_encoder(place / ENCODER, name=name), dropout=float(dropout))
    load_weights(folder, module)
    module.to(where)
    pace = Pace(None, amp, warn)
    if isinstance(module, BoxCRF):
        return BoxTagger(module, version=about.version, decode=decode, pace=pace)
    return TextTagger(module, version=about.version, pace=pace)
