"""Nouns told without a tagger, by function words alone; and how phrases are counted."""

import numpy as np
import pytest

from inference.explore import name_candidates
from inference.explore.grammar import Grammar
from inference.text import Choice, stop_words
from inference.text.clitics import dividing_clitics

FARM = """The farmer sees the wheat. A farmer with a plough is on the field, and the field of the
farmer is green. We plough the field. We are on the field. They will harvest the wheat of the field, as we will. The green field
and the old plough. Thank the farmer; to thank the field is to thank the wheat, and we have to thank the farmer. An old farmer in the
village, a new village by the field, with the wheat.
"""


def test_nouns_verbs_and_modifiers():
    grammar = Grammar([FARM] * 12, stop_words("en"))
    assert {"the", "a"} <= grammar.determiners
    assert {"of", "with"} <= grammar.prepositions and not grammar.nouns_have_capitals
    kinds = {word: grammar.kind(word) for word in ("farmer", "wheat", "village", "old")}
    assert kinds == {
        "farmer": "noun",
        "wheat": "noun",
        "village": "noun",
        "old": "modifier",
    }
    assert grammar.kind("thank") != "noun"
    assert grammar.kind("tractor") == ""  # never seen


LOG = """* Fix memory leak in the parser.
* Fix buffer overflow of the parser.
* Fix crash.
* Close the file. Close a buffer of the parser. Close the parser.
* Update translation of the manual, with the memory leak and a buffer overflow in the parser.
The stable release of the parser. A stable release with the real-world parser, and the real-world.
"""


@pytest.mark.parametrize(
    ("phrase", "of_a_name"),
    [
        ("memory leak", "memory leak"),
        ("Fix memory leak", "memory leak"),  # the verb begins what is said
        ("Fix crash", ""),
        ("Close the file", ""),  # another verb
        ("parser with the leak", "parser with the leak"),
        ("parser despite the leak", ""),  # not one of the most frequent
        ("parser stable", ""),  # ends with a modifier
        ("real-world", ""),
        ("Real-World", "Real-World"),
        ("stable release", "stable release"),
        ("2 parser", ""),
        ("parser of bob", ""),  # names somebody
        ("release ago", ""),
    ],
)
def test_noun_phrases_of_what_is_said_in_commands(phrase, of_a_name):
    grammar = Grammar([LOG] * 12, stop_words("en") | {"despite"})
    assert grammar.kind("fix") == "bare" and grammar.kind("close") == "verb"
    assert grammar.noun_phrase(phrase, {"bob"}) == of_a_name


CLOCK = """The farmer’s o’clock is old, and an o'clock of the field. We see the oʼclock. Thank O’Brien, and
thank O’Brien. The farm of O’Brien and the nation’s farm; the nation of the farm. He can’t see.
"""


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_words_with_apostrophes_are_judged_as_the_vocabulary_has_them(apostrophe):
    english = dividing_clitics(Choice(apostrophes="clitics", language="en"))
    grammar = Grammar([CLOCK] * 12, stop_words("en"), english)
    assert grammar.kind(f"o{apostrophe}clock") == "noun"
    assert grammar.kind("clock") == "" and grammar.kind("O") == ""
    assert grammar.uses["nation"].all == 24 and "nation's" not in grammar.uses
    assert grammar.kind("nation") == "noun"
    assert grammar.small_share(f"O{apostrophe}Brien") == 0
    assert grammar.noun_phrase(f"farm of O{apostrophe}Brien", set()) != ""
    assert grammar.noun_phrase(f"farm of O{apostrophe}Brien", {"o'brien"}) == ""


def test_where_apostrophes_divide_all_words_pieces_are_judged():
    grammar = Grammar([CLOCK.replace("oʼclock", "clock")] * 12, stop_words("en"))
    assert grammar.kind("clock") != "" and grammar.kind("o'clock") == ""


def test_where_apostrophes_join_all_words_none_is_divided():
    joining = dividing_clitics(Choice(apostrophes="join"))
    grammar = Grammar([CLOCK] * 12, stop_words("en"), joining)
    assert grammar.uses["nation's"].all == 12 and grammar.uses["o'clock"].all == 36


def test_names_of_persons_stand_behind_no_article():
    text = "Samuel Stone has sent a letter to the Supreme Court. The Supreme Court has read it."
    grammar = Grammar([text] * 12, stop_words("en"))
    assert grammar.names_person("Samuel Stone") and grammar.names_person("Anna Unseen")
    assert not grammar.names_person("Supreme Court") and not grammar.names_person("samuel stone")


def test_nouns_of_german_have_capitals():
    text = (
        "Der Bauer sieht den Weizen auf dem Feld. Wir sehen die grünen Felder und die Dörfer bei"
        " dem Feld. Mit dem Bauer und mit den Felder, in den Dörfer, von dem Weizen. Grüne Felder."
    )
    grammar = Grammar([text] * 10, stop_words("de"))
    assert grammar.nouns_have_capitals
    assert grammar.kind("feld") == "noun" and grammar.kind("grünen") == "modifier"
    assert grammar.ungoverned("grünen Felder") == "grüne Felder"
    assert grammar.ungoverned("alten Felder") == ""
    assert grammar.noun_phrase("grünen Felder", set()) == "grüne Felder"


