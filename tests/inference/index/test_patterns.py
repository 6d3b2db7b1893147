"""Patterns: what can be written, what an error says and where, and matches against the twin in
plain Python."""

import random
import re
from collections import Counter
from itertools import accumulate, pairwise
from pathlib import Path
from shutil import rmtree
from time import monotonic
from types import SimpleNamespace
from unicodedata import normalize

import numpy as np
import pytest

from inference.errors import Invalid
from inference.index import Index, hits, segments
from inference.index.hits import Hits
from inference.index.patterns import (
    ANY,
    EXPRESSION,
    FARTHEST_WORDS,
    GLOB,
    Element,
    PatternError,
    PatternPart,
    parse,
)
from inference.index.query import ANY_CASE, EXACT, Piece
from inference.text import Stream, Tokeniser
from tests.inference import naive_patterns
from tests.inference.text.old_streams import downgrade

EXAMPLE = Path(__file__).parents[3] / "webapp" / "examples"


def cut(text: str) -> list[tuple[str, int]]:
    return Tokeniser("en").written(text)


def word(text: str, how: str = EXACT, case: int = ANY_CASE) -> Element:
    return Element((Piece(text, how, case),))


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("social security", [word("social"), word("security")]),
        ("Social, SECURITY!", [word("social"), word("security")]),
        ("self-government", [word("self"), word("government")]),
        ("don't", [word("don"), word("t")]),
        ("secur*", [word("secur*", GLOB)]),
        ("*ISM", [word("*ism", GLOB)]),
        ("wom?n", [word("wom?n", GLOB)]),
        ("self-gov*", [word("self"), word("gov*", GLOB)]),
        ("the * of", [word("the"), Element((ANY,)), word("of")]),
        ("right|rights", [Element((Piece("right", EXACT), Piece("rights", EXACT)))]),
        (
            "( right | rights ) of",
            [Element((Piece("right", EXACT), Piece("rights", EXACT))), word("of")],
        ),
        ("the{0,1} people", [Element((Piece("the", EXACT),), 0, 1), word("people")]),
        ("just *{0,3} men", [word("just"), Element((ANY,), 0, 3), word("men")]),
        ("the{3,1}", [Element((Piece("the", EXACT),), 1, 3)]),
        ("(very|so){2}", [Element((Piece("very", EXACT), Piece("so", EXACT)), 2, 2)]),
        ("/(un)?just(ly)?/ man", [word("(un)?just(ly)?", EXPRESSION), word("man")]),
        ("and/or", [word("and"), word("or")]),
        ("=Bank =US =bank", [word("bank", case=1), word("us", case=2), word("bank", case=0)]),
        (
            "école%d *é?%d =Élan%d *%d",
            [
                *(
                    Element((Piece(*each, False),))
                    for each in (
                        ("école", EXACT, ANY_CASE),
                        ("*é?", GLOB, ANY_CASE),
                        ("élan", EXACT, 1),
                    )
                ),
                Element((ANY,)),
            ],
        ),
        (
            '/é+/%d [word="é+" %d] [word="Élan"%d] [word="Élan"%cd]',
            [
                Element((Piece(*each, False),))
                for each in (
                    ("é+", EXPRESSION, ANY_CASE),
                    ("é+", EXPRESSION, ANY_CASE),
                    ("élan", EXACT, 1),
                    ("Élan", EXPRESSION, ANY_CASE),
                )
            ],
        ),
        ("=iPhone|the", [Element((Piece("iphone", EXACT, 11), Piece("the", EXACT)))]),
        ("=Vice-president", [word("vice", case=1), word("president", case=0)]),
        ('[word="Bank"] [word="Bank"%c]', [word("bank", case=1), word("Bank", EXPRESSION)]),
        (
            '[word="rights?"] []{0,5} [word = "labou?r" %c]',
            [word("rights?", EXPRESSION), Element((ANY,), 0, 5), word("labou?r", EXPRESSION)],
        ),
        (
            '[word="a|b"]?[] c',
            [Element((Piece("a|b", EXPRESSION),), 0, 1), Element((ANY,)), word("c")],
        ),
        (
            '([word="a]"] | [word="\\"x"]){2}',
            [Element((Piece("a]", EXPRESSION), Piece('\\"x', EXPRESSION)), 2, 2)],
        ),
        ("(the|a)? man", [Element((Piece("the", EXACT), Piece("a", EXACT)), 0, 1), word("man")]),
        (
            "(the|a) ? man",
            [Element((Piece("the", EXACT), Piece("a", EXACT))), word("?", GLOB), word("man")],
        ),
    ],
)
def test_what_can_be_written(text, elements):
    assert parse(text, cut) == (PatternPart(tuple(elements)),)


