"""Every example in docs/formats gives the documents that its README says."""

import pytest

from tests.conftest import ROOT
from webapp.intake import file_formats
from webapp.intake.file_formats import formats
from webapp.intake.file_formats.base import Document, Problem

FOLDER = ROOT / "docs" / "formats"
FIRST = (
    "I embrace with great satisfaction the opportunity which now presents itself of congratulating"
    " you on the present favorable prospects of our public affairs."
)
SECOND = (
    "The recent accession of the important State of North Carolina to the Constitution of the"
    " United States is a circumstance auspicious in a high degree."
)
PEACE = "The peace, liberty and safety which we enjoy call for our gratitude."
TRADE = (
    "Agriculture, manufactures, commerce and navigation thrive most when left most free to"
    " individual enterprise."
)
WHOLE = f"To Congress\n\n{FIRST}\n\nOf North Carolina\n\n{SECOND}"
ABOUT = ("State of the Union, 1790", "1790-01-08")
ROWS = [
    (FIRST, *ABOUT, "w1790", {"president": "George Washington"}),
    (PEACE, "State of the Union, 1801", "1801-12-08", "j1801", {"president": "Thomas Jefferson"}),
    (
        TRADE,
        "State of the Union, 1801, of trade",
        "1801-12-08",
        "j1801b",
        {"president": "Thomas Jefferson"},
    ),
]
AUTHOR = {"author": "George Washington"}
LENGTHS = ("155", "68", "108")
LETTER = (
    FIRST,
    *ABOUT,
    "w1790@example.org",
    {"from": "George Washington <president@example.org>", "to": "congress@example.org"},
)
BAG = [("peace peace public_credit", 1), ("commerce navigation navigation navigation", 2)]
EXPECTED = {  # file -> (text, title, date, id, metadata) of its documents
    "address.txt": [(f"{FIRST}\n\n{SECOND}\n", "address", "", "address.txt", {})],
    "address.txt.gz": [(f"{FIRST}\n", "address", "", "address.txt.gz", {})],
    "address.md": [(WHOLE, *ABOUT, "address.md", AUTHOR)],
    "address.html": [(WHOLE, *ABOUT, "address.html", AUTHOR | {"language": "en"})],
    "address.pdf": [
        (
            (
                "To Congress\nI embrace with great satisfaction the opportunity which now"
                " presents\nitself of congratulating you on the present favorable prospects of"
                " our\npublic affairs.\fThe recent accession of the important State of North"
                " Carolina to the\nConstitution of the United States is a circumstance auspicious"
                " in a\nhigh degree."
            ),
            *ABOUT,
            "address.pdf",
            AUTHOR | {"pages": "2"},
        )
    ],
    "address.docx": [(WHOLE, *ABOUT, "address.docx", AUTHOR)],
    "address.odt": [(WHOLE, *ABOUT, "address.odt", AUTHOR)],
    "address.epub": [(WHOLE, *ABOUT, "address.epub", AUTHOR | {"language": "en"})],
    "address.tei.xml": [
        (
            f"To Congress\n\f{FIRST}\n\nOf North Carolina\n\f{SECOND}",
            *ABOUT,
            "address.tei.xml",
            AUTHOR,
        )
    ],
    "address.xml": [
        (
            f"State of the Union, 1790\n\n{FIRST}\n\nThe recent accession.",
            ABOUT[0],
            "",
            "address.xml",
            {},
        )
    ],
    "addresses.csv": ROWS,
    "addresses.tsv": ROWS,
    "addresses.ods": ROWS,
    "addresses.parquet": ROWS,
    "addresses.jsonl": ROWS,
    "addresses.json": ROWS,
    "addresses.xlsx": [
        *(
            (*row[:4], row[4] | {"length": length, "sheet": "Addresses"})
            for row, length in zip(ROWS, LENGTHS, strict=True)
        ),
        (
            "At the period of our last meeting I had the satisfaction of communicating an"
            " adjustment.",
            "",
            "",
            "m1809",
            {"sheet": "Later"},
        ),
    ],
    "tweets.js": [
        (
            "I embrace with great satisfaction the opportunity which now presents itself.",
            "",
            "Mon Oct 16 22:59:00 +0000 2017",
            "1",
            {"tweet.lang": "en"},
        ),
        (
            "The recent accession of the important State of North Carolina is a circumstance"
            " auspicious in a high degree.",
            "",
            "Tue Oct 17 08:10:00 +0000 2017",
            "2",
            {"tweet.lang": "en"},
        ),
    ],
    "addresses.mallet": [
        (row[0], "", "", row[3], {"label": row[4]["president"].split()[1]}) for row in ROWS
    ],
    "letter.eml": [LETTER],
    "letters.mbox": [
        LETTER,
        (
            f"{PEACE}\n\nFrom here we go on.",
            "State of the Union, 1801",
            "1801-12-08",
            "j1801@example.org",
            LETTER[4] | {"from": "Thomas Jefferson <president@example.org>"},
        ),
    ],
    "page.alto.xml": [
        (
            "The peace, liberty and safety\nwhich we enjoy call for our gratitude.",
            "page.alto",
            "",
            "page.alto.xml",
            {"image": "https://example.org/pages/1.tif", "OCR confidence": "0.867"},
        )
    ],
    "page.xml": [
        (
            "The peace, liberty and safety which we enjoy\n\ncall for our gratitude.",
            "page",
            "",
            "page.xml",
            {"image": "1.jpg", "OCR confidence": "0.850"},
        )
    ],
    "page.hocr": [
        (
            "The peace, liberty and safety which we enjoy call for our gratitude.",
            "page",
            "",
            "page.hocr",
            {"image": "1.png", "OCR confidence": "0.900"},
        )
    ],
    "address.rtf": [(f"{WHOLE}\n\nA note.", *ABOUT, "address.rtf", AUTHOR)],
    "interview.vtt": [
        (
            PEACE.replace("safety which", "safety\nwhich"),
            "interview 1",
            "",
            "interview.vtt",
            {"speaker": "George Washington", "time": "00:00:01"},
        ),
        (
            TRADE,
            "interview 2",
            "",
            "interview.vtt",
            {"speaker": "Thomas Jefferson", "time": "00:00:08"},
        ),
    ],
    "film.srt": [
        (
            PEACE.replace("safety which", "safety\nwhich"),
            "film",
            "",
            "film.srt",
            {"time": "00:00:04"},
        )
    ],
    "references.ris": [
        (
            PEACE,
            "State of the Union, 1801",
            "1801-12-08",
            "references.ris",
            {"author": "Jefferson, Thomas", "journal": "Journal of the Congress"},
        ),
        (
            TRADE,
            "State of the Union, 1801, of trade",
            "1801",
            "references.ris",
            {"author": "Jefferson, Thomas"},
        ),
    ],
    "references.bib": [
        (
            PEACE,
            "State of the Union, 1801",
            "1801",
            "references.bib",
            {"author": "Jefferson, Thomas; Müller, Anna", "journal": "Journal of the Congress"},
        )
    ],
    "library.rdf": [
        (
            "The address speaks of peace with all nations, of the tariff on wool and of the public"
            " debt.",
            "Of peace and tariffs",
            "1990-05-03",
            "",
            {
                "author": "Lee, Anna; Möller, Bo",
                "journal": "Journal of Addresses",
                "type": "journalArticle",
                "keywords": "peace",
                "url": "https://example.org/peace",
                "file": "files/2/Lee and Möller - 1990 - Of peace.pdf",
            },
        ),
        (
            "The canals of the north",
            "The canals of the north",
            "1991",
            "",
            {"author": "Smith", "type": "book"},
        ),
    ],
    "peace.conllu": [
        ("The peace.", "j1801", "", "peace.conllu", {"id": "j1801"}),
        ("du Congrès", "w1790", "", "peace.conllu", {"id": "w1790"}),
    ],
    "peace.vrt": [
        (
            "The peace, liberty.",
            "State of the Union, 1801",
            "1801-12-08",
            "peace.vrt",
            {"id": "j1801"},
        )
    ],
    "WhatsApp Chat with Congress.txt": [
        (
            text,
            f"WhatsApp Chat with Congress {number}",
            date,
            "WhatsApp Chat with Congress.txt",
            {"author": author, "time": time},
        )
        for number, (text, date, author, time) in enumerate(
            (
                (PEACE, "2020-01-08", "George Washington", "09:16"),
                (TRADE, "2020-01-13", "Thomas Jefferson", "09:17"),
            ),
            1,
        )
    ],
    "addresses.zip": [
        (text, title, "", f"addresses.zip/{folder}/{title}.txt", {})
        for text, title, folder in ((FIRST, "1790", "washington"), (PEACE, "1801", "jefferson"))
    ],
    "addresses.tar.gz": [
        (text, title, "", f"addresses.tar.gz/{folder}/{title}.txt", {})
        for text, title, folder in ((FIRST, "1790", "washington"), (PEACE, "1801", "jefferson"))
    ],
    "docword.speeches.txt": [
        (text, f"speeches {n}", "", f"docword.speeches.txt:{n}", {}) for text, n in BAG
    ],
    "vocab.speeches.txt": [],
    "speeches.ldac": [(text, f"speeches {n}", "", f"speeches.ldac:{n}", {}) for text, n in BAG],
    "speeches.mtx": [(text, f"speeches {n}", "", f"speeches.mtx:{n}", {}) for text, n in BAG],
    "speeches.vocab": [],
}
SAID = {
    "letters.mbox": "1 attachment or other part of it was not read",
    "WhatsApp Chat with Congress.txt": "2 notices and messages without text",
    "library.rdf": "1 item has no abstract",
}
HEADINGS = {
    "address.md",
    "address.html",
    "address.docx",
    "address.odt",
    "address.epub",
    "address.tei.xml",
}


