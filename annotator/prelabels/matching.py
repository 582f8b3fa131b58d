"""Score trained matchers: of the test's images, how often the right one is among the best for a caption."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from annotator.prelabels.evaluate import Watch, unwatched
from annotator.prelabels.train import Material, examples_of
from panelwise.domain import FormatError
from panelwise.files import Problems
from prelabel.evaluation import Column, Matching, Run, models_seen, recall_at
from prelabel.runs import need_models
from prelabel.training import Split, of_split, with_captions

#: Images compared with a caption at a time.
_BATCH = 64


def evaluate_matching(
    material: Material,
    folders: Sequence[Path],
    problems: Problems,
    *,
    pairs: int,
    seed: int = 0,
    device: str = "auto",
    force: bool = False,
    watch: Watch = unwatched,
) -> Matching:
    """Rank the test's images for each of its captions, by each matcher; references are not looked at.

    pairs: figures drawn at random from the test, all if there are no more. force: score a matcher on figures that
    it was trained on, with a note. Raises AnnotatorError, one line, if there are fewer than two figures, a folder
    holds no matcher, or one was trained on figures of the test.
    """
    need_models("scoring matchers")
    from prelabel.matchers import matcher_of, score_matrix
    from prelabel.models import read_about
    from prelabel.training import features_of

    every = with_captions(of_split(examples_of(material, problems, plain=True), Split.TEST), problems)
    _, notes = models_seen(folders, every, [Column.TEST], force=force)
    there = [each for each in every if each.image.is_file()]
    for lost in (each for each in every if not each.image.is_file()):
        problems.add(f'figure "{lost.figure.id}": {lost.image}: no such image; left it out')
    places = sorted(np.random.default_rng(seed).permutation(len(there))[:pairs].tolist())
    examples = [there[place] for place in places]
    runs: list[Run] = []
    for folder in folders:
        module = matcher_of(folder, device=device)
        # Images that can't be read are left out, and named, once.
        examples, features = features_of(module, examples, problems, workers=2)
        if len(examples) < 2:
            raise FormatError(
                f"{material.gold}: {len(examples)} figures of the test have a caption and an image, and two are "
                "needed to tell apart; give figures of more articles"
            )
        figures = [each.figure for each in examples]
        scored = score_matrix(module, figures, features, references=False, batch=_BATCH)
        # Images that score the same as the right one are ranked before it.
        ranks = [
            int((scores >= scores[right]).sum())
            for right, scores in enumerate(watch(scored, folder.name, len(figures)))
        ]
        runs.append(Run(read_about(folder, kind="matcher").version, module.references, recall_at(ranks)))
    return Matching(len(examples), tuple(runs), tuple(notes))