def test_parts_within_some_words():
    assert parse("right|rights of ~5 labor ~ 12 just", cut) == (
        PatternPart((Element((Piece("right", EXACT), Piece("rights", EXACT))), word("of"))),
        PatternPart((word("labor"),), 5),
        PatternPart((word("just"),), 12),
    )
    assert parse("labor ~s(s|t) ~9s just ~5social ~5 s*", cut)[1:] == (
        PatternPart((Element((Piece("s", EXACT), Piece("t", EXACT))),), FARTHEST_WORDS, True),
        PatternPart((word("just"),), 9, True),
        PatternPart((word("social"),), 5),
        PatternPart((word("s*", GLOB),), 5),
    )


@pytest.mark.parametrize(
    ("text", "at", "why"),
    [
        ("", 0, "A word is missing"),
        ("labor ~5 ", 9, "A word is missing at the end"),
        ("~5 labor", 0, "Write ~5 between"),
        (" labor ~ rights", 7, "Write ~5"),
        ("labor ~0 rights", 6, "Write ~5"),
        ("labor ~so rights", 6, "~s for “in one sentence with”"),
        ("labor ~100 rights", 6, "~99 is the farthest"),
        ("labor ~5 ~6 rights", 9, "Write ~5 between"),
        ("(right|rights of", 0, "has no “)”"),
        ("right)", 5, "no “(” before"),
        ("right|", 5, "between two words"),
        ("|right", 0, "between two words"),
        ("right & wrong", 6, "There is no word in “&”"),
        ("an =", 3, "There is no word in “=”"),
        ("the =US*", 4, "without “*”, “?” and “/”, which “=US*” has"),
        ("=/Un.*/", 0, "without “*”, “?” and “/”"),
        ("for £*", 4, "There is no letter and no number in “£*”"),
        ("well-known|famous", 0, "is 2 words"),
        ("a self-help{0,1}", 2, "is 2 words"),
        ("the{0,21} people", 3, "20 is the most"),
        ("{0,1} people", 0, "Write {0,3} behind"),
        ("the{x} people", 3, "Write {0,3}"),
        ("the} people", 3, "no “{” before"),
        ("labor ~5 the{0,1}", 6, "one word at least"),
        ("just /a(b/", 5, "missing )"),
        ("just /a)|(b/", 5, "RE2"),
        (r"/(x)\1/", 0, "invalid escape sequence"),
        (r"/\Qx/", 0, "RE2"),
        ("just /abc", 5, "no “/” at its end"),
        ('the [lemma="right"]', 4, "Of CQL"),
        ('the [word="right" & pos="N"]', 4, "Of CQL"),
        ('the [word="right"]+', 4, "+ and * say no most"),
        ("the []* of", 4, "+ and * say no most"),
        ('the [word="right]', 4, "Of CQL"),
        ('the [word="a(b"]', 4, "missing )"),
        ('the [word="a"%]', 4, "Of CQL"),
        (" ".join("abcdefghijklm"), 0, "12 words"),
        ("a{20} b{20} c{20} d{20}", 0, "60 words; this one has more"),
        ("x" * 301, 0, "at most 300 characters"),
    ],
)
def test_an_error_says_where_and_why(text, at, why):
    with pytest.raises(PatternError) as raised:
        parse(text, cut)
    assert raised.value.at == at and why in raised.value.message
    assert raised.value.message.startswith(f"Character {at + 1} of the pattern: ")


NO_TOPICS = SimpleNamespace(
    document_bow=SimpleNamespace(
        indptr=np.zeros(99, np.int64),
        counts=np.zeros(0, np.int32),
        first_token=np.zeros(99, np.int64),
        offsets=np.zeros(0, np.int32),
    ),
    token_topics=SimpleNamespace(topics=np.zeros(1, np.uint16), certainty=np.zeros(1, np.uint8)),
)
EVERY = (NO_TOPICS, np.zeros(0, bool))