PROGRAM = """The O_CLOEXEC flag of the file is set. Set FD_CLOEXEC in the flag of a file, or call
read(file). In `cloexec` the file has 5 pct of the flags, or 20 pct. The os.path of the file (a path).
The first.last of a name; the name of the file. A hook-up, and/or the name.
"""


def test_words_of_programs_and_of_numbers_head_no_name():
    grammar = Grammar([PROGRAM] * 12, stop_words("en"))
    assert [word for word in ("cloexec", "pct", "path", "read") if not grammar.is_code(word)] == []
    assert [word for word in ("file", "flag", "name", "unseen") if grammar.is_code(word)] == []
    assert grammar.heads("file", "file") and not grammar.heads("pct", "pct")


NETWORK = """The TCP header of the packet. A TCP segment and the TCP port of a host. The Soviet
ship and a Soviet harbour. Grant asked the host. We heard Grant speak; they will grant the land, and
grant it again. The land and the harbour.
"""


def test_an_acronym_stands_alone_though_nouns_follow_it():
    grammar = Grammar([NETWORK] * 12, stop_words("en"))
    assert grammar.kind("tcp") == grammar.kind("soviet") == "modifier"
    assert grammar.is_noun("tcp", "TCP") and not grammar.is_noun("soviet", "Soviet")
    assert grammar.is_noun("ipv6", "IPv6")  # of a word that was not seen nothing is known


def test_how_often_a_word_is_written_small():
    grammar = Grammar([NETWORK] * 12, stop_words("en"))
    assert grammar.small_share("tcp") == 0.0 and grammar.small_share("harbour") == 1.0
    assert 0 < grammar.small_share("Grant") < 1
    assert grammar.small_share("unseen") is None
    assert Grammar(["人民银行提高利率。"] * 9, stop_words("zh")).small_share("人") is None
    in_small_letters = Grammar([NETWORK.lower()] * 12, stop_words("en"))
    assert in_small_letters.uses["grant"].inside and in_small_letters.small_share("grant") is None


@pytest.mark.parametrize("texts", [[], [""], ["人民银行提高利率。人民银行说话。"] * 9])
def test_what_teaches_nothing(texts):
    grammar = Grammar(texts, stop_words("zh"))
    assert grammar.determiners == set() and grammar.kind("bank") == ""


def uses_slowly(documents, phrase, lengths, topic):
    """As name_candidates.phrase_uses, of documents as lists of (word, place, topic)."""
    uses = []
    own = []
    for tokens in documents:
        n = 0
        for word, place, _ in tokens:
            ends = place + lengths[0]
            complete = word == phrase[0]
            for following, length in zip(phrase[1:], lengths[1:], strict=True):
                later = [p for w, p, _ in tokens if w == following and p >= ends]
                complete = (
                    complete and bool(later) and min(later) <= ends + name_candidates.GAP_CHARACTERS
                )
                ends = min(later) + length if complete else 0
            n += complete
        uses.append(n)
        own.append(all(any(w == word and k == topic for w, _, k in tokens) for word in phrase))
    return uses, own


def test_phrases_are_counted_as_by_a_slow_twin():
    chance = np.random.default_rng(4)
    lengths = chance.integers(1, 5, 6)
    documents = []
    for _ in range(60):
        words = chance.integers(0, 6, chance.integers(0, 30))
        places = np.cumsum(chance.integers(5, 16, len(words)))
        topic_of = chance.integers(0, 2, 6)  # in a document a word has one topic
        documents.append(
            [(int(w), int(p), int(topic_of[w])) for w, p in zip(words, places, strict=True)]
        )
    indptr = [0]
    words = []
    counts = []
    topics = []
    offsets = []
    for tokens in documents:
        for word in sorted({w for w, _, _ in tokens}):
            own = [(p, k) for w, p, k in tokens if w == word]
            words.append(word)
            counts.append(len(own))
            topics.append(own[0][1])
            offsets += [p for p, _ in own]
        indptr.append(len(words))
    first = np.concatenate([[0], np.cumsum([len(tokens) for tokens in documents])])
    total = 0
    for phrase in ((0, 1), (2, 3), (0, 1, 2), (4, 4, 5)):
        uses, own = name_candidates.phrase_uses(
            np.arange(len(documents)),
            np.array(indptr),
            np.array(words, np.int32),
            np.array(counts, np.int32),
            first,
            np.array(offsets, np.int32),
            np.array(topics, np.uint16),
            1,
            np.array(phrase),
            lengths[list(phrase)],
        )
        slow = uses_slowly(documents, phrase, lengths[list(phrase)], 1)
        assert (uses.tolist(), own.tolist()) == slow
        total += uses.sum()
    assert total > 30


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("network", "networks", True),
        ("Tier", "Tiere", True),
        ("tax", "taxes", True),
        ("war", "law", False),
    ],
)
def test_forms_of_a_word(a, b, same):
    assert name_candidates._one_word(a, b) is same
