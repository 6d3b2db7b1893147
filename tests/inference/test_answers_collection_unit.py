"""The unit is found in the data, by no column's name."""

from datetime import date

import numpy as np
import pytest

from inference.answers import collection_unit
from inference.answers.collection_unit import UnitField, numbered
from tests.inference.naive_units import naive_design_effect, naive_main_value_part

WORDS = 60
FIRST_DAY = date(2000, 1, 1).toordinal()


def mixes_of(rows: list[list[int]]) -> collection_unit.Mixes:
    """Of documents as lists of words."""
    words = []
    counts = []
    indptr = [0]
    for row in rows:
        different, times = np.unique(row, return_counts=True)
        words += different.tolist()
        counts += times.tolist()
        indptr.append(len(words))
    return collection_unit.mixes_of(np.array(indptr), np.array(words), np.array(counts), WORDS)


def texts_of(chance: np.random.Generator, kinds: np.ndarray, alike: float) -> list[list[int]]:
    """A text for each kind: `alike` of its words are of six that the kind says often."""
    rows = []
    for kind in kinds.tolist():
        own = np.random.default_rng(kind).permutation(WORDS)[:6]
        mine = chance.random(30) < alike
        rows.append(np.where(mine, chance.choice(own, 30), chance.integers(0, WORDS, 30)).tolist())
    return rows


@pytest.fixture
def chance():
    return np.random.default_rng(3)


@pytest.fixture
def speakers(chance):
    """int[600]: who of forty speaks."""
    return chance.integers(0, 40, 600)


@pytest.fixture
def mixes(chance, speakers):
    return mixes_of(texts_of(chance, speakers, 0.3))


def found(columns, mixes, days=None) -> list[UnitField]:
    if days is None:
        days = np.zeros(len(mixes.lengths), np.int64)
    return collection_unit.find(columns, days, mixes).fields


def named(name: str, codes: np.ndarray, form: str = "somebody {}") -> collection_unit.Column:
    return numbered(name, [form.format(code) for code in codes.tolist()])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("president", None),
        ("id without its last number", ("id", "before number", 0)),
        ("authors, the first", ("authors", "first", 0)),
        ("file, word 2", ("file", "word", 2)),
    ],
)
def test_how_a_column_was_derived_is_known_by_its_name(name, expected):
    assert collection_unit.derivation(name) == expected


def test_the_design_effect_is_that_of_its_definition(mixes, speakers):
    effect, correlation = collection_unit.design_effect(speakers, mixes)
    x = np.asarray(mixes.counts @ mixes.directions)
    expected = naive_design_effect(x.tolist(), mixes.lengths.tolist(), speakers.tolist())
    assert (effect, correlation) == pytest.approx(expected, rel=1e-4)
    assert effect > 2


def test_random_codes_are_not_alike(chance, mixes):
    effects = [
        collection_unit.design_effect(chance.integers(0, 40, 600), mixes)[0] for _ in range(40)
    ]
    assert np.mean(effects) == pytest.approx(1, abs=0.05)
    assert np.mean(np.array(effects) >= collection_unit.CLEAR) == 0


def test_the_main_value_is_that_of_its_definition(chance):
    a = chance.integers(-1, 6, 200)
    b = chance.integers(-1, 4, 200)
    expected = naive_main_value_part(a.tolist(), b.tolist())
    assert collection_unit.main_value_part(a, b) == pytest.approx(expected)
    assert collection_unit.main_value_part(np.full(3, -1), np.zeros(3, int)) == 0.0


def test_a_speaker_is_found_whatever_the_column_is_called(mixes, speakers, chance):
    noise = named("author", chance.integers(0, 30, 600))
    choice = collection_unit.choose(found([noise, named("x17", speakers)], mixes))
    assert choice.field.name == "x17"
    assert choice.field.effect > collection_unit.CLEAR


def test_two_columns_that_say_the_same_are_one_shown_by_letters(mixes, speakers):
    columns = [named("user_id", speakers, "10{}7"), named("handle", speakers)]
    fields = found(columns, mixes)
    assert [(field.name, field.aliases) for field in fields] == [("handle", ("user_id",))]
    assert collection_unit.choose(fields, answer="user_id").field.name == "handle"