def test_no_text_breaks_the_parser():
    rng = random.Random(1)
    for _ in range(3_000):
        text = "".join(rng.choices("ab -'*?|(){}~/,0123\\é“”[]", k=rng.randint(0, 12)))
        try:
            assert sum(len(part.elements) for part in parse(text, cut))
        except PatternError as error:
            assert 0 <= error.at <= len(text)


def index_of(folder: Path, texts: list[str], monkeypatch, segment: int = 1 << 25) -> Index:
    with Stream.write(folder / "tokens", Tokeniser("en")) as writer:
        writer.add(texts, [""] * len(texts))
        writer.commit()
    stream = Stream.open(folder / "tokens")
    monkeypatch.setattr("inference.index.segments.SEGMENT", segment)
    Index.write(folder / "index", stream, "en")
    return Index.open(folder / "index", stream, Tokeniser("en").spans)


WORDS = ["a", "ab", "b", "ba", "bá", "abc", "äb", "c"]


def cased(rng: random.Random, word: str) -> str:
    """A word in small letters, with a capital, in capitals, or in between."""
    return rng.choice([str, str.capitalize, str.upper, lambda w: w[0] + w[1:].capitalize()])(word)


def written(rng: random.Random, words: list[str]) -> str:
    """A pattern at random."""

    def one() -> str:
        name = rng.choice(words)
        some = [
            name,
            f"{name[0]}*",
            f"*{name[-1]}",
            f"?{name[1:]}",
            "*",
            f"({name}|{rng.choice(words)})",
            f"/{name}|{name[0]}+/",
            f"={cased(rng, name)}",
            f"(={cased(rng, name)}|={cased(rng, name)}|{rng.choice(words)})",
            f'([word="{cased(rng, name)}"])',
            f"({name}%d|={cased(rng, name)}%d)",
            f"?{name[1:]}%d",
            f'(/{name}+/%d|[word="{cased(rng, name)}"%cd])',
        ]
        return rng.choice(some) + rng.choice(["", "", "", "{0,1}", "{0,3}", "{2}", "{1,2}"])

    parts = [
        " ".join(one() for _ in range(rng.randint(1, 3))) for _ in range(rng.choice([1, 1, 2, 3]))
    ]
    near = [*(f" ~{n} " for n in range(1, 5)), " ~s ", " ~2s ", " ~4s "]
    return "".join(
        part + (rng.choice(near) if n + 1 < len(parts) else "") for n, part in enumerate(parts)
    )


def sentences(text: str, spans: list[tuple[int, int, str]]) -> list[int]:
    """In which sentence each word is: between two there is a sign that ends one, or an empty
    line."""
    gaps = [text[a[1] : b[0]] for a, b in pairwise(spans)]
    ends = (bool(re.search(r"[.!?…]|\n\s*\n", gap)) for gap in gaps)
    return list(accumulate(ends, initial=0))[: len(spans)]


def compare(
    index: Index, texts: list[str], text: str, chosen: np.ndarray, assigned=EVERY, held=None
) -> int:
    """Hits of a pattern, which are those of its twin."""
    pattern = parse(text, cut)
    # Streams of older versions have other types, for which it compiles.
    found = Hits(index, pattern, *assigned, chosen, seconds=np.inf)
    wanted = {}
    documents = found.documents
    counts = found.counts
    for d in np.flatnonzero(chosen).tolist():
        spans = Tokeniser("en").spans(texts[d])
        own = None if held is None else held[d]
        words = [naive_patterns.Written(word, texts[d][a:b]) for a, b, word in spans]
        hits = naive_patterns.hits(pattern, words, own, sentences(texts[d], spans))
        if hits:
            wanted[d] = [(spans[begin][0], spans[end - 1][0]) for begin, end in hits]
    assert dict(zip(documents.tolist(), counts.tolist(), strict=True)) == {
        d: len(w) for d, w in wanted.items()
    }, text
    assert documents.tolist() == sorted(wanted)
    for d in list(wanted)[:20]:
        places = found.places(d, len(wanted[d]) + 1)
        assert [tuple(place) for place in places[:, :2].tolist()] == wanted[d], text
        # Topic and certainty: nothing is assigned without
        given = [-1, -1] if held is None else [1, 9]
        assert (
            assigned is not EVERY
            and held is None
            or places[:, 3:].tolist() == [given] * len(places)
        )
        assert len(found.places(d, 1)) == 1
    return int(counts.sum())


