"""BERTScore (Zhang et al. 2020): how alike two texts are to a language model, without idf weights or rescaling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from agreement.questions import NO_OVERLAP, Overlap
from panelwise.domain import AnnotatorError, one_line
from prelabel.models.hub import NO_CODE, ask_hub_once, quiet_transformers, refuse_hostile

#: The model that the shared task's script takes for English, and the layer whose vectors are compared; of other
#: models the last one.
ROBERTA, ROBERTA_LAYER = "roberta-large", 17
#: Texts at a time.
BATCH = 64


class BertScore:
    """Compares texts by the vectors of their word pieces. Raises AnnotatorError, one line, where the model is not
    there."""

    def __init__(self, name_or_folder: str = ROBERTA) -> None:
        from transformers import AutoConfig, AutoModel, AutoTokenizer

        try:
            with quiet_transformers():
                cached = {"local_files_only": ask_hub_once(name_or_folder), **NO_CODE}
                self.tokenizer: Any = AutoTokenizer.from_pretrained(
                    name_or_folder, add_prefix_space="roberta" in name_or_folder, **cached
                )
                config = AutoConfig.from_pretrained(name_or_folder, **cached)
                refuse_hostile(AutoModel, config, name_or_folder)
                self.model: Any = AutoModel.from_pretrained(name_or_folder, **cached).eval()
        except Exception as error:
            raise AnnotatorError(
                f'BERTScore: the weights of "{name_or_folder}" are not here ({one_line(error)[:200]}); name '
                "a folder with a model of transformers, or leave --bert-score out"
            ) from None
        self.layer = ROBERTA_LAYER if name_or_folder == ROBERTA else -1

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[Overlap]:
        """Precision, recall and F1 of each (gold, answer); 0 if either has no word piece."""
        texts = sorted({text.strip() for pair in pairs for text in pair}, key=len)
        vectors: dict[str, torch.Tensor] = {}
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            vectors.update(zip(batch, self._vectors(batch), strict=True))
        return [_overlap(vectors[gold.strip()], vectors[answer.strip()]) for gold, answer in pairs]

    def _vectors(self, texts: Sequence[str]) -> list[torch.Tensor]:
        """(pieces, width) of length 1 of each text, without those of the special pieces."""
        read = self.tokenizer(
            list(texts), padding=True, truncation=True, return_tensors="pt", return_special_tokens_mask=True
        )
        special = read.pop("special_tokens_mask").bool()
        with torch.inference_mode():
            hidden = self.model(**read, output_hidden_states=True).hidden_states[self.layer]
        lengths = torch.nn.functional.normalize(hidden.float(), dim=-1)
        return [row[~own] for row, own in zip(lengths, special, strict=True)]


def _overlap(gold: torch.Tensor, answer: torch.Tensor) -> Overlap:
    if not len(gold) or not len(answer):
        return NO_OVERLAP
    alike = answer @ gold.T
    precision, recall = float(alike.max(dim=1).values.mean()), float(alike.max(dim=0).values.mean())
    total = precision + recall
    return Overlap(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)
