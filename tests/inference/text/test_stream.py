"""A stream that was interrupted is the one that was not; what was not committed is forgotten."""

import json
from pathlib import Path

import numpy as np
import pytest

from inference.errors import Invalid
from inference.text import Stream, Tokeniser, case
from inference.text.case import CASE
from inference.text.cut_rules import CutRules
from inference.text.table import NUMBER
from tests.inference import naive_patterns
from tests.inference.text.old_streams import downgrade

DECOMPOSED = "e\u0301te\u0301"
TEXTS = [
    f"Été {i} word{i % 7} Ångström I\u0307zmir ΣΟΦΟΣ don't iPhone{i} McX {DECOMPOSED * (i % 3)}"
    f" new{i}"
    for i in range(40)
] + [
    "",
    "漢字",
    " " * 255 + "after 255" + "." * 251 + "and 255" + "!" * 251 + " more",
]
TITLES = [f"Title {i} of{i}" for i in range(len(TEXTS))]
FILES = [
    "checkpoint.json",
    "far",
    "lengths",
    "lexicon-ends",
    "lexicon-letters",
    "mixed",
    "steps",
    "title-lengths",
    "title-words",
    "words",
]


def add(stream, first, end, size=5):
    for i in range(first, end, size):
        stream.add(TEXTS[i : min(i + size, end)], TITLES[i : min(i + size, end)])


def whole(folder):
    with Stream.write(folder, Tokeniser()) as stream:
        add(stream, 0, len(TEXTS))
        checkpoint = stream.commit()
    return checkpoint


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_what_is_read_is_what_was_written(tmp_path):
    whole(tmp_path)
    stream = Stream.open(tmp_path)
    assert stream.D == len(TEXTS) and stream.tokens == len(stream.words) == len(stream.starts.steps)
    assert len(stream.starts.far) == 2 and 254 in stream.starts.steps
    at = title = 0
    capitals = dict(stream.mixed.tolist())
    for d, text in enumerate(TEXTS):
        n = int(stream.lengths[d])
        t = int(stream.title_lengths[d])
        spans = Tokeniser().spans(text)
        assert stream.lexicon.words(stream.words[at : at + n] & NUMBER) == [
            word for *_, word in spans
        ]
        assert [
            case.key(int(stream.words[i] >> case.SHIFT & 3), capitals.get(i, 0))
            for i in range(at, at + n)
        ] == [naive_patterns.case(text[a:b]) for a, b, _ in spans]
        assert stream.starts.of([at], [at + n]).tolist() == [start for start, *_ in spans]
        assert stream.lexicon.words(stream.title_words[title : title + t] & NUMBER) == [
            word for *_, word in Tokeniser().spans(TITLES[d])
        ]
        at = at + n
        title = title + t
    assert len(set(stream.lexicon)) == len(stream.lexicon)


@pytest.mark.parametrize("size", [1, 20, 10**6])
def test_blocks_are_the_whole(tmp_path, size):
    whole(tmp_path)
    stream = Stream.open(tmp_path)
    for documents in (None, 0, 7, 100):
        blocks = list(stream.blocks(documents, size))
        D = min(documents if documents is not None else stream.D, stream.D)
        lengths = np.concatenate(
            [np.zeros(0, int), *(np.diff(block.ends, prepend=0) for block in blocks)]
        )
        assert lengths.tolist() == stream.lengths[:D].tolist()
        words, starts = (
            np.concatenate([np.zeros(0, int), *(getattr(block, name) for block in blocks)]).tolist()
            for name in ("words", "starts")
        )
        assert words == (stream.words[: lengths.sum()] & ~CASE).tolist()
        assert starts == [start for text in TEXTS[:D] for start, *_ in Tokeniser().spans(text)]
        assert all(len(block.words) <= size or len(block.ends) == 1 for block in blocks)


def test_taken_up_after_being_killed(tmp_path):
    expected = whole(tmp_path / "whole")
    stream = Stream.write(tmp_path / "parts", Tokeniser()).__enter__()
    add(stream, 0, 15)
    checkpoint = json.loads(json.dumps(stream.commit()))
    add(stream, 15, 30)
    stream.commit()
    add(stream, 30, 35)  # and is killed here, what it wrote half on disk
    stream.__exit__()
    for path in (tmp_path / "parts").iterdir():
        if path.name != "checkpoint.json":
            with path.open("ab") as file:
                file.write(b"123")
    with Stream.write(tmp_path / "parts", Tokeniser(), resume=checkpoint) as stream:
        assert Stream.open(tmp_path / "parts").D == 15
        add(stream, 15, len(TEXTS))
        assert stream.commit() == expected
    assert content(tmp_path / "parts") == content(tmp_path / "whole")
    assert sorted(content(tmp_path / "parts")) == FILES


def test_a_stream_of_an_older_version_is_read_and_renewed(tmp_path):
    expected = whole(tmp_path / "new")
    whole(tmp_path / "old")
    checkpoint = downgrade(tmp_path / "old")
    new = Stream.open(tmp_path / "new")
    old = Stream.open(tmp_path / "old")
    assert old.checkpoint["format"] == 1 and not (tmp_path / "old" / "steps").exists()
    for a, b in zip(new.blocks(size=30), old.blocks(size=30), strict=True):
        assert all(np.array_equal(*pair) for pair in zip(a, b, strict=True))
    assert Stream.sizes(checkpoint)["starts"] == (tmp_path / "old" / "starts").stat().st_size
    with pytest.raises(Invalid, match="renewed"):
        Stream.write(tmp_path / "old", Tokeniser(), resume=checkpoint)
    for _ in range(2):  # killed before its caller knew: once more
        with pytest.raises(Invalid, match="43 documents, and 40"):
            Stream.renew(tmp_path / "old", checkpoint, [TEXTS[:40]])
        assert (
            Stream.renew(tmp_path / "old", checkpoint, (TEXTS[i : i + 7] for i in range(0, 43, 7)))
            == expected
        )
        files = content(tmp_path / "old")
        assert {name: files[name] for name in FILES if name != "checkpoint.json"} == {
            name: data
            for name, data in content(tmp_path / "new").items()
            if name != "checkpoint.json"
        }
        assert json.loads(files["checkpoint.json"]) == expected
    assert Stream.open(tmp_path / "old").D == len(TEXTS)
    # Still mapped
    assert all(
        np.array_equal(*pair) for pair in zip(next(old.blocks()), next(new.blocks()), strict=True)
    )


