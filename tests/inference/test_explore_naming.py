"""Names of topics: phrases as texts write them, no near-synonyms, none twice, and general talk told
apart."""

from difflib import SequenceMatcher
from itertools import combinations

import numpy as np
import pytest

from inference import Postings, Theta, Topics, gather, open_evidence
from inference.explore import company, naming, neighbours
from inference.explore.grammar import Grammar
from inference.findings import uses
from inference.text import Stream, Tokeniser, VocabularyChoice, choose, stop_words

AROUND = ["pays", "needs", "reform", "grows"]  # so that no longer phrase stands in every document
SECURITY = [
    f"Now Social Security {word}. A fund. Our {word} benefits. {word} for Social Security, courts."
    for word in AROUND
]
COURT = [
    f"The Supreme Court {word}. A judge, laws. Some {word} courts. {word} in the Supreme Court."
    for word in AROUND
]
FARM = ["Corn and wheat grow."] * 4


def named(
    tmp_path, texts, topic_of, words, language="en", avoided=frozenset(), columns=(), **rules
):
    """(names, samples) of topics whose words are given, each document wholly of one topic. rules:
    of the choice of words."""
    with Stream.write(tmp_path / "tokens", Tokeniser(language)) as stream:
        stream.add(texts, [""] * len(texts))
        stream.commit()
    choice = VocabularyChoice(
        stop_words=stop_words(language),
        min_documents=1,
        max_share=1.0,
        language=language,
        **rules,
    )
    bow, vocabulary = choose(Stream.open(tmp_path / "tokens"), choice, tmp_path / "bow")
    number = {word: w for w, word in enumerate(vocabulary.words)}
    K = len(words)
    rows = [[number[word] for word in of] for of in words]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    weights = np.concatenate(
        [np.linspace(2, 1, len(row)) / (1.5 * len(row)) for row in rows]
    ).astype(np.float32)
    tokens = np.bincount(topic_of, minlength=K).astype(float)
    topics = Topics.of_listed(indptr, np.concatenate(rows).astype(np.int32), weights, tokens, bow.V)
    theta = Theta(
        0, np.arange(len(texts) + 1), np.array(topic_of, np.int32), np.ones(len(texts), np.float32)
    )
    postings = Postings.open(tmp_path / "bow" / "by_word")
    list(gather(tmp_path / "evidence", bow, postings, topics, [theta], by_document=True))
    evidence = open_evidence(tmp_path / "evidence", bow, postings)
    spelled = list(vocabulary.words)
    samples = list(
        neighbours.samples(evidence, np.array([len(word) for word in spelled], np.int32))
    )

    def read(documents, most):
        return {d: texts[d][:most] for d in documents}

    looked_at = [
        (
            sample,
            neighbours.written(
                evidence,
                sample,
                range(len(spelled)),
                spelled.__getitem__,
                neighbours.read(sample, read),
            ),
        )
        for sample in samples
    ]
    leading = naming.leading_words(evidence)
    rules = naming.NamingRules(
        vocabulary=dict(enumerate(spelled)),
        grammar=Grammar(texts, stop_words(language)),
        avoided=avoided,
        columns=columns,
    )
    names = naming.by_coverage(evidence, leading, looked_at, company.company(evidence), rules)
    assert set(naming.spelled(leading, samples)) <= set(range(len(spelled)))
    return [name.text for name in names], samples


def test_a_phrase_is_written_as_the_texts_do(tmp_path):
    words = [
        ["social", "security", "benefits", "fund"],
        ["supreme", "court", "judge", "laws", "courts"],
    ]
    names, samples = named(tmp_path, SECURITY + COURT, [0] * 4 + [1] * 4, words)
    assert names[0].startswith("Social Security") and names[1].startswith("Supreme Court")
    assert [(p.tokens, p.documents) for p in samples[0].phrases][0] == (8, 4)
    assert all("ourts" not in name for name in names)  # says "court" again


def test_no_phrase_goes_across_punctuation_or_a_word_that_counts(tmp_path):
    texts = [
        "We have gold, silver and iron. Gold; silver. A gold of iron and silver; coin."
    ] * 4 + FARM
    names, _ = named(
        tmp_path, texts, [0] * 4 + [1] * 4, [["gold", "silver", "coin"], ["corn", "wheat"]]
    )
    assert names[0] == "Gold of iron"  # and never "gold silver"


def test_words_between_are_part_of_a_phrase(tmp_path):
    texts = ["We asked the Bank of England. The Bank of England lends."] * 4 + FARM
    names, _ = named(
        tmp_path, texts, [0] * 4 + [1] * 4, [["bank", "england", "lends"], ["corn", "wheat"]]
    )
    assert names[0].startswith("Bank of England")