def test_a_column_of_the_files_is_shown_rather_than_one_that_was_derived(mixes, speakers):
    """A genre of several words has fewer letters than the letter that names of files begin with."""
    genre = named("genre", speakers, "a genre: {}")
    letter = named("id without its last number", speakers)._replace(derived="id")
    fields = found([letter, genre], mixes)
    assert [(field.name, field.aliases) for field in fields] == [
        ("genre", ("id without its last number",))
    ]


def test_a_field_of_one_value_or_of_one_document_each_is_none(mixes):
    columns = [numbered("language", ["en"] * 600), numbered("id", map(str, range(600)))]
    assert found(columns, mixes) == []
    assert collection_unit.choose([]) == collection_unit.UnitChoice(None, "none")


def test_nine_values_can_not_be_the_unit(mixes, speakers):
    [field] = found([named("who", speakers % 5)], mixes)
    assert (field.unfit, field.able) == (collection_unit.TOO_FEW_VALUES, False)


def test_what_follows_from_the_date_is_not_the_unit(mixes, chance):
    days = FIRST_DAY + chance.integers(0, 250, 600)
    months = [date.fromordinal(int(day)).strftime("%B") for day in days]
    dates = [date.fromordinal(int(day)).isoformat() for day in days]
    fields = found([numbered("word 1", months), numbered("when", dates)], mixes, days)
    assert [field.unfit for field in fields] == [collection_unit.CALENDAR, collection_unit.CALENDAR]


