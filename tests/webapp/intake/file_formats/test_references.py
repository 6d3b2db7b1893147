"""Lists of literature: what LaTeX stands for in BibTeX, and to which field a line belongs in RIS."""

import pytest

from tests.webapp.intake.file_formats.reading import load
from webapp.intake.file_formats import latex, references
from webapp.intake.file_formats.base import Unreadable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r"Effects of $\beta$-blockers", "Effects of β-blockers"),
        (r"{\bf Title} a\emph{b}c \textit{d}", "Title abc d"),
        (r"A \dots{} \ldots B", "A … … B"),
        (r"at 25$^\circ$C, 3$^{\circ}$", "at 25°C, 3°"),
        (r"See \url{http://x.org/~me/a--b_c}", "See http://x.org/~me/a--b_c"),
        (r"\href{http://x.org}{a page}", "a page"),
        (r"as \citep[p.~3]{a,b} say", "as say"),
        (r"Smith \& Co, 5\% of \$5, a\_b \{c\}", "Smith & Co, 5% of $5, a_b {c}"),
        (r"between $5 and $10", "between $5 and $10"),
        (r"Wages of $20 in US$ (real)", "Wages of $20 in US$ (real)"),
        (r"A$AP Rocky and A$AP Ferg", "A$AP Rocky and A$AP Ferg"),
        (r"the $n$th of $10$, $2 x^2$ ($p < 0.05$), $\sim$5", "the nth of 10, 2 x² (p < 0.05), ∼5"),
        (r"CO$_2$ m$^{2}$ 10$^{-3}$ 19$^{th}$", "CO2 m² 10⁻³ 19th"),
        (r"$\frac{1}{2} \log n$ $\mathrm{pH} \leq 7$", "1/2 log n pH ≤ 7"),
        (r"``A'' -- b~c---d", "“A” – b c—d"),
        (
            r"{\textquoteleft}a{\textquoteright} di\-vided, one\footnote{Note}",
            "‘a’ divided, one Note",
        ),
        (r"A\par B \unknown{C}", "A B C"),
    ],
)
def test_commands_that_are_no_accents(value, text):
    assert latex.plain_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r"\v s\v{s}\v {s}{\v s}", "šššš"),
        (r"\c{c}\c c \H{o}\k a\u{g}\r{a}\d s\b{k}", "çç őąğåṣḵ"),
        (r"\'e\'{e}{\'e}\' e \'{\i}\'\i{}\'{\i }", "éééé ííí"),
        (r"\"{o}\"o\~n\^{a}\=a\.{I}\`e", "ööñâāİè"),
        (r"\'{\^e} \'{\ae}", "ế ǽ"),
        (r"stra{\ss}e {\o}re \aa ngstr\"om {\L}\'od\'z \th{}orn", "straße øre ångström Łódź þorn"),
    ],
)
def test_accents(value, text):
    assert latex.plain_text(value) == text


def test_addresses_keep_their_letters(file):
    bib = r"@misc{a, title={T}, url={http://x.org/~me/a--b\_c}, doi={10.1/a{\_}b}}"
    (document,), _ = load(*file(bib, "a.bib"))
    assert document.metadata == {"url": "http://x.org/~me/a--b_c", "doi": "10.1/a_b"}


def test_an_institution_with_and_is_one_author(file):
    bib = "@misc{a, title={T}, author={{Health and Human Services} and Lee, A.\n and Barnes, {B}.}}"
    (document,), _ = load(*file(bib, "a.bib"))
    assert document.metadata["author"] == "Health and Human Services; Lee, A.; Barnes, B."


def test_abbreviations_are_what_they_are_defined_as(file):
    bib = (
        '@STRING(name = {Wool})\n@string{jml = "Journal of " # name}\n'
        "@article{a, title={T}, journal=JML, year=1990}\n@article{b, title={U}, journal=other}\n"
    )
    documents, _ = load(*file(bib, "a.bib"))
    assert [d.metadata["journal"] for d in documents] == ["Journal of Wool", "other"]


@pytest.mark.parametrize(
    ("reference", "date"),
    [
        ("@article{Lee 1990, title={T}, year=1990}", "1990"),
        ("@article{title={T}, year=1990}", "1990"),
        ("@article{a, title={T}, pages = 12 -- 15, month = 1~jan year = 1990}", "1990"),
    ],
    ids=["a key with a space", "no key", "bare words"],
)
def test_references_as_programs_write_them(file, reference, date):
    documents, problems = load(*file(f"{reference}\n@misc{{b, title={{U}}}}", "a.bib"))
    assert [(d.title, d.date) for d in documents] == [("T", date), ("U", "")]
    assert [problem.kind for problem in problems] == ["no abstract"]


def test_what_is_no_field_is_said(file):
    bib = "@misc{a, title={T}, {lost}, year=1990}\n@misc{b, title={U}\n@misc{c, title={V},}"
    documents, problems = load(*file(bib, "a.bib"))
    assert [d.title for d in documents] == ["T", "U", "V"]
    assert ["is no field" in problem.message for problem in problems] == [True, False]
    assert "line 1: something" in problems[0].message


def test_a_line_belongs_to_the_tag_above_it(file):
    ris = (
        "TY  - JOUR\nTI  - T\nAB  - First.\nN2  - Other\ncontinues.\nAU  - Lee, A.\nAU  - \nBo, B.\n"
        "N1  - Note\nof two lines\nER  - \n"
    )
    (document,), _ = load(*file(ris, "a.ris"))
    assert document.text == "First."
    assert document.metadata == {"author": "Lee, A.; Bo, B."}


def test_a_value_may_begin_below_its_tag(file):
    ris = "TY  - JOUR\nTI  - T\nAB  - \nIt rose\nagain.\nAU  - \nKW  - \nER  - \n"
    (document,), _ = load(*file(ris, "a.ris"))
    assert document.text == "It rose again." and document.metadata == {}


def test_a_reference_without_end_ends_where_the_next_begins(file):
    ris = "TY  - JOUR\nTI  - T\nTY  - BOOK\nTI  - U\nER  - \nTY  - BOOK\nER  - \n"
    assert [document.title for document in load(*file(ris, "a.ris"))[0]] == ["T", "U"]


@pytest.mark.parametrize(
    "reference",
    [
        "@article{smith2000\n, title = {Floods}\n, year = 2000\n}",
        "@article{smith2000 , title = {Floods}}",
        '@article{O"Neil, title={Floods}}',
        '@preamble{"\\newcommand{\\x}{y}", z}\n@article{a,title={Floods}}',
    ],
)
def test_a_reference_is_found_however_its_key_is_written(file, reference):
    documents, problems = load(*file(f"{reference}\n@book{{b,title={{B}}}}", "a.bib"))
    assert [document.title for document in documents] == ["Floods", "B"]
    assert [problem.kind for problem in problems] == ["no abstract"]


def test_abbreviations_that_double_stay_bounded(file):
    doubling = "".join(f"@string{{a{i + 1} = a{i} # a{i}}}\n" for i in range(60))
    joined = " # ".join(["a60"] * 5_000)
    bib = f'@string{{a0 = "x"}}\n{doubling}@misc{{k, title={{T}}, abstract = {joined}}}'
    with pytest.raises(Unreadable, match="a value of more than"):
        load(*file(bib, "a.bib"))
    bib = f'@string{{a0 = "x"}}\n{doubling}@misc{{k, title={{T}}, abstract = a60}}'
    (document,), _ = load(*file(bib, "a.bib"))
    assert set(document.text) == {"x"} and len(document.text) == references.MOST_OF_ABBREVIATION
