"""BERTScore by hand, on a small random model that is no one's download."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from panelwise.domain.errors import AnnotatorError
from prelabel.models.bert_score import BertScore
from prelabel.taggers.encoders import tiny_encoder

TEXTS = ["red panels", "a red panel", "No", "it is not possible to answer", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    encoder = tiny_encoder(TEXTS, hidden_size=16, num_attention_heads=2)
    place = tmp_path_factory.mktemp("model")
    encoder.model.save_pretrained(place)
    encoder.tokenizer.save_pretrained(place)
    return place


def test_scores_are_those_of_the_paper_by_hand(folder: Path) -> None:
    """Each word piece's best cosine: the mean over the answer's pieces is precision, over the gold's recall."""
    score = BertScore(str(folder))
    vectors = {}
    for text in TEXTS[:4]:
        ids = score.tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            hidden = score.model(**ids).last_hidden_state[0, 1:-1]
        vectors[text] = [each / each.norm() for each in hidden]
    for gold in TEXTS[:4]:
        for answer in TEXTS[:4]:
            ours, theirs = vectors[gold], vectors[answer]
            precision = sum(max(float(a @ g) for g in ours) for a in theirs) / len(theirs)
            recall = sum(max(float(a @ g) for a in theirs) for g in ours) / len(ours)
            (found,) = score([(gold, answer)])
            assert found.precision == pytest.approx(precision, abs=1e-4)
            assert found.recall == pytest.approx(recall, abs=1e-4)
            assert found.f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-4)


def test_a_text_is_wholly_like_itself_and_no_text_like_nothing(folder: Path) -> None:
    same, empty = BertScore(str(folder))([("red panels", " red panels "), ("red panels", "")])
    assert same.f1 == pytest.approx(1, abs=1e-5)
    assert (empty.precision, empty.recall, empty.f1) == (0, 0, 0)


def test_where_no_weights_are_one_line_says_so(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match='BERTScore: the weights of "roberta-large" are not here'):
        BertScore()
    with pytest.raises(AnnotatorError, match="name a folder with a model of transformers"):
        BertScore(str(tmp_path))
