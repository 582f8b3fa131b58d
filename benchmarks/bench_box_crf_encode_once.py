"""The Text+Box tagger: each caption encoded once for all its boxes, against once for every box; the same tags.

The promise: at least 3 times as fast at 3.6 boxes a caption, MedICaT's mean. The encoder has random weights and a
quarter of the parameters of the paper's: the larger it is, the more is saved. Times are those of the processor, so
that a busy machine shows less.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from itertools import cycle, islice

import torch

from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.taggers.decoding import Pace
from prelabel.taggers.encoders import tiny_encoder
from prelabel.taggers.models import BoxCRF, BoxTagger

#: Boxes of ten captions: 3.6 on average.
BOXES = (2, 3, 4, 6, 2, 3, 4, 5, 3, 4)
CAPTIONS, BATCH, RUNS, PROMISED = 20, 2, 3, 3.0
SIZE = {"hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8, "intermediate_size": 2048}
PHRASE = "({}) Axial CT of the liver after treatment, showing a mass of 5 mm in the left lobe (arrow)."


def items() -> list[CaptionedBoxes]:
    found = []
    for number, count in enumerate(islice(cycle(BOXES), CAPTIONS)):
        parts = [PHRASE.format("ABCDEF"[place]) for place in range(count)]
        boxes = tuple(Box(100 * place, 0, 100 * place + 90, 200) for place in range(count))
        found.append(CaptionedBoxes(Caption.cut(f"Case {number}. {' '.join(parts)}"), boxes, 100 * count, 200))
    return found


def each_alone(asked: Sequence[CaptionedBoxes]) -> list[CaptionedBoxes]:
    return [CaptionedBoxes(item.caption, (box,), item.width, item.height) for item in asked for box in item.boxes]


def tags(found: Sequence[Tagged]) -> list[frozenset[int]]:
    return [tokens for tagged in found for tokens in tagged.subcaptions]


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    asked = items()
    module = BoxCRF(tiny_encoder([item.caption.text for item in asked], **SIZE))
    with torch.no_grad():
        # As they come, all weights are so small that every tag would be the same.
        for weights in (module.place.weight, module.join.weight, module.score.weight):
            weights.normal_(std=0.5)
    tagger = BoxTagger(module, version="bench", pace=Pace(batch=BATCH))
    alone = each_alone(asked)
    tagger.tag(asked[:2])
    once, often = [], []
    for _ in range(RUNS):
        began = time.process_time()
        together = tagger.tag(asked)
        middle = time.process_time()
        apart = tagger.tag(alone)
        once.append(middle - began)
        often.append(time.process_time() - middle)
        if tags(together) != tags(apart):
            sys.exit("encoded once and encoded for every box, the tags differ")
    ratios = sorted(slow / quick for quick, slow in zip(once, often, strict=True))
    boxes = len(alone) / len(asked)
    print(f"{len(asked)} captions, {boxes:.1f} boxes each, {RUNS} runs (median, range; time of the processor)")
    print(f"  encoded once            {statistics.median(once):.2f} s  ({min(once):.2f} to {max(once):.2f})")
    print(f"  encoded for every box   {statistics.median(often):.2f} s  ({min(often):.2f} to {max(often):.2f})")
    print(f"  ratio                   {statistics.median(ratios):.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"  the same tags, {len(set(tags(together)))} different subcaptions among them")
    if statistics.median(ratios) < PROMISED:
        sys.exit(f"slower than promised: less than {PROMISED:g} times as fast")


if __name__ == "__main__":
    main()
