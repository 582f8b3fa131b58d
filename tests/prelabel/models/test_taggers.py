from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.models.checkpoints import About, save_checkpoint
from prelabel.models.protocols import CaptionedBoxes
from prelabel.runs.opening import open_tagger
from prelabel.taggers.decoding import Pace
from prelabel.taggers.encoders import TokenEncoder, open_encoder, tiny_encoder
from prelabel.taggers.models import BoxCRF, BoxTagger, TextCRF, TextTagger, shares
from prelabel.taggers.spans import row_order
from prelabel.taggers.wordpieces import collate

TEXTS = [
    "(A) Left lung of a patient. (B) Right lung, 5 µm.",
    "Scale bar. (A–C) Controls; (D) treated with α-actin.",
    "Upper left: mice. Lower right: rats 😀 of the same age.",
]
SMALL = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16, "num_hidden_layers": 1}
Module = TextCRF | BoxCRF


def an_encoder(seed: int = 0, **size: int) -> TokenEncoder:
    torch.manual_seed(seed)
    return tiny_encoder(TEXTS, **{**SMALL, **size})


def a_module(kind: type[Module], seed: int = 3) -> Module:
    """One with weights so large that its tags differ from token to token and from box to box."""
    module = kind(an_encoder(seed))
    with torch.no_grad():
        for name, weights in module.named_parameters():
            if not name.startswith("encoder") and weights.ndim > 1:
                weights.normal_(generator=torch.Generator().manual_seed(seed)).mul_(1.5)
    return module.eval()


def asked(text: str, *boxes: tuple[float, float]) -> CaptionedBoxes:
    made = tuple(Box(x, y, x + 100, y + 100) for x, y in boxes)
    return CaptionedBoxes(Caption.cut(text), made, 400, 300)


ITEMS = [
    asked(TEXTS[0], (0, 0), (200, 0), (0, 150), (300, 200)),
    asked(TEXTS[1], (0, 0), (150, 10)),
    asked(TEXTS[2], (250, 0), (0, 0), (0, 160)),
]