def beside(name: str) -> list:
    """The files that are uploaded with an example."""
    uci = ("docword.speeches.txt", "vocab.speeches.txt")
    return [
        (FOLDER / n, n) for n in (uci if name in uci else EXPECTED) if (n in uci) == (name in uci)
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name):
    path = FOLDER / name
    told = []
    sniff = file_formats.sniff(path, name, beside(name))
    items = list(file_formats.read(path, name, sniff.options, told.append, beside(name)))
    documents = [i for i in items if isinstance(i, Document)]
    assert [
        (d.text, d.title, d.date or d.made, d.source_id, d.metadata) for d in documents
    ] == EXPECTED[name]
    made = name in ("address.pdf", "address.docx", "address.odt", "address.rtf")
    assert all(bool(d.made) == made for d in documents)  # it is no date of the text
    problems = [i.message for i in items if isinstance(i, Problem)]
    assert len(problems) == (name in SAID) and all(SAID[name] in said for said in problems)
    assert 0 < sum(told) <= path.stat().st_size
    assert sniff.rows and sniff.options.given == ("speeches" in name)
    for d in documents:
        assert d.file == (
            d.source_id if name.startswith("addresses.") and d.source_id.startswith(name) else name
        )
        assert [d.text[h:].split("\n")[0] for h in d.headings if name in HEADINGS] == (
            ["To Congress", "Of North Carolina"] if name in HEADINGS else []
        )


def test_every_format_has_an_example_and_is_described():
    told = (FOLDER / "README.md").read_text()
    of_examples = {formats.by_name(name) for name in EXPECTED}
    without_example = formats.FORMATS.keys() - of_examples
    assert not without_example, (
        "A format needs a small file in docs/formats, and its documents in EXPECTED of this file."
    )
    assert {path.name for path in FOLDER.iterdir()} == {*EXPECTED, "README.md"}
    endings = [ending for form in formats.FORMATS.values() for ending in form.endings]
    untold = [name for name in (*EXPECTED, *endings) if f"`{name}`" not in told]
    assert not untold, "docs/formats/README.md names every example and ending: add these"


def test_a_sheet_can_be_chosen():
    path = FOLDER / "addresses.xlsx"
    sniff = file_formats.sniff(path, path.name, sheet="Later")
    assert sniff.sheets == ("*", "Addresses", "Later")
    document, problem = file_formats.read(path, path.name, sniff.options)
    assert problem.kind == "sheet" and "“Addresses”" in problem.message
    assert (
        document.source_id == "m1809"
        and document.text.startswith("At the period")
        and document.place == "row 3"
    )
