"""A citation says what is known of a document, in the order of its style, and nothing else."""

import pytest

from webapp.core.documents import citations


def cited(metadata: dict | None = None, speaker_column: str = "", **known):
    row = {
        "title": "First Inaugural",
        "date_text": "1861-03-04",
        "file": "speeches.csv",
        "place": "row 12",
        "part": 1,
        "parts": 1,
        "number": 11,
    }
    return citations.passage("Speeches", row | known, metadata or {}, 120, 480, speaker_column)


WHOLE = {
    "Author": "Lincoln, Abraham",
    "url": "https://example.org/a_b?x=1%20&y=2",
    "party": "Republican",
}
BARE = {"title": "", "date_text": "", "file": "", "place": ""}


def test_all_that_is_known_is_cited():
    one = cited(WHOLE)
    url = WHOLE["url"]
    assert (
        citations.chicago(one)
        == "Abraham Lincoln, “First Inaugural,” March 4, 1861, in Speeches (speeches.csv, row 12),"
        f" characters 120–480, {url}."
    )
    assert (
        citations.mla(one)
        == "Lincoln, Abraham. “First Inaugural.” Speeches, 4 Mar. 1861, speeches.csv, row 12,"
        f" characters 120–480, {url}."
    )
    assert (
        citations.bibtex(one)
        == '@misc{lincoln1861-11-120,\n  author = {Lincoln, Abraham},\n  title = "{First'
        ' Inaugural}",\n  year = {1861},\n  month = mar,\n  howpublished = {Speeches,'
        " speeches.csv, row 12},\n  url = {https://example.org/a_b?x=1\\%20&y=2},\n  note ="
        " {Characters 120–480}\n}\n"
    )
    assert citations.csl(one) == {
        "id": "lincoln1861-11-120",
        "type": "document",
        "title": "First Inaugural",
        "author": [{"family": "Lincoln", "given": "Abraham"}],
        "issued": {"date-parts": [[1861, 3, 4]]},
        "container-title": "Speeches",
        "archive": "speeches.csv",
        "archive_location": "row 12",
        "URL": url,
        "note": "characters 120–480",
    }


def test_who_speaks_is_cited_as_the_author():
    """Maintainers were known as those who speak, and no citation named one."""
    one = cited({"maintainer": "Guillem Jover <guillem@debian.org>"}, "maintainer")
    assert citations.chicago(one).startswith("Guillem Jover, “First Inaugural,” March 4, 1861")
    assert citations.mla(one).startswith("Guillem Jover. “First Inaugural.”")
    assert "author = {{Guillem Jover}}" in citations.bibtex(one)
    assert citations.csl(one)["author"] == [{"literal": "Guillem Jover"}]
    assert not cited({"maintainer": "Guillem Jover"}).authors
    assert cited(WHOLE | {"maintainer": "Guillem Jover"}, "maintainer").authors == (
        "Lincoln, Abraham",
    )


def test_what_is_missing_is_left_out():
    one = cited(**BARE)
    assert citations.chicago(one) == "Document 11, n.d., in Speeches, characters 120–480."
    assert citations.mla(one) == "Document 11. Speeches, characters 120–480."
    entry = citations.bibtex(one)
    assert (
        "author" not in entry
        and "year" not in entry
        and "url" not in entry
        and "{Speeches}" in entry
    )
    assert citations.csl(one) == {
        "id": "document-11-120",
        "type": "document",
        "title": "Document 11",
        "container-title": "Speeches",
        "note": "characters 120–480",
    }


@pytest.mark.parametrize(
    ("date", "chicago", "issued"),
    [
        ("1861", ",” 1861, in", {"date-parts": [[1861]]}),
        ("1861-09", ",” September 1861, in", {"date-parts": [[1861, 9]]}),
        ("about 1860", ",” about 1860, in", {"literal": "about 1860"}),
        # Of March or of April: nobody knows
        (
            "04/03/1861",
            ",” 04/03/1861, in",
            {"literal": "04/03/1861"},
        ),
        ("1861-13", ",” 1861-13, in", {"literal": "1861-13"}),
    ],
)
def test_dates_are_taken_apart_where_that_is_sure(date, chicago, issued):
    one = cited(date_text=date)
    assert chicago in citations.chicago(one)
    assert citations.csl(one)["issued"] == issued
    assert ("Date: " in citations.bibtex(one)) == ("literal" in issued)


@pytest.mark.parametrize(
    ("author", "chicago", "mla", "bibtex"),
    [
        ("Abraham Lincoln", "Abraham Lincoln, ", "Abraham Lincoln. ", "{{Abraham Lincoln}}"),
        (
            "U.S. Congress; Seward, William",
            "U.S. Congress and William Seward, ",
            "U.S. Congress, and William Seward. ",
            "{{U.S. Congress} and Seward, William}",
        ),
        ("A; B; C", "A, B, and C, ", "A, et al. ", "{{A} and {B} and {C}}"),
        ("A; B; C; D", "A et al., ", "A, et al. ", "{{A} and {B} and {C} and {D}}"),
        (
            "Smith & Sons {Ltd}",
            "Smith & Sons {Ltd}, ",
            "Smith & Sons {Ltd}. ",
            r"{{Smith \& Sons \{Ltd\}}}",
        ),
    ],
)
def test_names_stand_as_they_are_written(author, chicago, mla, bibtex):
    one = cited({"speaker": author})
    assert citations.chicago(one).startswith(chicago) and citations.mla(one).startswith(mla)
    assert f"author = {bibtex}," in citations.bibtex(one)


def test_sections_works_and_quotation_marks():
    one = cited(
        {"newspaper": "The Sun", "url": "see below"}, title='On "war" and peace.', part=2, parts=6
    )
    assert (
        "“On ‘war’ and peace,” March 4, 1861, in The Sun (speeches.csv, row 12), part 2 of 6,"
        " characters" in citations.chicago(one)
    )
    assert "“On ‘war’ and peace.” The Sun, " in citations.mla(one)
    assert not one.url and citations.csl(one)["section"] == "part 2 of 6"