@pytest.fixture(params=[TextCRF, BoxCRF], ids=["text-crf", "box-crf"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Module]:
    module = a_module(request.param)
    save_checkpoint(
        tmp_path / "model",
        module,
        About(module.kind, "mine", module.architecture),
        write_extra=lambda folder: module.encoder.save(folder / "encoder"),
    )
    return tmp_path / "model", module


def tagger_of(module: Module, pace: Pace | None = None) -> TextTagger | BoxTagger:
    make = BoxTagger if isinstance(module, BoxCRF) else TextTagger
    return make(module, version="now", pace=pace)


def change(folder: Path, edit: Callable[[dict], object]) -> None:
    record = json.loads((folder / "config.json").read_text())
    edit(record)
    (folder / "config.json").write_text(json.dumps(record))


def test_encoding_a_caption_once_gives_the_tags_of_encoding_it_for_every_box() -> None:
    tagger = tagger_of(a_module(BoxCRF))
    once = tagger.tag(ITEMS)
    for item, found in zip(ITEMS, once, strict=True):
        alone = [tagger.tag([CaptionedBoxes(item.caption, (box,), item.width, item.height)]) for box in item.boxes]
        assert found.subcaptions == tuple(each.subcaptions[0] for (each,) in alone)
        assert found.scores == pytest.approx([each.scores[0] for (each,) in alone], abs=2e-4)
    assert len({tokens for found in once for tokens in found.subcaptions}) > 3


def test_the_joint_layer_is_that_of_token_and_box_side_by_side() -> None:
    module = a_module(BoxCRF)
    captions = collate(module.encoder.pieces([item.caption for item in ITEMS]), module.encoder.framing)
    corners = [shares(item.boxes, item.width, item.height) for item in ITEMS]
    with torch.no_grad():
        found = module.emissions(captions, torch.cat(list(map(torch.from_numpy, corners))).numpy(), [4, 2, 3])
        encoded = module.encoder(captions)
        row = 0
        for caption, boxes in enumerate(corners):
            for box in module.place(torch.from_numpy(boxes)):
                pairs = torch.cat([encoded[caption], box.expand_as(encoded[caption])], dim=1)
                expected = module.score(torch.relu(module.join(pairs)))
                assert torch.allclose(found.values[row], expected, atol=1e-4)
                assert int(found.lengths[row]) == len(ITEMS[caption].caption.ranges)
                row += 1


@pytest.mark.parametrize("kind", [TextCRF, BoxCRF])
def test_neither_order_nor_size_of_batches_changes_what_is_found(kind: type[Module]) -> None:
    module = a_module(kind)
    expected = tagger_of(module).tag(ITEMS)
    assert tagger_of(module, Pace(batch=1)).tag(ITEMS) == expected
    assert tagger_of(module, Pace(batch=2)).tag(ITEMS[::-1])[::-1] == expected


@pytest.mark.parametrize("kind", [TextCRF, BoxCRF])
def test_a_caption_without_words_and_a_figure_without_boxes_have_nothing_to_find(kind: type[Module]) -> None:
    nothing = tagger_of(a_module(kind)).tag([asked("", (0, 0), (9, 9)), asked(TEXTS[0]), asked(" \n", (0, 0))])
    assert [found.subcaptions for found in nothing] == [(frozenset(), frozenset()), (), (frozenset(),)]
    assert [found.scores for found in nothing] == [(0.0, 0.0), (), (0.0,)]
    assert tagger_of(a_module(kind)).tag([]) == []


@pytest.mark.parametrize("kind", [TextCRF, BoxCRF])
def test_a_caption_of_thousands_of_pieces_is_tagged_to_its_end(kind: type[Module]) -> None:
    long = " ".join(TEXTS * 60)
    module = a_module(kind)
    encoder = module.encoder
    [pieces] = encoder.pieces([Caption.cut(long)])
    assert len(pieces.ids) > 3 * encoder.framing.room
    with torch.no_grad():
        encoded = encoder(collate([pieces], encoder.framing))[0]
    assert (encoded.abs().sum(1) > 0).all()
    item = asked(long, (0, 0), (300, 200))
    tagger = tagger_of(module)
    [rows] = tagger.read([item]) if isinstance(tagger, BoxTagger) else [tagger.read([item.caption])]
    assert max(span[1] for row in rows for span in row.spans) > 1500
    assert tagger.tag([item]) == tagger.tag([item, ITEMS[0]])[:1]


def test_a_tokens_encoding_is_the_mean_of_its_pieces() -> None:
    encoder = an_encoder().eval()
    caption = Caption.cut("Left unheardof lung")
    [pieces] = encoder.pieces([caption])
    assert pieces.stop[1] - pieces.first[1] > 1
    ids = torch.tensor([[*encoder.framing.before, *pieces.ids.tolist(), *encoder.framing.after]])
    with torch.no_grad():
        own = encoder.model(input_ids=ids).last_hidden_state[0, len(encoder.framing.before) :]
        found = encoder(collate([pieces], encoder.framing))[0]
    for token, (first, stop) in enumerate(zip(pieces.first, pieces.stop, strict=True)):
        assert torch.allclose(found[token], own[first:stop].mean(0), atol=1e-5)


def test_the_text_tagger_gives_its_spans_to_the_boxes_in_reading_order() -> None:
    tagger = tagger_of(a_module(TextCRF))
    item = ITEMS[0]
    [read] = tagger.read([item.caption])
    [found] = tagger.tag([item])
    assert len(read.spans) > 1
    parts = [frozenset(range(*span)) for span in read.spans]
    order = row_order(item.boxes)
    assert [found.subcaptions[place] for place in order] == [
        parts[min(rank, len(parts) - 1)] for rank in range(len(order))
    ]


def test_single_spans_are_one_run_of_tokens_each_and_never_empty() -> None:
    module = a_module(BoxCRF)
    found = BoxTagger(module, version="now", decode="span")
    assert found.version == "now-span"
    for tagged in found.tag(ITEMS):
        for tokens in tagged.subcaptions:
            assert tokens
            assert max(tokens) - min(tokens) + 1 == len(tokens)


def test_a_tagger_opened_from_its_folder_tags_as_the_one_that_was_saved(saved: tuple[Path, Module]) -> None:
    folder, module = saved
    opened = open_tagger(folder, device="cpu")
    assert opened.tag(ITEMS) == tagger_of(module).tag(ITEMS)
    assert opened.version.startswith("mine-")
    assert open_tagger(folder, device="cpu").version == opened.version


def test_what_is_wrong_with_a_taggers_folder_is_told_in_one_line(saved: tuple[Path, Module]) -> None:
    folder, module = saved
    with pytest.raises(AnnotatorError, match="no decoding"):
        open_tagger(folder, decode="best")
    if isinstance(module, TextCRF):
        with pytest.raises(AnnotatorError, match="does not see the boxes"):
            open_tagger(folder, decode="span")
    (folder / "encoder" / "tokenizer.json").write_text("{")
    with pytest.raises(FormatError, match="the encoder cannot be built"):
        open_tagger(folder)
    (folder / "encoder" / "config.json").unlink()
    with pytest.raises(FormatError, match=r"config\.json is missing"):
        open_tagger(folder)
    change(folder, lambda record: record.update(architecture={}))
    with pytest.raises(FormatError, match="architecture of a"):
        open_tagger(folder)
    change(folder, lambda record: record.update(kind="detector"))
    with pytest.raises(FormatError, match='holds a "detector"'):
        open_tagger(folder)


def test_an_unknown_decoding_is_refused_by_the_tagger_itself() -> None:
    with pytest.raises(AnnotatorError, match="no decoding"):
        BoxTagger(a_module(BoxCRF), version="now", decode="best")


def test_an_encoder_is_opened_from_a_folder_with_its_weights_or_with_random_ones(tmp_path: Path) -> None:
    made = an_encoder()
    made.save(tmp_path)
    made.model.save_pretrained(tmp_path)
    kept = open_encoder(str(tmp_path)).model.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in made.model.state_dict().items())
    torch.manual_seed(9)
    fresh = open_encoder(str(tmp_path), pretrained=False)
    assert not torch.equal(
        fresh.model.embeddings.word_embeddings.weight, kept["embeddings.word_embeddings.weight"]
    )
    assert fresh.framing == made.framing


