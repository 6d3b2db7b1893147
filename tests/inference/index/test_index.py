"""The index against a search that goes through every document."""

import random

import numpy as np
import pytest

from inference.errors import Invalid
from inference.index import Index, forms, segments, two_sets, word_units
from inference.text import Stream, Tokeniser
from tests.inference.index.naive import Naive, cut, spans, stream

WORDS = (
    "war wars warring peace peaceful navy navies militia the the the of and or not nation national"
    " nations état états don't king's well-known 1914 мир мира 戦争 平和 שלום café"
).split()


def made(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Documents of few different words, some empty, some with a title alone."""
    chance = random.Random(seed)
    return [
        (
            " ".join(chance.choices(WORDS, k=chance.randrange(4))),
            " ".join(chance.choices(WORDS, k=chance.choice([0, 3, 10, 60]))),
        )
        for _ in range(count)
    ]


def index_of(folder, documents, language="en", **options) -> Index:
    of = stream(documents)
    Index.write(folder, of, language, **options)
    return Index.open(folder, of, spans)


@pytest.fixture(scope="module")
def documents():
    return made(300)


@pytest.fixture(
    scope="module", params=[segments.SEGMENT, 700], ids=["one segment", "many segments"]
)
def index(documents, tmp_path_factory, request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT", request.param)
        found = index_of(tmp_path_factory.mktemp("index"), documents)
    assert (len(found.bounds) > 5) == (request.param == 700)
    return found


def tree(chance: random.Random, depth: int):
    """A random query, as a tree and as it is typed."""
    kind = (
        chance.choice(["all", "any", "not", "word", "word", "phrase", "begin"])
        if depth
        else chance.choice(["word", "phrase", "begin"])
    )
    if kind in ("all", "any"):
        parts = [tree(chance, depth - 1) for _ in range(chance.randrange(2, 4))]
        typed = (
            f" {chance.choice(['OR', 'or'])} " if kind == "any" else chance.choice([" ", " AND "])
        )
        return (kind, *(part for part, _ in parts)), "(" + typed.join(
            text for _, text in parts
        ) + ")"
    if kind == "not":
        part, text = tree(chance, depth - 1)
        return ("not", part), (
            "NOT " if text.startswith(("-", "NOT")) else chance.choice(["-", "NOT "])
        ) + text
    if kind == "word":
        found = chance.choice([w for w in WORDS if w not in ("or", "and", "not")])
        return ("stem", cut(found)), found
    if kind == "phrase":
        found = chance.choices(WORDS, k=chance.randrange(1, 4))
        return ("exact", cut(" ".join(found))), '"' + " ".join(found) + '"'
    found = chance.choice(["wa", "na", "peac", "état", "ми", "戦", "19", "x"])
    return ("begin", [found]), found + "*"


@pytest.mark.parametrize("seed", range(150))
def test_every_operator_finds_and_ranks_as_the_twin(index, documents, seed):
    wanted, typed = tree(random.Random(seed), 3)
    naive = Naive(documents, "en")
    found = index.find(typed)
    assert found.dtype == np.int32 and found.tolist() == naive.find(wanted)
    some = found[:: max(1, len(found) // 5)]
    assert index.rank(typed, some) == pytest.approx(
        [naive.score(wanted, d) for d in some.tolist()], rel=1e-4, abs=1e-5
    )


def test_places_are_where_the_words_stand(index, documents):
    found = index.places('"warring peace" national OR état -war', list(range(len(documents))))
    seen = 0
    for d, (_, text) in enumerate(documents):
        expected = [
            [
                at
                for m in range(len(text))
                for at in (m, m + 8)
                if text[m:].startswith("warring peace")
                and (not text[m + 13 :] or text[m + 13] == " ")
            ],
            [
                m
                for m in range(len(text))
                if text[m:].startswith(("nation", "national", "nations"))
                and (not m or text[m - 1] == " ")
            ],
            [m for m in range(len(text)) if text[m:].startswith("état")],
        ]
        kinds = [
            [
                m
                for m in expected[1]
                if text[m:].startswith(("nation ", "nations")) or text[m:] == "nation"
            ],
            expected[1],
        ]
        got = [places[:, 0].tolist() for places in found[d]]
        for places in found[d]:
            pairs = places.tolist()
            for (a, b), length in zip(
                pairs, index.extents([text[a:b] for a, b in pairs]), strict=True
            ):
                assert cut(text[a:b]) == cut(text[a:])[:1] and text[a : a + length] == text[
                    a:b
                ].rstrip(" '-")
        assert got in ([e for e in (expected[0], one, expected[2]) if e] for one in kinds)
        seen += len(got)
    assert seen > 100


def test_words_are_found_by_stem_and_in_quotes_as_they_are(tmp_path):
    index = index_of(
        tmp_path,
        [("", "The militias marched."), ("", "A militia."), ("Militia", ""), ("", "No such")],
    )
    assert index.find("militia").tolist() == index.find("Militias").tolist() == [0, 1, 2]
    assert index.find('"militia"').tolist() == [1, 2] and index.find('"militias"').tolist() == [0]
    assert index.find("marching").tolist() == [0]  # no document has the word itself
    assert index.find('"marching"').tolist() == []
    scores = index.rank("militia", np.array([0, 1, 2], np.int32))
    assert scores[2] > scores[1] > scores[0] > 0  # in the title; in the shorter text; in the longer


def test_a_language_without_a_stemmer_is_searched_as_written(tmp_path):
    documents = [("", "militia"), ("", "militias")]
    for language in ("", "ja", "no such"):
        assert index_of(tmp_path / language, documents, language).find("militias").tolist() == [1]


def test_a_phrase_does_not_go_on_in_the_next_document(tmp_path):
    index = index_of(
        tmp_path, [("war and", "of war"), ("peace", "and peace"), ("", "war and peace")]
    )
    assert index.find('"war and peace"').tolist() == [2]
    assert index.find('"of war"').tolist() == [0] and index.find('"and war"').tolist() == []


def test_a_beginning_of_too_many_words_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(forms, "MOST_COMPLETIONS", 20)
    index = index_of(tmp_path, [("", " ".join(f"aa{i}" for i in range(21))), ("", "ab")])
    with pytest.raises(Invalid, match="21 different words begin with “aa”, at most 20"):
        index.find("aa*")
    assert index.find("aa1*").tolist() == [0] and index.find("ab*").tolist() == [1]


@pytest.mark.parametrize("documents", [[("", "")], [("", ""), ("", "")], [("", "one")]])
def test_corpora_without_words(tmp_path, documents):
    index = index_of(tmp_path, documents)
    assert index.find("war").tolist() == [] and index.find('"one war"').tolist() == []
    assert index.find("-war").tolist() == list(range(len(documents)))
    assert index.rank("-war", index.find("-war")).tolist() == [0] * len(documents)


def test_a_word_is_counted_however_often_a_document_has_it(tmp_path):
    uses = segments.LARGEST_COUNT + 10
    index = index_of(tmp_path, [("", "a " * uses), ("", "a b")])
    fields = index.fields["text"]
    assert two_sets.tokens(fields, 2, None, 1)[1].tolist() == [uses + 1, 1]
    assert two_sets.tokens(fields, 2, np.array([True, False]), 1)[1].tolist() == [uses]
    for unit in (None, np.zeros(2, np.int64)):
        sides = word_units.sides_of(np.arange(2), index.stream.lengths, unit)
        counted = word_units.count_words(fields, 2, sides, 1)
        assert counted.sums.tokens.tolist() == [[uses, 1], [0, 1]]
    assert word_units.gather(fields, np.arange(2)).counts.tolist() == [uses, 1, 1]
    assert index.postings(["a a"], lambda: None).counts.tolist() == [uses - 1]
    assert index.find('"a a"').tolist() == [0]
    assert np.isfinite(index.rank('a "a a"', np.array([0, 1]))).all()


def test_counts_take_two_bytes_where_these_hold_them(tmp_path):
    index = index_of(tmp_path, [("", "a " * segments.LARGEST_COUNT), ("", "a b")])
    assert index.fields["text"][0].counts.dtype == np.uint16
    assert index.unfollowed[0].counts.dtype == np.uint16


@pytest.mark.parametrize("size", [50, 400, segments.SEGMENT])
def test_more_documents_are_added_as_if_all_were_there_at_once(
    tmp_path, documents, size, monkeypatch
):
    monkeypatch.setattr(segments, "SEGMENT", size)
    done = []
    index_of(tmp_path / "grown", documents[:120])
    before = Index.open(tmp_path / "grown", stream(documents[:120]), spans)
    grown = index_of(tmp_path / "grown", documents, extend=True, advance=done.append)
    whole = index_of(tmp_path / "whole", documents)
    assert grown.bounds.tolist() == whole.bounds.tolist() and done[-1] == len(documents)
    assert (done[0] > 0) and (size > 700 or done[0] > 60)  # full segments were kept
    for name in ("text", "title"):
        for a, b in zip(grown.fields[name], whole.fields[name], strict=True):
            assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    # What was open stays
    assert before.find("war").tolist() == [d for d in whole.find("war").tolist() if d < 120]
    # And nothing is left over
    assert len([p for p in (tmp_path / "grown").iterdir() if p.is_dir()]) == len(whole.bounds)


def test_a_folder_without_an_index_says_what_to_do(tmp_path):
    with pytest.raises(Invalid, match="Read it again"):
        Index.open(tmp_path / "none", stream([]), spans)


def test_a_writer_that_was_killed_leaves_the_index_that_there_was(tmp_path, documents):
    def killed(done: int) -> None:
        raise KeyboardInterrupt

    expected = index_of(tmp_path, documents[:50]).find("war").tolist()
    with pytest.raises(KeyboardInterrupt):
        Index.write(tmp_path, stream(documents), "en", advance=killed)
    assert Index.open(tmp_path, stream(documents[:50]), spans).find("war").tolist() == expected
    assert index_of(tmp_path, documents).find("war").tolist() == Naive(documents, "en").find(
        ("stem", ["war"])
    )


def of_texts(folder, language: str, texts: list[str]) -> Index:
    """Of a stream as corpora have it."""
    with Stream.write(folder / "tokens", Tokeniser(language)) as writer:
        writer.add(texts, ["" for _ in texts])
        writer.commit()
    Index.write(folder / "index", Stream.open(folder / "tokens"), language)
    return Index.open(
        folder / "index",
        Stream.open(folder / "tokens"),
        lambda text: Tokeniser(language).spans(text),
    )


@pytest.mark.parametrize(
    ("language", "texts", "found"),
    [
        (
            "en",
            ["Don’t stop.", "don't", "DONT", "do not"],
            {"don't": [0, 1], "“don’t”": [0, 1], "dont": [2]},
        ),
        (
            "en",
            ["a well-known man", "well known", "wellknown"],
            {"well-known": [0, 1], '"known man"': [0], "well": [0, 1]},
        ),
        (
            "en",
            ["cafe\u0301", "CAFÉ", "cafe"],
            {"café": [0, 1], "cafe\u0301": [0, 1], '"cafe"': [2]},
        ),
        (
            "en",
            ["1,000 men", "1000 men", "U.S. troops"],
            {"1,000": [0], "1000": [1], "U.S.": [2], "tro*": [2]},
        ),
        (
            "de",
            ["die Häuser", "das Haus", "Straße"],
            {"Häuser": [0, 1], "hauses": [0, 1], '"haus"': [1], "STRASSE OR straße": [2]},
        ),
        ("el", ["ΟΔΟΣ", "οδός", "οδος"], {'"οδος"': [0, 2]}),
        (
            "tr",
            ["ISPARTA", "ısparta", "isparta"],
            {'"ısparta"': [0, 1], '"Isparta"': [0, 1], '"isparta"': [2]},
        ),
        (
            "zh",
            ["人民热爱共和国", "人民", "共和国"],
            {"人民 -共和国": [1], "共和国": [0, 2], '"热爱共和国"': [0]},
        ),
        ("", ["中华人民", "人民", "民人"], {"人民": [0, 1], '"民人"': [2]}),
        ("ru", ["войны", "война и мир"], {"войной": [0, 1], "война и мир": [1]}),
        ("he", ["שלום עולם"], {"עולם": [0], "“שלום עולם”": [0]}),
    ],
)
def test_words_of_every_script(tmp_path, language, texts, found):
    index = of_texts(tmp_path, language, texts)
    for query, expected in found.items():
        assert index.find(query).tolist() == expected, query
        places = index.places(query, expected)
        assert all(places[number] for number in expected)
        for number in expected:
            matches = [
                texts[number][begin:limit]
                for begin, limit in np.concatenate(places[number]).tolist()
            ]
            for text, length in zip(matches, index.extents(matches), strict=True):
                assert 0 < length <= len(text) and text[:length].strip() == text[:length]


def test_a_match_ends_where_its_word_does(tmp_path):
    """Behind it may be a line that many texts have, and that is not in the index."""
    index = of_texts(tmp_path, "en", ["memory barriers"])
    texts = ["memory ", "barriers\nView page source", "barriers-"]
    assert index.extents(texts) == [len("memory"), len("barriers"), len("barriers")]


def test_a_stream_that_is_written_anew_leaves_what_is_open(tmp_path):
    """Or a page that still reads it would end its process."""
    index = of_texts(tmp_path, "en", ["war and peace " * 2_000])
    again = of_texts(tmp_path, "en", ["navy"])
    assert (
        index.find('"war and peace"').tolist() == [0]
        and len(index.places("war", [0])[0][0]) == 2_000
    )
    assert again.find("war").tolist() == [] and again.find("navy").tolist() == [0]