KORAN = [f"By the Qur’an we {word}. A verse; the Qur’an." for word in AROUND]
HOLY = [f"The Holy Qur’an {word}. Verses; some {word} of a Holy Qur’an." for word in AROUND]


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_words_with_apostrophes_are_written_as_the_texts_do(tmp_path, apostrophe):
    texts = [text.replace("’", apostrophe) for text in KORAN]
    words = [["qur'an", "verse"], ["corn", "wheat"]]
    names, _ = named(tmp_path, texts + FARM, [0] * 4 + [1] * 4, words, apostrophes="clitics")
    assert names[0].split(" & ")[0] == f"Qur{apostrophe}an"


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_phrases_with_apostrophes_are_written_as_the_texts_do(tmp_path, apostrophe):
    texts = [text.replace("’", apostrophe) for text in HOLY]
    words = [["holy", "qur'an", "verses"], ["corn", "wheat"]]
    names, _ = named(tmp_path, texts + FARM, [0] * 4 + [1] * 4, words, apostrophes="clitics")
    assert names[0].split(" & ")[0] == f"Holy Qur{apostrophe}an"


def test_a_phrase_may_have_an_apostrophe_before_its_last_word(tmp_path):
    texts = [f"The Shi’a Clergy {word}. Imams; some {word} of a Shi’a Clergy." for word in AROUND]
    words = [["shi'a", "clergy", "imams"], ["corn", "wheat"]]
    names, _ = named(tmp_path, texts + FARM, [0] * 4 + [1] * 4, words, apostrophes="clitics")
    assert names[0].split(" & ")[0] == "Shi’a Clergy"


def test_lemmas_of_words_with_apostrophes_are_written_in_full():
    text = neighbours.fold_apostrophes("The O’Briens spoke")
    assert text[4 : neighbours.end_of_word(text, 4, "o'brienish")] == "O'Briens"
    assert text[4 : neighbours.end_of_word(text, 4, "other")] == "O"


def test_a_speaker_with_an_apostrophe_names_no_subject(tmp_path):
    texts = [f"Lord O’Brien {word}. Taxes; some {word} of Lord O’Brien." for word in AROUND]
    words = [["o'brien", "lord", "taxes"], ["corn", "wheat"]]
    names, _ = named(
        tmp_path,
        texts + FARM,
        [0] * 4 + [1] * 4,
        words,
        avoided={"o'brien"},
        apostrophes="clitics",
    )
    assert "Brien" not in names[0]


def test_a_name_covers_its_topic_by_two_words_that_meet(tmp_path, monkeypatch):
    """ "wheat" is in half of the documents, "corn" in one with it and in others; "hay" never meets
    them, though it adds as much."""
    monkeypatch.setattr(naming, "NEAR_EACH_FIRST", 0)  # "hay" is one of few first words
    texts = ["Wheat sun. Wheat for corn.", "Wheat for corn.", "Wheat, corn.", "Wheat rain."]
    texts += ["Corn rain.", "Corn sun.", "Hay. Hay alone.", "Hay. Hay rain."]
    words = [["corn", "wheat", "rain", "sun", "hay"], ["court", "judge"]]
    names, _ = named(tmp_path, texts + ["Court; judge."] * 16, [0] * 8 + [1] * 16, words)
    assert sorted(names[0].lower().split(" & ")) == ["corn", "wheat"] and names[1] == "Court"


def test_a_name_is_used_more_where_its_topic_is(tmp_path):
    """ "duty" covers more of the topic than "tariff", but an earlier topic has as much of it."""
    texts = ["Duty and sun. Our duty.", "Our duty. A tariff.", "Duty. The tariff.", "A duty."] * 2
    texts[1] += " The sun."
    earlier = ["Judge. Our duty.", "A judge.", "Judge. The court.", "Judge; a court."] * 4
    words = [["duty", "tariff", "sun"], ["judge", "court", "duty"]]
    topic_of = [0] * 8 + [1] * 16
    before, _ = named(tmp_path / "a", texts + earlier, topic_of, words)
    dates = np.array([1] * 8 + [0] * 16, np.int32)
    names, _ = named(tmp_path / "b", texts + earlier, topic_of, words, columns=[dates])
    assert (before[0], names[0]) == ("Duty", "Tariff & duty")


