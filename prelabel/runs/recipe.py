"""The models of a run as plain values, to send to other processes and open there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prelabel.models.protocols import THRESHOLD

CRF, SPAN = "crf", "span"
DECODES = (CRF, SPAN)

#: Batches to a chunk, and figures to one, at least, where no batch is given: enough that most images find others
#: of their shape, and not much to lose in a kill.
BATCHES, CHUNK = 4, 32


@dataclass(frozen=True, slots=True)
class Recipe:
    """The models of a run.

    detector: a checkpoint's folder, or a model's name; None for the classic splitter. tagger: a checkpoint's
    folder; None for the caption's grammar. classifier: a checkpoint's folder, None for no figure types. decode:
    how a box tagger chooses words, one of DECODES. device: as in `prelabel.models.devices.choose_device`. batch:
    images that the detector takes at a time, None for what suits the device. threshold: boxes that the detector
    gives a lower score are left out. ocr: whether the classic splitter may read panel letters by OCR. amp: mixed
    precision on CUDA.
    """

    detector: str | None = None
    tagger: Path | None = None
    classifier: Path | None = None
    decode: str = CRF
    device: str = "auto"
    batch: int | None = None
    threshold: float = THRESHOLD
    ocr: bool = False
    amp: bool = True

    @property
    def trained(self) -> bool:
        """True if any model is a trained one."""
        return any(each is not None for each in (self.detector, self.tagger, self.classifier))

    def chunk(self, batch: int) -> int:
        """Return the number of figures saved together. batch: of the opened detector."""
        return max(CHUNK, BATCHES * batch) if self.batch is None else BATCHES * self.batch