@pytest.mark.parametrize("seed", range(20))
def test_matches_are_those_of_the_twin(seed, tmp_path, monkeypatch):
    rng = random.Random(seed)
    signs = [" "] * 6 + [", ", ". ", "! ", "\n\n"]
    texts = [
        "".join(cased(rng, w) + rng.choice(signs) for w in rng.choices(WORDS, k=rng.randint(0, 14)))
        for _ in range(rng.randint(3, 12))
    ]
    index = index_of(tmp_path, texts, monkeypatch, segment=25)
    patterns = (
        (text, np.array([rng.random() < 0.8 for _ in texts]))
        for text in iter(lambda: written(rng, WORDS), None)
    )
    total = 0
    tried = 0
    while tried < 40:
        text, chosen = next(patterns)
        try:
            total += compare(index, texts, text, chosen)
        except PatternError as error:
            assert "one word at least" in error.message
        tried += 1
    assert total


def test_words_as_written_are_told_apart_by_every_letter(tmp_path, monkeypatch):
    texts = [
        "Bank of the bank. BANK, bAnk; baNk",
        "the US and us: Us, uS iPhone IPHONE Iphone iPHONE",
        "ÉCOLE École e\u0301cole 3.5M 3.5m",
    ]
    index = index_of(tmp_path, texts, monkeypatch)
    every = np.ones(3, bool)
    words = Counter(
        normalize("NFC", text[a:b]) for text in texts for a, b, _ in Tokeniser("en").spans(text)
    )
    for text, times in words.items():
        assert (
            compare(index, texts, text, every) >= compare(index, texts, f"={text}", every) == times
        ), text
    assert (
        compare(index, texts, "=Bank|=bAnk", every)
        == compare(index, texts, "=US and =us", every) + 1
        == 2
    )
    assert compare(index, texts, "ecole%d", every) == compare(index, texts, "/éc.*/%d", every) == 3
    assert (
        compare(index, texts, "=ECOLE%d", every)
        == compare(index, texts, '[word="ecole"%d]', every)
        == 1
    )
    assert compare(index, texts, "ecole", every) == 0
    downgrade(tmp_path / "tokens")
    index = Index.open(tmp_path / "index", Stream.open(tmp_path / "tokens"), Tokeniser("en").spans)
    assert compare(index, texts, "bank", every) == 5
    with pytest.raises(Invalid, match="older version"):
        Hits(index, parse("bank|=US", cut), *EVERY, every)