PLACES = ["hill", "lake", "wood", "moor", "vale", "glen", "dale", "marsh"]
WHEAT = "The wheat. Some wheat."
BARN = "The barn. Some barn."
COURTS = ["A court; the judge; a plea; the oath; a writ; the jury; a bail; the bench."]
OF_COURTS = ["court", "judge", "plea", "oath", "writ", "jury", "bail", "bench"]


def of_places(adjectives, texts):
    """Some texts, each behind a place of its own that every adjective is said of."""
    documents = []
    for place, text in zip(PLACES, texts, strict=True):
        said = " ".join(f"{adjective} {place}." for adjective in adjectives)
        documents.append(f"{said} {text}")
    return documents


@pytest.mark.parametrize(
    ("adjectives", "text", "words_of_name", "name"),
    [
        (["great", "old"], WHEAT, 2, "great · old · wheat"),
        (["great", "old"], WHEAT, 3, "Wheat"),
        (["great", "old"], f"{WHEAT} {WHEAT} {WHEAT}", 2, "Wheat"),
        (["old", "older"], WHEAT, 2, "Wheat"),  # forms of a word are one
    ],
)
def test_a_name_has_one_of_the_words_that_come_first(
    tmp_path, monkeypatch, adjectives, text, words_of_name, name
):
    """However well another noun covers the topic, whose adjectives are what it has most of."""
    monkeypatch.setattr(naming, "NAME_HAS_OF", words_of_name)
    documents = of_places(adjectives * 3, [text] * 8)
    words = [[*adjectives, "wheat", *PLACES], OF_COURTS]
    names, _ = named(tmp_path, documents + COURTS * 8, [0] * 8 + [1] * 8, words)
    assert names[0] == name


@pytest.mark.parametrize(("first_words", "name"), [(5, "Wheat"), (6, "Wheat & barn")])
def test_each_part_of_a_name_has_one_of_the_first_words(tmp_path, monkeypatch, first_words, name):
    """ "barn" adds a quarter of the topic to "wheat", and five words come before it."""
    monkeypatch.setattr(naming, "PART_HAS_OF", first_words)
    adjectives = ["great", "old", "deep", "wild"]
    only_wheat = f"{WHEAT} {WHEAT} {WHEAT} {WHEAT}"
    texts = [only_wheat] * 3 + [f"{WHEAT} {BARN} {BARN}"] * 3 + [f"{BARN} {BARN}"] * 2
    documents = of_places(adjectives * 3, texts)
    words = [["wheat", *adjectives, "barn", *PLACES], OF_COURTS]
    names, _ = named(tmp_path, documents + COURTS * 24, [0] * 8 + [1] * 24, words)
    assert names[0] == name


@pytest.mark.parametrize(("barley", "name"), [("", "wheat · barley"), (" Some barley.", "Wheat")])
def test_a_name_is_near_each_of_the_first_words(tmp_path, barley, name):
    """ "wheat" covers most of the topic, and "barley" is in other texts of it, unless some have
    both."""
    texts = ["Our wheat. The wheat."] * 10 + ["Some barley."] * 4
    texts[:2] = [text + barley for text in texts[:2]]
    words = [["wheat", "barley"], OF_COURTS]
    names, _ = named(tmp_path, texts + COURTS * 8, [0] * 14 + [1] * 8, words)
    assert names[0] == name


@pytest.mark.parametrize(
    ("heading", "is_name"),
    [("XIV", False), ("LTD", True), ("Dear Elder", False), ("Great Mill", True)],
)
def test_numerals_of_chapters_and_addresses_name_nothing(tmp_path, heading, is_name):
    """An abbreviation, and a phrase within sentences, in their places do."""
    uses = f"The {heading} stands. We see the {heading} there."
    if heading == "Dear Elder":
        uses = f"{heading}, we stand. We see you, {heading}! The wheat."
    texts = [uses] * 10 + [f"{uses} The wheat."] * 4
    words = [[*heading.lower().split(), "wheat"], OF_COURTS]
    names, _ = named(tmp_path, texts + COURTS * 8, [0] * 14 + [1] * 8, words)
    assert (names[0] == heading) == is_name


def test_a_topic_that_nothing_names_has_its_words(tmp_path):
    """No word of it is mostly its own: they are all in the other topic, too."""
    shared = ["Great old times.", "Old great days.", "Times of great days.", "Old times."]
    texts = shared * 2 + [text + " Wheat." for text in shared * 3]
    words = [["great", "old", "times", "days"], ["wheat", "great", "old", "times", "days"]]
    names, _ = named(tmp_path, texts, [0] * 8 + [1] * 12, words)
    assert " · " in names[0] and " & " not in names[0]
    assert names[1] == "Wheat"