def test_numbers_are_measured_where_neighbours_are_alike_and_accounts_are_not(chance):
    years = chance.integers(1900, 1950, 900)
    slowly = mixes_of(texts_of(chance, (years - 1900) // 5, 0.4))
    assert collection_unit.is_measured(numbered("year", map(str, years)), slowly)
    accounts = chance.permutation(1000)[:50][years - 1900]
    assert not collection_unit.is_measured(numbered("account", map(str, accounts)), slowly)
    assert not collection_unit.is_measured(
        numbered("name", [f"n {year}" for year in years]), slowly
    )


def test_lists_of_the_columns_own_values_are_keywords():
    assert collection_unit.listed_part(["usa", "uk", "usa, uk", "japan"]) == 0.25
    assert collection_unit.listed_part(["Lovelace, Ada", "Babbage, Charles"]) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Con 1987 12", "Con 1987"), ("speech_17.txt", "speech"), ("no number", "no number")],
)
def test_a_last_number_is_taken_away(text, expected):
    assert collection_unit.without_last_number(text) == expected


def test_parts_of_names_of_files_are_looked_at_by_place(mixes, speakers):
    surnames = "Adams Baker Clark Davis Evans Frank Ghosh Hills Irwin Jones Klein Lopez".split()
    months = "Jan Feb Mar Apr".split()
    files = [
        f"{i % 28 + 1}{months[i % 4]}2006{surnames[who % 12]}{i}.txt"
        for i, who in enumerate(speakers.tolist())
    ]
    columns = collection_unit.with_derived([numbered("file", files)], {"file": files})
    assert [column.name for column in columns][-2:] == ["file, word 1", "file, word 2"]
    assert collection_unit.word_at(1)(files[0]) == surnames[speakers[0] % 12]


def test_the_first_of_a_list_of_names_is_looked_at():
    authors = [f"A{i % 12}, B{i}" for i in range(60)]
    columns = collection_unit.with_derived([numbered("authors", authors)], {"authors": authors})
    first = next(column for column in columns if column.name == "authors, the first")
    assert first.values == 12
    assert first.derived == "authors"


def test_a_text_or_a_derived_column_that_hardly_shares_is_not_looked_at():
    texts = [f"{'word ' * 40}{i}" for i in range(50)]
    assert len(collection_unit.with_derived([numbered("text", texts)], {"text": texts})) == 1
    ids = [f"x{i}" for i in range(50)]
    assert len(collection_unit.with_derived([numbered("id", ids)], {"id": ids})) == 1


def field_of(name: str, effect: float, values: int = 20, **more) -> UnitField:
    return UnitField(name, values, values / 1.5, 1.0, 1.0, 0.9, effect, 0.05, **more)


def test_the_finer_field_is_the_unit_unless_its_values_depend_on_each_other():
    session = field_of("session", 4.8, 240, coarser=("president",))
    assert collection_unit.choose([session, field_of("president", 16.4)]).field.name == "president"
    assert collection_unit.choose([session, field_of("president", 9.0)]).field.name == "session"


def test_rivals_and_what_may_be_a_subject_are_asked_for():
    two = [field_of("source", 29.0), field_of("maintainer", 27.0)]
    choice = collection_unit.choose(two)
    assert (choice.certainty, [rival.name for rival in choice.rivals]) == ("likely", ["maintainer"])
    assert collection_unit.choose([two[0], field_of("maintainer", 3.0)]).certainty == "sure"
    subject = UnitField("category", 140, 80.0, 1.0, 1.0, 0.9, 46.0, 0.2)
    assert collection_unit.choose([subject]).certainty == "likely"
    assert collection_unit.choose([field_of("author", 1.3)]).certainty == "unsure"


def test_what_is_compared_is_not_the_unit_but_what_is_nested_in_it_is():
    party = field_of("party", 59.0, 12, aliases=("populism",))
    handle = field_of("handle", 46.0, 32, coarser=("party",))
    fields = [party, handle]
    assert collection_unit.choose(fields, ["populism"]).field.name == "handle"
    assert collection_unit.choose(fields, ["handle"]) == collection_unit.UnitChoice(None, "none")


def test_an_answer_wins_and_where_it_is_compared_documents_are_the_units():
    fields = [field_of("speaker", 7.0, aliases=("speaker_id",)), field_of("paper", 1.0)]
    assert collection_unit.choose(fields, answer="paper") == collection_unit.UnitChoice(
        fields[1], "answered"
    )
    assert collection_unit.choose(fields, answer="") == collection_unit.UnitChoice(None, "answered")
    assert collection_unit.choose(fields, ["speaker_id"], "speaker") == collection_unit.UnitChoice(
        None, "answered"
    )
    assert collection_unit.choose(fields, answer="gone").field.name == "speaker"


def test_a_sample_has_all_documents_of_a_value_or_none(monkeypatch, mixes, speakers):
    monkeypatch.setattr(collection_unit, "SAMPLE", 500)
    some = collection_unit.documents_of_whole_values(speakers, mixes)
    assert 450 < len(some) <= 500
    kept = np.isin(speakers, speakers[some])
    assert kept.sum() == len(some)


def test_documents_that_all_have_all_words_have_no_direction():
    indptr = np.array([0, 2, 4, 6])
    words = np.array([0, 1, 0, 1, 0, 1], np.int32)
    counts = np.array([3, 1, 2, 2, 1, 5], np.int32)
    mixes = collection_unit.mixes_of(indptr, words, counts, 2)
    assert not mixes.directions.any()


def test_texts_that_are_cut_into_sections_have_the_directions_of_whole_texts(chance, speakers):
    texts = texts_of(chance, speakers, 0.3)
    whole = mixes_of(texts)
    halves = [half for text in texts for half in (text[:15], text[15:])]
    sections = mixes_of(halves).counts
    cut = collection_unit.mixes_of(sections.indptr[::2], sections.indices, sections.data, WORDS)
    assert np.array_equal(cut.directions, whole.directions)
    assert np.array_equal(cut.lengths, whole.lengths)
    of_whole = collection_unit.design_effect(speakers, whole)
    assert collection_unit.design_effect(speakers, cut) == pytest.approx(of_whole, rel=1e-5)


def test_of_few_values_an_even_sample_tells_as_much_as_all_documents(monkeypatch, chance):
    """All columns share it, so that a large collection is not gone through for each."""
    few = chance.integers(0, 12, 3_000)
    texts = texts_of(chance, few, 0.3)
    effect, correlation = collection_unit.design_effect(few, mixes_of(texts))
    monkeypatch.setattr(collection_unit, "SAMPLE", 900)
    large = mixes_of(texts)
    looked_at = list[int]()
    projected = collection_unit.project_documents
    monkeypatch.setattr(
        collection_unit,
        "project_documents",
        lambda of, some: looked_at.append(len(some)) or projected(of, some),
    )
    sampled, sampled_correlation = collection_unit.design_effect(few, large)
    assert sampled == pytest.approx(effect, rel=0.15)
    assert sampled_correlation == pytest.approx(correlation, rel=0.15)
    orders = [chance.permutation(few) for _ in range(20)]
    random = [collection_unit.design_effect(order, large)[0] for order in orders]
    # 0.61 in the mean; of one order it is more than 0.6 off in a quarter
    assert np.mean(random) == pytest.approx(1, abs=0.5)
    assert looked_at == [900]
