"""Encoders of captions: any that transformers knows by name or folder, or a small one made from the captions.

A caption goes in once, in windows where it is long, and comes out as one vector for each of its tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from panelwise.domain import AnnotatorError, Caption, FormatError, one_line
from prelabel.models.hub import NO_CODE, ask_hub_once, quiet_transformers, refuse_hostile
from prelabel.taggers.wordpieces import Framing, PieceBatch, Pieces, cut_pieces

#: Encoders that need no download: BERTs of random weights, a vocabulary from the training captions; a small one,
#: and one of SciBERT's size, the paper's without pre-training.
TINY, BASE = "tiny", "base"
#: Their sizes, and the most word pieces in their vocabularies. Dropout of attention takes half the time on a CPU.
TINY_SIZE: Mapping[str, Any] = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 512,
    "attention_probs_dropout_prob": 0.0,
}
MADE: Mapping[str, tuple[Mapping[str, Any], int]] = {TINY: (TINY_SIZE, 4000), BASE: ({}, 31_116)}

#: Most pieces in one window, including special ones, even if an encoder claims to take more.
LONGEST = 512

_UNKNOWN, _PADDING, _BEGIN, _END, _MASK = "[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"


class TokenEncoder(nn.Module):
    """An encoder with its tokenizer. width: of the output vectors. name: as requested.

    pooler: weights of the layer on the first vector that it was trained with (BERT's), for matchers; may be empty.
    """

    def __init__(self, model: Any, tokenizer: Any, *, name: str) -> None:
        super().__init__()
        # Not used here, and a weight without a gradient stops training on several GPUs.
        pooler = getattr(model, "pooler", None)
        dense = getattr(pooler, "dense", None)
        self.pooler = dense.state_dict() if isinstance(dense, nn.Linear) else {}
        if pooler is not None:
            model.pooler = None
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.width = int(model.config.hidden_size)
        self.framing = _framing(tokenizer, model.config)

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and the number of layers."""
        return self.width, int(getattr(self.model.config, "num_hidden_layers", 0))

    @property
    def device(self) -> torch.device:
        """Return the device of the weights."""
        return next(self.model.parameters()).device

    def pieces(self, captions: Sequence[Caption]) -> list[Pieces]:
        """The captions' word pieces."""
        return cut_pieces(self.tokenizer, captions)

    def forward(self, batch: PieceBatch) -> Tensor:
        """(C, T, width) float32: each token's pieces averaged; zeros beyond a caption's tokens."""
        device = self.device
        ids, seen, source, owner = (
            torch.from_numpy(each).to(device, non_blocking=True)
            for each in (batch.ids, batch.seen, batch.source, batch.owner)
        )
        encoded = self.model(input_ids=ids, attention_mask=seen.long()).last_hidden_state
        picked = encoded.reshape(-1, encoded.shape[-1]).float()[source]
        captions, most = len(batch.lengths), int(batch.lengths.max())
        summed = picked.new_zeros(captions * most, picked.shape[1]).index_add(0, owner, picked)
        counts = picked.new_zeros(captions * most).index_add(0, owner, picked.new_ones(len(owner)))
        return (summed / counts.clamp(min=1).unsqueeze(1)).view(captions, most, -1)

    def save(self, folder: Path) -> None:
        """Write configuration and tokenizer into a folder: what `read_encoder` needs beside the weights."""
        folder.mkdir(parents=True, exist_ok=True)
        self.model.config.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def open_encoder(name_or_folder: str, *, pretrained: bool = True) -> TokenEncoder:
    """An encoder by its folder or its name on the hub. Raises AnnotatorError, one line, where there is none.

    pretrained: False for its architecture with random weights (the paper's ablation).
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    with quiet_transformers():
        try:
            cached = {"local_files_only": ask_hub_once(name_or_folder), **NO_CODE}
            tokenizer = AutoTokenizer.from_pretrained(name_or_folder, **cached)
            config = AutoConfig.from_pretrained(name_or_folder, **cached)
            refuse_hostile(AutoModel, config, name_or_folder)
            if pretrained:
                model = AutoModel.from_pretrained(name_or_folder, **cached)
            else:
                model = AutoModel.from_config(config, **NO_CODE)
        except Exception as error:
            raise AnnotatorError(
                f'encoder "{name_or_folder}": cannot be opened ({_brief(error)}); give a folder with config.json, '
                f'tokenizer and weights, a name on the hub where there is a network, "{TINY}" or "{BASE}"'
            ) from None
    return TokenEncoder(model, tokenizer, name=name_or_folder)


def read_encoder(folder: Path, *, name: str) -> TokenEncoder:
    """The encoder of a checkpoint, its weights still random. Raises FormatError, one line."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    if not (folder / "config.json").is_file():
        raise FormatError(f"{folder}: the encoder's config.json is missing; get a whole copy of the checkpoint")
    with quiet_transformers():
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, **NO_CODE)
            config = AutoConfig.from_pretrained(folder, **NO_CODE)
            refuse_hostile(AutoModel, config)
            model = AutoModel.from_config(config, **NO_CODE)
        except Exception as error:
            raise FormatError(
                f"{folder}: the encoder cannot be built ({_brief(error)}); get a whole copy of the checkpoint"
            ) from None
    return TokenEncoder(model, tokenizer, name=name)