def test_a_phrase_is_counted_as_a_phrase(tmp_path, monkeypatch):
    """Words apart are no phrase, and of a word's documents none is left out."""
    texts = [
        "Social Security, security. Security of the social.",
        "Social, but our security. Social Security; social security.",
    ]
    with Stream.write(tmp_path / "tokens", Tokeniser("en")) as stream:
        stream.add([*texts, *FARM], [""] * 6)
        stream.commit()
    bow, vocabulary = choose(
        Stream.open(tmp_path / "tokens"),
        VocabularyChoice(stop_words("en"), min_documents=1, max_share=1.0),
        tmp_path / "bow",
    )
    words = [vocabulary.words.index(word) for word in ("social", "security")]
    postings = Postings.open(tmp_path / "bow" / "by_word")
    topics = Topics.of_listed(
        np.array([0, bow.V]),
        np.arange(bow.V, dtype=np.int32),
        np.full(bow.V, 1 / bow.V, np.float32),
        np.ones(1),
        bow.V,
    )
    theta = Theta(0, np.arange(7), np.zeros(6, np.int32), np.ones(6, np.float32))
    list(gather(tmp_path / "evidence", bow, postings, topics, [theta]))
    evidence = open_evidence(tmp_path / "evidence", bow, postings)
    documents, n = uses.counts(evidence, words, [6, 8])
    assert documents.tolist() == [0, 1] and n.tolist() == [1.0, 2.0]
    documents, n = uses.counts(evidence, words[1:], [8])
    assert documents.tolist() == [0, 1] and n.tolist() == [3.0, 3.0]
    monkeypatch.setattr(uses, "WORD", 1)
    # One of two documents stands for both
    assert uses.counts(evidence, words[1:], [8])[1].tolist() == [6.0]


def test_a_phrase_that_counts_as_one_word_ends_with_its_last_word():
    text = "In New York and new\nyork, New-York, New. Newark."
    ends = [
        neighbours.end_of_word(text, text.index(word), "new_york") for word in ("New York", "new\n")
    ]
    assert [text[:end] for end in ends] == ["In New York", "In New York and new\nyork"]
    hyphened = text.index("New-York")
    assert neighbours.end_of_word(text, hyphened, "new_york") == hyphened + len("New-York")
    assert neighbours.end_of_word("New", 0, "new_york") == 0


def test_speakers_name_no_subject(tmp_path):
    (tmp_path / "a").mkdir()
    kept = ["Smith speaks. Smith of taxes."] * 4
    names, _ = named(
        tmp_path / "a",
        kept + FARM,
        [0] * 4 + [1] * 4,
        [["smith", "taxes", "speaks"], ["corn", "wheat"]],
    )
    assert names[0].startswith("Smith")
    (tmp_path / "b").mkdir()
    names, _ = named(
        tmp_path / "b",
        kept + FARM,
        [0] * 4 + [1] * 4,
        [["smith", "taxes", "speaks"], ["corn", "wheat"]],
        avoided={"smith"},
    )
    assert "Smith" not in names[0]


def test_writing_without_spaces(tmp_path):
    texts = ["人民银行提高利率。人民银行说话。"] * 4 + ["农民种小麦。"] * 4
    with Stream.write(tmp_path / "seen", Tokeniser("zh")) as stream:
        stream.add(texts, [""] * len(texts))
        stream.commit()
    seen = list(Stream.open(tmp_path / "seen").lexicon)
    bank = [word for word in seen if word in ("人民", "银行", "人民银行", "利率")]
    farm = [word for word in seen if word in ("农民", "小麦", "种")]
    names, _ = named(tmp_path, texts, [0] * 4 + [1] * 4, [bank, farm], "zh")
    assert names[0] and names[1] and " " not in names[0].replace(" & ", "").replace(" · ", "")


def test_without_texts_names_are_words_and_none_stands_twice():
    indptr = np.array([0, 3, 6, 9, 9])
    words = np.array([0, 1, 2, 0, 1, 2, 3, 4, 5], np.int32)
    weights = np.array([0.5, 0.3, 0.2] * 3, np.float32)
    topics = Topics.of_listed(indptr, words, weights, np.array([3.0, 2.0, 4.0, 1.0]), 8)
    spelled = dict(enumerate(["court", "courts", "judge", "vs", "mln", "new_york"]))
    names = naming.names(topics, spelled)
    assert len({name.text for name in names}) == 4 and names[3] == naming.Name()
    assert names == naming.names(topics, spelled)
    assert names[2].parts == ("new york", "mln") and names[2].text == "New york & mln"
    assert not any({"court", "courts"} <= set(name.parts) for name in names)


