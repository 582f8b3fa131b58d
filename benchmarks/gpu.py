"""Every figure that needs a GPU, in one command of under ten minutes on one H100 or H200 (torch from 2.11).

1. The detector at 800 pixels from files to predictions, as `prelabel run` goes: promised are 120 figures a second,
   warm, and 400 on an H200; and one figure at a time in float32 (the paper: 77 s for 316).
2. Both taggers on 312 captions, BERT's base size: promised .3 s (text) and .4 s (text and box), warm; and one at a
   time in float32 (the paper: 13 s and 51 s). Weights are random: what is found does not change how long it takes.
3. The 320 detector trained from random weights on 2,000 simulated figures for the minutes given; mAP .5:.95 on 300
   others is promised to reach .80. Then real figures (--data, the folder with gold_annotations.jsonl), beside the
   splitter that needs no weights.
4. Each kind trained by torchrun, killed and resumed: seconds an epoch, the detector's without mixed precision too;
   the matcher at the paper's size, 135 million parameters, ResNet-50 at 224 pixels learning too.

    python benchmarks/gpu.py [--data DIR] [--minutes 4] [--out gpu.json]
    python benchmarks/gpu.py --smoke    # all of it in two minutes on a CPU, with toys: whether it runs, no figures

Needed: panelwise[models,coco]. A promise that is not kept is told, and the exit is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from choosy import make_choosy
from gpu_trainings import resumed, seconds_an_epoch
from PIL import Image

from agreement.score.detection import detect
from panelwise.domain.box import Box
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.runtime.parallel import cores
from panelwise_simulator.figures import drawn_files, write_figures
from prelabel.classic.prelabeller import CLASSIC
from prelabel.detectors.batched import BatchedDetector, fused
from prelabel.detectors.faster_rcnn import LEAST_SCORE, MOBILENET_320, RESNET50, TINY, FasterRcnn, architecture_of
from prelabel.models.checkpoints import About, load_weights
from prelabel.models.devices import choose_device
from prelabel.models.protocols import THRESHOLD, CaptionedBoxes, Detections
from prelabel.runs.engines import PlainEngine
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import Recipe
from prelabel.runs.predict import Job, open_image
from prelabel.taggers.decoding import Pace
from prelabel.taggers.encoders import tiny_encoder
from prelabel.taggers.models import BoxCRF, BoxTagger, TextCRF, TextTagger
from prelabel.training.data.examples import Example, read_examples
from prelabel.training.data.gold_files import Chosen
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import Settings, fit, seed_all
from prelabel.training.tasks.detector import DetectorTask, box_scores

#: BERT's base size, of which SciBERT is.
BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
#: Boxes: as COCO and the paper count a hit.
HIT = 0.5


@dataclass(frozen=True)
class Plan:
    """The sizes of the measurements."""

    detector: str = RESNET50
    trained: str = MOBILENET_320
    figures: int = 640
    alone: int = 316
    captions: int = 312
    encoder: dict[str, int] = field(default_factory=lambda: dict(BASE))
    train: int = 2000
    test: int = 300
    minutes: float = 4.0
    batch: int = 32
    made: str = "base"
    matcher: tuple[str, ...] = ("--references",)
    smoke: bool = False


SMOKE = Plan(
    TINY, TINY, 6, 2, 4, {}, 4, 2, 0.02, 2, "tiny", ("--architecture", "resnet18", "--side", "32"), smoke=True
)


@dataclass
class Report:
    """Lines as they come, and all of it so far as JSON in `out`."""

    smoke: bool
    out: Path | None = None
    found: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def tell(self, key: str, value: Any, text: str, *, kept: bool = True) -> None:
        self.found[key] = value
        print(f"{text}{'' if kept or self.smoke else '  NOT KEPT'}", flush=True)
        if not kept:
            self.broken.append(text)
        if self.out:
            self.out.write_text(json.dumps(self.found, indent=2) + "\n", encoding="utf-8")


def waited(device: torch.device) -> float:
    """The time, when all that was asked of the device is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def timed(device: torch.device, work: Callable[[], Any]) -> float:
    began = waited(device)
    work()
    return waited(device) - began


def drawn(folder: Path, count: int, seed: int, split: Split, plan: Plan) -> list[Example]:
    """Simulated figures in files, all of one split."""
    write_figures(drawn_files(count, seed=seed, processes=1 if plan.smoke else cores()), folder)
    truth = read_examples(
        folder / "annotations.jsonl", Problems(), figures=folder / "figures.jsonl", images=folder
    )
    return [Example(each.figure, each.image, each.subfigures, split) for each in truth]


# ---- speed ----------------------------------------------------------------------------------------