@pytest.mark.parametrize("step", range(5))
def test_renewing_may_be_killed_anywhere(tmp_path, monkeypatch, step):
    expected = whole(tmp_path / "new")
    replace = Path.replace
    done = []
    whole(tmp_path / "old")
    checkpoint = downgrade(tmp_path / "old")

    def killed(path, to):
        if len(done) == step:
            raise KeyboardInterrupt
        done.append(replace(path, to))

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        Stream.renew(tmp_path / "old", checkpoint, [TEXTS])
    monkeypatch.undo()
    old = Stream.open(tmp_path / "old")
    new = Stream.open(tmp_path / "new")
    assert old.checkpoint == checkpoint and old.mixed is None
    assert all(
        np.array_equal(*pair) for pair in zip(next(old.blocks()), next(new.blocks()), strict=True)
    )
    assert Stream.renew(tmp_path / "old", checkpoint, [TEXTS]) == expected
    assert all(
        (tmp_path / "old" / name).read_bytes() == (tmp_path / "new" / name).read_bytes()
        for name in FILES[1:]
    )


def test_blocks_look_at_the_lengths_of_few_documents(tmp_path, monkeypatch):
    """However many documents behind a block have their lengths in memory."""
    with Stream.write(tmp_path, Tokeniser()) as writer:
        for _ in range(20):
            writer.add(["ten words " * 5] * 1_000, [""] * 1_000)
        writer.commit()
    stream = Stream.open(tmp_path)
    looked_at = []

    class Lengths:
        def __getitem__(self, documents):
            looked_at.append(len(range(*documents.indices(stream.D))))
            return lengths[documents]

    lengths = np.asarray(stream.lengths)
    monkeypatch.setattr(stream, "lengths", Lengths())
    blocks = list(stream.blocks(size=20_000, places=False))
    assert [len(block.ends) for block in blocks] == [2_000] * 10
    assert max(looked_at) <= 2 * 2_000


def test_more_words_than_have_a_number_are_refused(tmp_path):
    """Of format 1, whose numbers had two bits more: read by this version they would be other
    words."""
    checkpoint = whole(tmp_path) | {"format": 1, "lexicon": NUMBER + 1}
    (tmp_path / "checkpoint.json").write_text(json.dumps(checkpoint))
    with pytest.raises(Invalid, match="more different words"):
        Stream.open(tmp_path)


def test_begun_anew(tmp_path):
    whole(tmp_path)
    with Stream.write(tmp_path, Tokeniser()) as stream:
        stream.add(["other"], [""])
        stream.commit()
    found = Stream.open(tmp_path)
    assert list(found.lexicon) == ["other"] and found.D == 1


def test_a_stream_keeps_the_rules_that_its_texts_were_cut_by(tmp_path, monkeypatch):
    """Also where a newer segmenter has come since; a stream of before there were versions has the
    first ones, so that no text need be read again."""
    monkeypatch.setattr("inference.text.segment.SEGMENTER", 2)
    newest = CutRules(segmenter=2)
    with Stream.write(tmp_path / "new", Tokeniser("th", rules=newest)) as stream:
        checkpoint = stream.commit()
    assert Stream.open(tmp_path / "new").tokeniser().rules == newest
    with pytest.raises(Invalid, match="two ways"):
        Stream.write(tmp_path / "new", Tokeniser("th"), resume=checkpoint)

    with Stream.write(tmp_path / "old", Tokeniser("th")) as stream:
        checkpoint = stream.commit()
    del checkpoint["segmenter"]
    (tmp_path / "old" / "checkpoint.json").write_text(json.dumps(checkpoint))
    opened = Stream.open(tmp_path / "old")
    assert opened.rules.segmenter == 1
    with Stream.write(tmp_path / "old", opened.tokeniser(), resume=checkpoint) as stream:
        assert stream.D == 0


def test_what_can_not_be_opened(tmp_path):
    with pytest.raises(Invalid, match="no stream"):
        Stream.open(tmp_path / "none")
    checkpoint = whole(tmp_path)
    with pytest.raises(Invalid, match="two ways"):
        Stream.write(tmp_path, Tokeniser(given=True), resume=checkpoint)
    (tmp_path / "words").write_bytes(b"")
    with (
        pytest.raises(Invalid, match="expected at least"),
        Stream.write(tmp_path, Tokeniser(), resume=checkpoint),
    ):
        pass
    (tmp_path / "checkpoint.json").write_text(json.dumps(checkpoint | {"format": 99}))
    with pytest.raises(Invalid, match="format 99"):
        Stream.open(tmp_path)


def test_an_empty_stream(tmp_path):
    with Stream.write(tmp_path, Tokeniser()) as stream:
        stream.add([], [])
        stream.commit()
    found = Stream.open(tmp_path)
    assert found.D == found.tokens == len(found.lexicon) == 0 and list(found.blocks()) == []