def test_without_texts_the_words_of_a_topic_are_listed_where_others_have_its_names():
    indptr = np.arange(0, 9, 2)
    words = np.array([0, 1] * 4, np.int32)
    weights = np.full(8, 0.5, np.float32)
    topics = Topics.of_listed(indptr, words, weights, np.array([4.0, 3.0, 2.0, 1.0]), 2)
    names = naming.names(topics, {0: "court", 1: "courts"})
    assert [name.parts for name in names] == [("court",), ("courts",), (), ()]
    assert [name.text for name in names[2:]] == ["court · courts"] * 2


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("court", "courts", True),
        ("america", "american", True),
        ("man", "men", True),
        ("gold", "silver", False),
        ("oil", "oils", True),
        ("银", "行", False),
    ],
)
def test_words_that_say_the_same(a, b, same):
    assert naming.alike(a, b) is same


def test_words_of_too_few_common_letters_are_told_apart_without_comparing_their_order():
    """And all others as difflib does."""
    words = sorted(word.casefold() for word in stop_words("en") | stop_words("de"))[::4]
    long_words = [word for word in words if len(word) >= 4]
    alike_pairs = 0
    for a, b in combinations(long_words, 2):
        by_order = SequenceMatcher(None, a, b).ratio() > naming.ALIKE
        alike_pairs += by_order
        assert naming.alike(a, b) is (a[:4] == b[:4] or by_order), (a, b)
    assert alike_pairs > 20


def test_long_words_in_capitals_are_headings():
    texts = [
        "VETERANS\n\nOur veterans. Veterans and AIDS, and VETERANS, VETERANS, VETERANS",
        "for aids against AIDS and AIDS; a TELEGRAM, and UNESCO, UNESCO or UNESCO",
    ]
    said = neighbours.Written()
    for key, text, word in [
        (1, texts[0], "veterans"),
        (2, texts[0], "aids"),
        (2, texts[1], "aids"),
        (3, texts[1], "telegram"),
        (4, texts[1], "unesco"),
    ]:
        at = text.lower().find(word)
        while at >= 0:
            said.add((key,), text, at, at + len(word))
            at = text.lower().find(word, at + 1)
    assert [said.form((key,)) for key in (1, 2, 3, 4)] == ["veterans", "AIDS", "telegram", "UNESCO"]


def follows(words, counts, mine, offsets, lengths):
    """As neighbours.neighbouring_words, on lists."""
    of_token = [i for i, n in enumerate(counts) for _ in range(n)]
    tokens = sorted(zip(offsets, of_token, strict=True), key=lambda token: token[0])
    out = []

    def gap(i):  # between token i and the next; -2 at both ends of the text
        if i < 0 or i + 1 >= len(tokens):
            return -2
        return tokens[i + 1][0] - tokens[i][0] - lengths[words[tokens[i][1]]]

    for i, ((_, a), (_, b)) in enumerate(zip(tokens, tokens[1:], strict=False)):
        if (
            mine[a]
            and mine[b]
            and 0 <= gap(i) <= neighbours.GAP_CHARACTERS
            and words[a] != words[b]
        ):
            before, behind = (
                [words[tokens[at][1]], gap(g)] if gap(g) in (0, 1) else [-1, -1]
                for at, g in ((i - 1, i - 1), (i + 2, i + 1))
            )
            out.append([words[a], words[b], gap(i), *before, *behind])
    return out


def test_neighbours_are_those_of_a_slow_twin():
    chance = np.random.default_rng(3)
    lengths = chance.integers(1, 6, 9).astype(np.int32)
    rows = 0
    for _ in range(200):
        words = np.sort(chance.choice(9, chance.integers(1, 9), replace=False)).astype(np.int32)
        counts = chance.integers(1, 4, len(words)).astype(np.int32)
        mine = chance.random(len(words)) < 0.7
        sequence = chance.permutation(np.repeat(np.arange(len(words)), counts))
        starts = np.cumsum(
            [0, *(lengths[words[sequence[:-1]]] + chance.integers(0, 14, len(sequence) - 1))]
        )
        offsets = np.concatenate([starts[sequence == i] for i in range(len(words))]).astype(
            np.int32
        )
        twin = follows(
            words.tolist(), counts.tolist(), mine.tolist(), offsets.tolist(), lengths.tolist()
        )
        assert neighbours.neighbouring_words(words, counts, mine, offsets, lengths).tolist() == twin
        rows += len(twin)
    assert rows > 200