def detector_speed(report: Report, plan: Plan, examples: Sequence[Example], device: torch.device) -> None:
    torch.manual_seed(0)
    module = fused(FasterRcnn(architecture_of(plan.detector)))
    jobs = [(each.figure, each.image) for each in examples]
    make_choosy(module, [open_image(path) for _, path in jobs[:8]])
    batch = 2 if plan.smoke else 32
    detector = BatchedDetector(module, version="random", device=device, batch=batch)
    engine = PlainEngine(FigureModel(Recipe(batch=batch), detector=detector))

    def all_of(some: Sequence[Job]) -> None:
        problems = Problems()
        done = sum(map(len, engine.run(some, problems)))
        if done < len(some):
            sys.exit("; ".join(problems.lines))

    all_of(jobs[: max(2, len(jobs) // 4)])
    seconds = timed(device, lambda: all_of(jobs))
    rate = len(jobs) / seconds
    promised = 400 if device.type == "cuda" and "H200" in torch.cuda.get_device_name(device) else 120
    report.tell(
        "detector_figures_a_second",
        rate,
        f"detector, {module.sizing.shorter} px, from files: {rate:.1f} figures a second (promised {promised})",
        kept=rate >= promised,
    )
    alone = BatchedDetector(module, version="random", device=device, batch=1, amp=False)
    images = [path for _, path in jobs[: plan.alone]]
    alone.detect([open_image(images[0])])
    seconds = timed(device, lambda: [alone.detect([open_image(path)]) for path in images])
    report.tell(
        "detector_alone_seconds",
        seconds,
        f"detector, one at a time, float32: {seconds:.2f} s for {len(images)} (the paper: 77 s for 316)",
    )


def tagger_speed(report: Report, plan: Plan, examples: Sequence[Example], device: torch.device) -> None:
    torch.manual_seed(0)
    items = [
        CaptionedBoxes(
            each.figure.caption,
            tuple(part.box for part in each.subfigures),
            each.figure.width,
            each.figure.height,
        )
        for each in examples[: plan.captions]
    ]
    texts = [item.caption.text for item in items]
    for key, promised, paper in (("text", 0.3, 13), ("box", 0.4, 51)):
        encoder = tiny_encoder(texts, **plan.encoder)
        module = (TextCRF(encoder) if key == "text" else BoxCRF(encoder)).to(device)

        def tagger(pace: Pace, module: Any = module, key: str = key) -> Any:
            made = TextTagger if key == "text" else BoxTagger
            return made(module, version="random", pace=pace)

        together = tagger(Pace(None, True, None))
        together.tag(items)
        seconds = min(timed(device, partial(together.tag, items)) for _ in range(3))
        report.tell(
            f"{key}_tagger_seconds",
            seconds,
            f"{key} tagger: {seconds:.3f} s for {len(items)} captions (promised {promised:g} s for 312)",
            kept=seconds <= promised,
        )
        alone = tagger(Pace(1, False, None))
        alone.tag(items[:1])
        seconds = timed(device, partial(one_by_one, alone, items))
        report.tell(
            f"{key}_tagger_alone_seconds",
            seconds,
            f"{key} tagger, one at a time, float32: {seconds:.2f} s for {len(items)} (the paper: {paper} s)",
        )


def training_speed(report: Report, plan: Plan, gold: Path, out: Path, device: torch.device) -> None:
    detector = ("detector", "--architecture", plan.trained, "--random-weights")
    for kind, *more in (
        detector,
        (*detector, "--no-amp"),
        ("text-crf", "--encoder", plan.made),
        ("box-crf", "--encoder", plan.made),
        ("matcher", "--encoder", plan.made, "--random-weights", *plan.matcher),
    ):
        name = kind + "-no-amp" * ("--no-amp" in more)
        seconds, went_on = resumed(kind, gold, out / name, *more, "--device", str(device))
        shown = f"{name}: {seconds_an_epoch(seconds):.1f} s an epoch of {plan.figures} figures by torchrun"
        report.tell(
            f"{name}_training",
            {"seconds": seconds, "resumed": went_on},
            f"{shown}, killed and {'resumed' if went_on else 'NOT resumed'}",
            kept=went_on,
        )


# ---- quality --------------------------------------------------------------------------------------


def one_by_one(tagger: Any, items: Sequence[CaptionedBoxes]) -> None:
    """Tag captions without batches."""
    for item in items:
        tagger.tag([item])


def trained(report: Report, plan: Plan, examples: Sequence[Example], folder: Path, device: str) -> FasterRcnn:
    """The detector of the best epoch: most of the time at a high rate, the rest at a tenth of it."""
    seed_all(0)
    module = FasterRcnn(architecture_of(plan.trained))
    task = DetectorTask(module, examples, Problems(), batch=plan.batch, workers=cores())
    began, scores = time.perf_counter(), {}
    for part, (rate, share) in enumerate(((1e-3, 0.7), (1e-4, 0.3))):
        out = folder / f"training-{part}"
        found = fit(
            task,
            Settings(
                lr=rate,
                weight_decay=1e-4,
                epochs=1000,
                patience=1000,
                device=device,
                warmup=0 if part else 100,
                clip=10.0,
                minutes=share * plan.minutes,
            ),
            out,
            about=About("detector", "simulated", {}),
            warn=lambda line: print(f"  {line}", flush=True),
        )
        load_weights(out, task.module)
        scores = dict(found.scores)
    minutes = (time.perf_counter() - began) / 60
    report.found["trained_minutes"] = minutes
    report.tell(
        "simulated_map",
        scores,
        f"{plan.trained}, {plan.train} simulated figures, {minutes:.1f} minutes: mAP {scores['map']:.3f} on "
        f"{plan.test} others (promised .80)",
        kept=scores["map"] >= 0.80,
    )
    return module


def on_gold(report: Report, module: FasterRcnn, examples: Sequence[Example], device: torch.device) -> None:
    """The trained detector and the splitter, on real figures."""
    detector = BatchedDetector(fused(module), version="", device=device, threshold=LEAST_SCORE)
    found, classic = [], []
    for each in examples:
        image = open_image(each.image)
        found.append(_in_figure(detector.detect([image])[0], each.figure, image.size))
        classic.append(_split(each.figure, image))
    for key, name, those in (("detector", "trained detector", found), ("splitter", "splitter", classic)):
        scores = {
            **box_scores(examples, those),
            "f1": _f1(examples, those, 0.0 if key == "splitter" else THRESHOLD),
        }
        report.tell(
            f"gold_{key}",
            scores,
            f"{name}, {len(examples)} real figures: box F1 {scores['f1']:.3f} at IoU .5, mAP .5:.95 "
            f"{scores['map']:.3f}, mAP50 {scores['map50']:.3f}",
        )


def _in_figure(found: Detections, figure: Figure, size: tuple[int, int]) -> Detections:
    scale = np.array([figure.width / size[0], figure.height / size[1]] * 2, dtype=np.float32)
    return Detections(found.boxes * scale, found.scores, found.labels)


def _split(figure: Figure, image: Image.Image) -> Detections:
    prediction = CLASSIC.predict(figure, image)
    boxes = [part.box.as_list() for part in prediction.subfigures]
    return Detections.of(boxes, prediction.scores, np.ones(len(boxes)))


def _f1(examples: Sequence[Example], found: Iterable[Detections], threshold: float) -> float:
    """At IoU .5, of boxes that are sure enough."""
    gold = [_corners(part.box for part in each.subfigures) for each in examples]
    theirs = [one.boxes[one.scores >= threshold].astype(np.float64) for one in found]
    matched = detect(np.concatenate(gold), _sizes(gold), np.concatenate(theirs).reshape(-1, 4), _sizes(theirs))
    hits = int((matched.ious >= HIT).sum())
    return 2 * hits / max(1, matched.gold + matched.other)


def _corners(boxes: Iterable[Box]) -> Any:
    return np.array([box.as_list() for box in boxes], dtype=np.float64).reshape(-1, 4)


def _sizes(parts: Sequence[Any]) -> Any:
    return np.array([len(part) for part in parts])


def gold_examples(data: Path) -> list[Example]:
    return read_examples(
        data / "gold_annotations.jsonl",
        Problems(),
        figures=data / "figures.jsonl",
        images=data,
        chosen=Chosen(annotator="gold"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--data", type=Path, default=os.environ.get("PANELWISE_SHARED_DATA"))
    parser.add_argument("--minutes", type=float, default=Plan.minutes)
    parser.add_argument("--device", default=None)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    plan = SMOKE if given.smoke else Plan(minutes=given.minutes)
    try:
        device = choose_device(given.device or ("cpu" if plan.smoke else "cuda"))
    except AnnotatorError as error:
        sys.exit(str(error))
    report = Report(plan.smoke, given.out)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    report.tell(
        "machine", [name, torch.__version__, cores()], f"{name}, torch {torch.__version__}, {cores()} cores"
    )
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        test = drawn(folder / "test", max(plan.test, plan.figures), 7, Split.VAL, plan)
        train = drawn(folder / "train", plan.train, 1, Split.TRAIN, plan)
        detector_speed(report, plan, test[: plan.figures], device)
        tagger_speed(report, plan, test, device)
        module = trained(report, plan, [*train, *test[: plan.test]], folder, str(device))
        real = gold_examples(given.data) if given.data else []
        on_gold(report, module, real or test[:2], device)
        if not real:
            print("(no real figures: give --data; the last two lines are of simulated ones)")
        training_speed(report, plan, folder / "test", folder, device)
    if report.broken and not plan.smoke:
        sys.exit(f"{len(report.broken)} promises not kept")


if __name__ == "__main__":
    main()