def tiny_encoder(texts: Iterable[str], **size: int) -> TokenEncoder:
    """The small one. size: in place of TINY_SIZE's."""
    return made_encoder(TINY, texts, **size)


def made_encoder(name: str, texts: Iterable[str], **size: int) -> TokenEncoder:
    """One of `MADE`, with a vocabulary of word pieces learnt from the texts; no download.

    size: in place of its own. The weights hang on torch's seed.
    """
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    usual, vocabulary = MADE[name]
    pieces = [_PADDING, _UNKNOWN, _BEGIN, _END, _MASK, *learn_pieces(texts, vocabulary)]
    config = BertConfig(**{**usual, **size}, vocab_size=len(pieces), pad_token_id=0)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=_tokenizer(pieces),
        unk_token=_UNKNOWN,
        pad_token=_PADDING,
        cls_token=_BEGIN,
        sep_token=_END,
        mask_token=_MASK,
        model_max_length=config.max_position_embeddings,
    )
    model = BertModel(config, add_pooling_layer=False)
    # Places as waves to begin with: how far apart two tokens are need not be learnt place by place.
    with torch.no_grad():
        model.embeddings.position_embeddings.weight.copy_(config.initializer_range * 2**0.5 * _waves(config))
    return TokenEncoder(model, tokenizer, name=name)


def _waves(config: Any) -> Tensor:
    """Sines and cosines of growing length, (places, hidden size)."""
    places = torch.arange(config.max_position_embeddings).unsqueeze(1)
    rates = torch.exp(torch.arange(0, config.hidden_size, 2) * (-math.log(10_000.0) / config.hidden_size))
    angles = places * rates
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)[:, : config.hidden_size]


def _tokenizer(vocabulary: Sequence[str]) -> Any:
    """A tokenizer for these pieces that keeps upper and lower case: panels are named by single letters."""
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    made = Tokenizer(WordPiece(numbers, unk_token=_UNKNOWN))
    made.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single=f"{_BEGIN} $A {_END}", special_tokens=[(each, numbers[each]) for each in (_BEGIN, _END)]
    )
    return made


def _framing(tokenizer: Any, config: Any) -> Framing:
    """Find the tokens that a tokenizer puts around a text, and the number of pieces that fit between them."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    framed = tokenizer("a")["input_ids"]
    at = next((place for place in range(len(framed)) if framed[place : place + len(bare)] == bare), 0)
    before, after = tuple(framed[:at]), tuple(framed[at + len(bare) :])
    known = [LONGEST, int(tokenizer.model_max_length), getattr(config, "max_position_embeddings", None) or LONGEST]
    padding = tokenizer.pad_token_id
    room = max(1, min(known) - len(before) - len(after))
    return Framing(before, after, 0 if padding is None else int(padding), room)


def _brief(error: Exception) -> str:
    return one_line(str(error).split("\n")[0][:300])


# A vocabulary of word pieces learnt from texts, the same for the same texts every time. The trainers of tokenizer
# libraries break ties as their hash tables happen to lie: a training that was killed would be resumed with other
# pieces.

#: Words about as BERT's pre-tokenizer cuts them; differences fall back to single characters.
_WORDS = re.compile(r"[^\W_]+|[^\w\s]|_")

#: Marks a piece that goes on with a word.
INNER = "##"

#: Shares of a vocabulary for whole words; what is left is for beginnings and endings of words, half each.
_WHOLE = 0.7

#: A word or part of one is learnt if it is there so many times; parts have at least this many characters.
_TIMES, _SHORTEST = 2, 2


def learn_pieces(texts: Iterable[str], most: int) -> list[str]:
    """Word pieces, each once: all characters alone and inside a word, then words, beginnings and endings by how
    often they occur. At most `most` of them, unless there are more characters than that."""
    words = Counter(chain.from_iterable(_WORDS.findall(text) for text in texts))
    begins: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for word, times in words.items():
        for length in range(_SHORTEST, len(word)):
            begins[word[:length]] += times
            ends[INNER + word[-length:]] += times
    signs = sorted(set(chain.from_iterable(words)))
    found = dict.fromkeys([*signs, *(INNER + sign for sign in signs)])
    room = max(0, most - len(found))
    whole = int(room * _WHOLE)
    found |= dict.fromkeys(_commonest(words, whole))
    for parts in (begins, ends):
        found |= dict.fromkeys(_commonest(parts, (room - whole) // 2))
    return list(found)


def _commonest(counts: Counter[str], most: int) -> list[str]:
    ranked = sorted((-times, piece) for piece, times in counts.items() if times >= _TIMES)
    return [piece for _, piece in ranked[:most]]