@pytest.mark.parametrize("seed", range(5))
def test_a_frequent_word_and_any_other_is_found_without_reading_texts(seed, tmp_path, monkeypatch):
    """Words that follow themselves, and at ends of texts; and in an index of an older version,
    which has nothing of it, by reading."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS[:3], k=rng.randint(0, 9))) for _ in range(60)]
    index = index_of(tmp_path, texts, monkeypatch, segment=70)
    assert len(index.unfollowed) > 2
    chosen = np.array([rng.random() < 0.8 for _ in texts])
    for text in ("a *", "B []", "ab *", "b *%d"):
        assert compare(index, texts, text, chosen)
    without = Index.open(tmp_path / "index", index.stream, index.spans)
    without.unfollowed = [None] * len(index.unfollowed)
    read = Hits(without, parse("a *", cut), *EVERY, chosen)
    with monkeypatch.context() as patch:
        patch.setattr(hits, "count_hits", lambda *arguments: np.zeros(len(arguments[1]), np.int32))
        found = Hits(index, parse("a *", cut), *EVERY, chosen)
        assert not len(Hits(without, parse("a *", cut), *EVERY, chosen).documents)
    assert found.documents.tolist() == read.documents.tolist()
    assert found.counts.tolist() == read.counts.tolist()
    for folder in (tmp_path / "index").glob("*/unfollowed"):
        rmtree(folder)
    older = Index.open(tmp_path / "index", index.stream, index.spans)
    assert older.unfollowed == without.unfollowed
    assert compare(older, texts, "a *", chosen) == found.counts.sum()


@pytest.mark.parametrize("is_of_older_version", [False, True])
def test_a_word_that_a_text_has_very_often_is_counted_whatever_the_index_counts(
    tmp_path, monkeypatch, is_of_older_version
):
    """An older version counted LARGEST_COUNT uses at the most, and others modulo 65,536."""
    uses = 3 * segments.LARGEST_COUNT
    index = index_of(tmp_path, ["a " * uses, "a b a"], monkeypatch)
    if is_of_older_version:
        for folder, largest in (("text", segments.LARGEST_COUNT), ("unfollowed", 2**32 - 1)):
            [file] = (tmp_path / "index").glob(f"*/{folder}/counts.npy")
            counts = np.load(file)
            file.unlink()  # of which the index that is open keeps what it has
            np.save(file, np.minimum(counts, largest).astype(np.uint16))
        index = Index.open(tmp_path / "index", index.stream, index.spans)
    found = Hits(index, parse("a *", cut), *EVERY, np.ones(2, bool))
    assert found.counts.tolist() == [uses // 2, 1]


def test_a_sentence_without_end_reaches_some_words(tmp_path, monkeypatch):
    texts = [f"a {'b ' * n}c" for n in (FARTHEST_WORDS - 1, FARTHEST_WORDS)]
    texts += [" ".join(text.split()[::-1]) for text in texts]
    assert compare(index_of(tmp_path, texts, monkeypatch), texts, "a ~s c", np.ones(4, bool)) == 2


def test_only_documents_of_the_version_are_looked_at(tmp_path, monkeypatch):
    index = index_of(tmp_path, ["a b", "a", "a"], monkeypatch, segment=2)
    assert Hits(index, parse("a", cut), *EVERY, np.ones(2, bool)).documents.tolist() == [0, 1]


def test_matches_in_a_topic(tmp_path, monkeypatch):
    """Of two documents whose words are assigned to topics by a table."""
    rng = random.Random(3)
    texts = [" ".join(rng.choices(WORDS[:4], k=30)) for _ in range(6)]
    index = index_of(tmp_path, texts, monkeypatch)
    held = []
    rows = []
    # Pairs (word, topic) as a bag of words has them: a word has one topic in a document
    for text in texts:
        spans = Tokeniser("en").spans(text)
        topic_of = {word: rng.randrange(3) for word in WORDS[:3]}
        rows.append(
            [(topic_of[w], [start for start, _, word in spans if word == w]) for w in WORDS[:3]]
        )
        held.append({i for i, (*_, word) in enumerate(spans) if topic_of.get(word) == 1})
    pairs = [pair for row in rows for pair in row if pair[1]]
    bow = SimpleNamespace(
        indptr=np.cumsum([0, *(sum(bool(at) for _, at in row) for row in rows)]),
        counts=np.array([len(at) for _, at in pairs], np.int32),
        first_token=np.cumsum([0, *(sum(len(at) for _, at in row) for row in rows)]),
        offsets=np.array([at for _, places in pairs for at in places], np.int32),
    )
    topics = np.array([topic for topic, _ in pairs], np.uint16)
    token_topics = SimpleNamespace(topics=topics, certainty=np.full(len(pairs), 9, np.uint8))
    evidence = SimpleNamespace(document_bow=bow, token_topics=token_topics)
    assigned = evidence, np.array([False, True, False])
    for text in ("a", "b *", "ba", "a|ab ~2 b", "* *"):
        inside = compare(index, texts, text, np.ones(6, bool), assigned, held)
        assert inside <= compare(index, texts, text, np.ones(6, bool)), text
    assert 0 < compare(index, texts, "a|ab", np.ones(6, bool), assigned, held)


@pytest.mark.parametrize(
    "expression",
    [
        r"(\pL?){150}x",
        r"(.?){200}a{200}",
        r"(.*a.{12}){3}",
        r"(a+)+b",
        r"(\pL|\pN){0,100}(\pL|.){0,100}q",
    ],
)
def test_an_attacker_is_stopped(expression, tmp_path, monkeypatch):
    """Patterns that take seconds over all forms: they end, or are stopped between two slices of
    forms."""
    rng = random.Random(0)
    forms = sorted({"".join(rng.choices("abcdefgh", k=rng.randint(3, 14))) for _ in range(40_000)})
    index = index_of(tmp_path, [" ".join(forms)], monkeypatch)
    began = monotonic()
    try:
        Hits(index, parse(f"/{expression}/", cut), *EVERY, np.ones(1, bool))
    except Invalid as error:
        assert "takes too long" in error.message
    assert monotonic() - began < 60  # a bound on hanging, no measure of speed


def test_many_such_alternatives_take_no_longer(tmp_path, monkeypatch):
    index = index_of(tmp_path, ["ab abc abcd"], monkeypatch)
    times = iter(range(100))
    monkeypatch.setattr("inference.index.hits.monotonic", lambda: next(times) / 10)
    # A tenth of a second each
    monkeypatch.setattr("inference.index.forms.monotonic", lambda: next(times) / 10)
    Hits(index, parse("|".join(["/a.*/"] * 5), cut), *EVERY, np.ones(1, bool))
    with pytest.raises(Invalid, match="takes too long"):
        Hits(index, parse("|".join(["/a.*/"] * 20), cut), *EVERY, np.ones(1, bool))


def test_hits_in_topics_and_places_need_evidence(tmp_path, monkeypatch):
    index = index_of(tmp_path, ["a b a b"], monkeypatch)
    with pytest.raises(ValueError, match="without evidence"):
        Hits(index, parse("a", cut), None, np.ones(3, bool), np.ones(1, bool))
    found = Hits(index, parse("a", cut), None, np.zeros(0, bool), np.ones(1, bool))
    assert found.counts.tolist() == [2]
    with pytest.raises(ValueError, match="without evidence"):
        found.places(0, 1)


def test_counting_ends_in_time(tmp_path, monkeypatch):
    index = index_of(tmp_path, ["a b a b"] * 9, monkeypatch)
    monkeypatch.setattr(hits, "SECONDS", -1.0)
    with pytest.raises(Invalid, match="was stopped"):
        Hits(index, parse("a", cut), *EVERY, np.ones(9, bool))
    monkeypatch.setattr(hits, "SECONDS", 10.0)
    monkeypatch.setattr(hits, "FORMS_SECONDS", -1.0)
    with pytest.raises(Invalid, match="takes too long"):
        Hits(index, parse("a*", cut), *EVERY, np.ones(9, bool))


def test_compiling_has_no_end_of_time(tmp_path, monkeypatch):
    """On a busy machine the kernels took more than the seconds of a page, and a first start
    failed."""
    index = index_of(tmp_path, ["a b a b"] * 9, monkeypatch)
    monkeypatch.setattr(hits, "SECONDS", -1.0)
    monkeypatch.setattr(hits, "FORMS_SECONDS", -1.0)
    found = Hits(index, parse("a*", cut), *EVERY, np.ones(9, bool), seconds=np.inf)
    assert found.documents.tolist() == list(range(9))


def naive_sample(documents: list[int], counts: list[int], most: int) -> list[tuple[int, int]]:
    """(document, which of its hits): all of them by their hashes, the smallest first."""

    def mixed(x: int) -> int:
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            x = (x ^ x >> shift) * factor % 2**64
        return x

    every = [(d, n) for d, count in zip(documents, counts, strict=True) for n in range(count)]
    return sorted(sorted(every, key=lambda line: mixed(line[0] << 32 | line[1]))[:most])


def test_a_sample_is_that_of_the_twin_and_keeps_its_lines_in_a_part(monkeypatch):
    rng = np.random.default_rng(4)
    for seed in range(60):
        monkeypatch.setattr(hits, "BLOCK", int(rng.integers(1, 40)))
        documents = np.flatnonzero(rng.random(60) < 0.6).astype(np.int32)
        counts = rng.integers(1, 7, len(documents)).astype(np.int32)
        most = int(rng.integers(1, 90))
        lines = [
            (int(d), n) for d, count in zip(documents, counts, strict=True) for n in range(count)
        ]
        chosen = [lines[i] for i in hits.sample(documents, counts, most)]
        assert chosen == naive_sample(documents.tolist(), counts.tolist(), most), seed
        part = documents >= 30
        own = lines[counts[~part].sum() :]
        of_part = [own[i] for i in hits.sample(documents[part], counts[part], most)]
        assert {line for line in chosen if line[0] >= 30} <= set(of_part)
    assert hits.sample(np.zeros(0, np.int32), np.zeros(0, np.int32), 5).tolist() == []


def test_a_sample_is_spread_evenly():
    counts = np.full(400, 50, np.int32)
    chosen = hits.sample(np.arange(400, dtype=np.int32), counts, 2_000)
    # Quarters of the documents, and of each document
    for place in (
        chosen // 5_000,
        chosen % 50 // 13,
    ):
        assert np.bincount(place).min() > 380