def test_an_encoder_that_is_nowhere_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match="cannot be opened") as caught:
        open_encoder(str(tmp_path / "none"))
    assert "\n" not in str(caught.value)


def test_the_pooler_that_nobody_uses_is_left_out() -> None:
    from transformers import BertModel

    encoder = an_encoder()
    whole = BertModel(encoder.model.config)
    assert whole.pooler is not None
    TokenEncoder(whole, encoder.tokenizer, name="whole")
    assert whole.pooler is None


def test_out_of_memory_is_told_and_the_batch_goes_on_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    module = a_module(BoxCRF)
    expected = tagger_of(module).tag(ITEMS)
    whole, told = module.emissions, []

    def scarce(captions: object, boxes: object, counts: list[int]) -> object:
        if len(counts) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return whole(captions, boxes, counts)

    monkeypatch.setattr(module, "emissions", scarce)
    assert tagger_of(module, Pace(warn=told.append)).tag(ITEMS) == expected
    assert len(told) == 2


@pytest.mark.parametrize("kind", [TextCRF, BoxCRF])
def test_emissions_stay_in_float32_under_mixed_precision(kind: type[Module]) -> None:
    module = a_module(kind)
    captions = collate(module.encoder.pieces([ITEMS[0].caption]), module.encoder.framing)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        if isinstance(module, BoxCRF):
            rows = module.emissions(captions, shares(ITEMS[0].boxes, 400, 300), [len(ITEMS[0].boxes)])
        else:
            rows = module.emissions(captions)
    assert rows.values.dtype == torch.float32
