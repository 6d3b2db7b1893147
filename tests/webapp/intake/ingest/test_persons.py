"""Persons in columns and texts become pseudonyms, and what is no person stays."""

import pytest

from inference.errors import Invalid
from webapp.intake.ingest import persons
from webapp.intake.ingest.persons import Pseudonyms, Register, Replacer, key_of


def replacer(values: list[str], texts: list[str] | None = None, spared: str = "") -> Replacer:
    register = Register(Pseudonyms(1), spared.split())
    for value in values:
        register.add(value)
    for text in texts or ():
        register.count(text)
    return Replacer(register, ["speaker"])


def of(kind: str, key: str) -> str:
    return Pseudonyms(1).of(kind, key_of(key) if kind == "person" else key)


@pytest.mark.parametrize(
    "text", ["Ada Lovelace", "Lovelace, Ada", "ADA LOVELACE", "ada-lovelace", "Ada_Lovelace"]
)
def test_a_name_is_found_in_any_order_and_case(text):
    ada = of("person", "Ada Lovelace")
    assert replacer(["Lovelace, Ada"]).text(f"So {text}’s note.") == f"So {ada}’s note."


def test_a_person_has_one_pseudonym_in_columns_and_texts():
    both = replacer(["Ada Lovelace", "Ben Bell"])
    ada = both.value("speaker", "Lovelace, Ada")
    assert both.text("Ada asked Lovelace.") == f"{ada} asked {ada}."
    assert both.value("speaker", "Ada Lovelace; Ben Bell") == f"{ada}; {of('person', 'Ben Bell')}"
    assert both.value("party", "Whig of Ada Lovelace") == f"Whig of {ada}"


def test_a_word_of_several_names_is_replaced_by_nobodys_pseudonym():
    both = replacer(["Ada Lovelace", "Ada Byron"])
    assert both.text("Ada") == of("person", "ada")
    assert both.text("Ada Byron") == of("person", "Ada Byron")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ada@example.org", "mail"),
        ("https://example.org/~ada?x=1", "link"),
        ("www.example.org/ada", "link"),
        ("+49 (30) 123-4567", "phone"),
        ("00 49 30 1234567", "phone"),
        ("(030) 123 456", "phone"),
        ("030/1234567", "phone"),
        ("555-123-4567", "phone"),
        ("@ada_l", "handle"),
        ("@ada@example.org", "handle"),
        ("u/ada_l", "handle"),
    ],
)
def test_addresses_numbers_and_handles_are_replaced(text, kind):
    new = replacer([]).text(f"See {text}, or not.")
    assert new.startswith(f"See {kind}") and new.endswith(", or not.") and text not in new


@pytest.mark.parametrize(
    "text",
    [
        "12.03.1999",
        "1914-1918",
        "2020-01-02",
        "10 000 000",
        "1,000,000.00",
        "978-3-16-148410-0",
        "a@ b",
        "0.5",
    ],
)
def test_numbers_and_dates_stay(text):
    assert replacer([]).text(f"On {text}.") == f"On {text}."


def test_a_name_that_is_an_ordinary_word_is_replaced_with_its_other_words_alone():
    texts = ["May Brown may come in May, with a brown dog.", "They may."]
    may = replacer(["May Brown"], texts)
    assert may.text("It may. May Brown!") == f"It may. {of('person', 'May Brown')}!"
    assert may.text("In May") == "In May"


def test_a_name_of_one_word_is_replaced_as_the_column_writes_it():
    one = replacer(["Grant", "zed99"], ["a grant, grants"])
    assert one.text("Grant got a grant") == f"{of('person', 'grant')} got a grant"
    assert one.text("Zed99 ZED99 zed99") == " ".join([of("person", "zed99")] * 3)


def test_words_that_the_owner_spares_stay():
    assert replacer(["Ada Lovelace"], spared="ada").text("Ada") == "Ada"


def test_names_without_spaces_are_found_within_a_sentence():
    assert replacer(["王小明"]).text("昨天王小明说") == f"昨天{of('person', '王小明')}说"


def test_titles_and_missing_values_are_no_names():
    some = replacer(["Dr. Ada Lovelace (R-Ohio)", "NA", "President", ""])
    assert some.text("The President, Dr. Who of Ohio") == "The President, Dr. Who of Ohio"
    assert some.value("speaker", "NA") == "NA"


def test_pseudonyms_differ_by_owner_and_by_key(settings):
    mine = Pseudonyms(1).of("person", "ada")
    assert Pseudonyms(1).of("person", "ada") == mine != Pseudonyms(2).of("person", "ada")
    settings.SECRET_KEY = "another"
    assert Pseudonyms(1).of("person", "ada") != mine


def test_a_handle_in_a_column_has_the_same_pseudonym_in_texts():
    some = replacer(["ada_l"])
    assert some.text("@ada_l and u/ada_l") == " and ".join([some.value("speaker", "@ada_l")] * 2)


def test_what_is_replaced_is_counted():
    counting = replacer(["Ada Lovelace"])
    counting.value("speaker", "Ada Lovelace")
    counting.text("Ada, ada@example.org and @x_y")
    assert counting.replaced.kinds == {"person": 1, "mail": 1, "handle": 1}
    assert counting.replaced.values == {"speaker": 1} and counting.replaced.words == {"ada": 1}


def test_persons_are_bounded(monkeypatch):
    monkeypatch.setattr(persons, "MOST_PERSONS", 2)
    with pytest.raises(Invalid):
        replacer(["a1", "b2", "c3"])


def test_two_words_of_one_name_become_one_pseudonym():
    zoe = replacer(["Zoë Müller-Hartmann"])
    assert zoe.text("wrote to Müller-Hartmann of") == (
        f"wrote to {of('person', 'Zoë Müller-Hartmann')} of"
    )
    assert zoe.replaced.kinds["person"] == 1


@pytest.mark.parametrize("name", ["李明 Li Ming", "Li Ming 李明", "李明 (Li Ming) Li Ming"])
def test_both_writings_of_a_name_are_found(name):
    both = replacer([name])
    pseudonym = of("person", name)
    assert (
        both.text("昨日李明说。 Then Li Ming spoke.")
        == f"昨日{pseudonym}说。 Then {pseudonym} spoke."
    )


@pytest.mark.parametrize("name", ["李明 (党)", "李明（党）"])
def test_what_stands_in_brackets_behind_a_name_is_no_part_of_it(name):
    assert replacer([name]).text("李明说") == f"{of('person', name)}说"


def test_a_name_of_one_character_and_a_word_is_replaced_whole():
    assert replacer(["张 Wei"]).text("So 张 Wei spoke, 昨日张 Wei说") == (
        f"So {of('person', '张 Wei')} spoke, 昨日{of('person', '张 Wei')}说"
    )


def test_what_stands_in_brackets_alone_names_nobody():
    text = "An inaudible word. Applause"
    assert replacer(["(inaudible)", "[Applause]"]).text(text) == text


def test_a_surname_in_another_script_is_not_its_first_owners_alone():
    both = replacer(["山田, 太郎", "山田, 花子"])
    taro, hanako = of("person", "山田, 太郎"), of("person", "山田, 花子")
    assert both.text("山田太郎と山田花子と山田") == f"{taro}と{hanako}と山田"


def test_one_writing_of_several_persons_has_the_pseudonym_of_nobody():
    both = replacer(["李明 Li Ming", "李明 Lee Myung"])
    assert both.text("昨日李明说") == f"昨日{of('person', '李明')}说"
