"""Recognised pages, rich text, subtitles, references, tagged words and chats, as programs write them
and as they come broken."""

import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.file_formats.test_examples import FOLDER
from webapp.intake import file_formats
from webapp.intake.file_formats import references
from webapp.intake.file_formats.base import Document, Unreadable

ALTO = (
    '<alto xmlns="http://www.loc.gov/standards/alto/ns-v2#"><Layout><Page><PrintSpace><TextBlock>{}'
    "</TextBlock></PrintSpace></Page></Layout></alto>"
)


def texts(file, content, name):
    documents, problems = load(*file(content, name))
    return [document.text for document in documents], [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            '<TextLine><String CONTENT="no"/><String CONTENT="spaces"/></TextLine>',
            "no spaces",
        ),
        (
            '<TextLine><String CONTENT="a"/><SP/><String CONTENT="coun"/><HYP CONTENT="-"/></TextLine>'
            '<TextLine><String CONTENT="try"/><SP/><String CONTENT="here"/></TextLine>',
            "a country here",
        ),
        (
            '<TextLine><String CONTENT="Cosmo" SUBS_TYPE="HypPart1"/><HYP/></TextLine><TextLine>'
            '<String CONTENT="Politan" SUBS_TYPE="HypPart2"/></TextLine>',
            "CosmoPolitan",
        ),
    ],
)
def test_alto(file, lines, expected):
    assert texts(file, ALTO.format(lines), "a.xml") == ([expected], [])


def test_a_page_of_alto_without_words_is_told(file):
    with pytest.raises(Unreadable, match="has no text in it"):
        load(*file(ALTO.format("<TextLine/>"), "a.xml"))


def test_mets_is_said_to_hold_no_text(file):
    found, (said,) = texts(file, '<mets:mets xmlns:mets="m"><mets:fileSec/></mets:mets>', "m.xml")
    assert not found and "holds no text itself" in said


def test_page_reads_words_where_lines_have_no_text_and_the_first_variant(file):
    page = (
        "<PcGts><Metadata><Creator>x</Creator></Metadata><Page imageFilename='1'><TextRegion id='a'>"
        "<TextLine id='l'><Word><TextEquiv><Unicode>two</Unicode></TextEquiv></Word><Word><TextEquiv>"
        "<Unicode>words</Unicode></TextEquiv></Word></TextLine><TextLine id='m'><TextEquiv index='1'>"
        "<Unicode>second</Unicode></TextEquiv><TextEquiv index='0'><Unicode>first</Unicode>"
        "</TextEquiv></TextLine></TextRegion><TextRegion id='b'><TextEquiv><Unicode>re-\ngion"
        "</Unicode></TextEquiv></TextRegion></Page></PcGts>"
    )
    assert texts(file, page, "a.xml")[0] == ["two words\nfirst\n\nregion"]


@pytest.mark.parametrize(
    ("rtf", "expected"),
    [
        (rb"{\rtf1\ansi\ansicpg1251 \'cc\'ee\'f1\'ea\'e2\'e0}", "Москва"),
        (rb"{\rtf1 \u1052?\u1086?\u1089? \uc0\u8211 x}", "Мос –x"),
        (rb"{\rtf1{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset128 B;}}\f0\'cc \f1\'93\'8c}", "М 東"),
        (rb"{\rtf1 a{\*\unknown gone}b{\v hidden}c{\deleted old}d}", "abcd"),
        (rb"{\rtf1 rose{\super 1} by 5 m{\super 2}, 1{\super st}}", "rose by 5 m2, 1st"),
        (
            rb"{\rtf1 one\cell two\cell\row three\line four\par five}",
            "one\ntwo\nthree\nfour\n\nfive",
        ),
        (
            rb"{\rtf1 {\field{\*\fldinst HYPERLINK x}{\fldrslt a link}} \{b\}\~c\_d}",
            "a link {b} c-d",
        ),
        (rb"{\rtf1 \u55357?\u56832? ok}", "\U0001f600 ok"),
        (rb"{\rtf1 {\header \pard\plain Running head\par}Body{\footer\plain 1}\par}", "Body"),
        (rb"{\rtf1 a{\*\annotation \pard\plain note}{\*\unknown {\plain gone}}b}", "ab"),
        (rb"{\rtf1 a{\v hidden \plain b}{\deleted old\v0 er}c\v {\v0 d}e\v0 f}", "abcdf"),
        (
            rb"{\rtf1 a{\header {\footnote gone}}b{\header\v0 gone}{\*\do {\info {\title no}}}}",
            "ab",
        ),
        (rb"{\rtf1 a{\pict\wmetafile8\bin4 }}{\}b}", "ab"),
        (
            rb"{\rtf1 a{\shp{\*\shpinst{\sp{\sn kind}{\sv 202}}{\shptxt box}}{\shprslt box}}b}",
            "aboxb",
        ),
        (rb"{\rtf1 a{\upr{?}{\*\ud{\u1052?}}}b{\header{\upr{?}{\*\ud{\u1052?}}}}c}", "aМbc"),
        (
            rb"{\rtf1\deff1{\fonttbl{\f0\fcharset204 A;}{\f1 B;}}{\f0\'cc \f1\'e9 \f0\'cc\plain\'e9}}",
            "М é Мé",
        ),
        (rb"{\rtf1\pc \'82}", "é"),
    ],
)
def test_rich_text(file, rtf, expected):
    assert texts(file, rtf, "a.rtf") == ([expected], [])


def test_rich_text_says_its_title_in_unicode(file):
    rtf = rb"{\rtf1{\info{\upr{\title ?}{\*\ud{\title \u1052?}}}{\creatim\yr1990\mo5\dy3}}a}"
    (document,), _ = load(*file(rtf, "a.rtf"))
    assert (document.title, document.text, document.made) == ("М", "a", "1990-05-03")


def test_rich_text_that_ends_too_soon_is_told(file):
    found, (said,) = texts(file, rb"{\rtf1 some {\b words", "a.rtf")
    assert found == ["some words"] and "ends in the middle" in said
    with pytest.raises(Unreadable, match="does not begin with"):
        load(*file("plain", "a.rtf"))
    with pytest.raises(Unreadable, match="deep in each other"):
        load(*file(b"{\\rtf1 " + b"{" * 5000 + b"x", "a.rtf"))


def test_captions_that_roll_are_read_once(file):
    rows = ["one river", "rose in", "the spring", "of that", "year"]
    cues = "\n\n".join(
        f"00:00:{i:02}.000 --> 00:00:{i + 1:02}.000 align:start\n{above}\n{below}<00:00:01.0><c> </c>"
        for i, (above, below) in enumerate(zip(rows, rows[1:], strict=False))
    )
    assert texts(file, f"WEBVTT\nKind: captions\n\n{cues}", "a.vtt")[0] == ["\n".join(rows)]


def test_speakers_of_subtitles(file):
    srt = (
        "1\r\n00:00:01,5 --> 00:00:02,000\r\n- ANNA: We rose.\r\n\r\n2\r\n00:00:03,000 -->"
        " 00:00:04,000\r\n{\\an8}still <i>here</i> &amp; there\r\n\r\n3\r\n01:00:05,000 -->"
        " 01:00:06,000\r\n>> Dr. Bo: No.\r\n"
    )
    documents, _ = load(*file(srt, "a.srt"))
    assert [(d.text, d.metadata) for d in documents] == [
        ("We rose.\nstill here & there", {"speaker": "ANNA", "time": "00:00:01"}),
        ("No.", {"speaker": "Dr. Bo", "time": "01:00:05"}),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.conllu",
            "# newdoc id = a\n1\tShe\tshe\tP\n2\twent\tgo\tV\n3-4\tdu\t_\t_\n3\tde\tde\tP\n4\tle\tle\tD\n"
            "5\tmills\t_\tN\n",
        ),
        (
            "a.vrt",
            '<text id="a">\nShe\tPRON\tshe\nwent\tVERB\tgo\nde\tPREP\tde\nle\tDET\tle\nmills\tNOUN\t'
            "<unknown>\n</text>\n",
        ),
    ],
)
def test_lemmas_where_they_are_chosen(file, name, content):
    path, name = file(content, name)
    options = replace(file_formats.sniff(path, name).options, lemmas=True)
    (document,) = file_formats.read(path, name, options)
    assert document.text.split() == "she go de le mills".split()
    assert load(path, name)[0][0].text.split()[1] == "went"


def test_a_brace_that_is_not_closed_costs_its_own_reference_alone(file):
    bib = (
        "@article{a, title={One {{of}, abstract={Broken},\n}\n"
        "@article{b, title={Two}, abstract={Whole}}\n"
        "@article{c, title={Three}, abstract={Whole, too}}\n"
    )
    documents, problems = load(*file(bib, "a.bib"))
    assert [document.title for document in documents][1:] == ["Two", "Three"]
    assert "line 1: a brace" in problems[0].message


@pytest.mark.parametrize("value", ["{{{}}}", '"{}"'], ids=["braces", "quotation marks"])
def test_a_value_may_have_a_line_in_it_that_begins_as_a_reference_does(file, value):
    text = "How to cite:\n@misc{x,\n  title = {A title}\n}\nand so on."
    bib = (
        f"@article{{a, title={{One}}, abstract={value.format(text)}, year=1990}}\n"
        "@article{b, title={Two}, abstract={Whole}}\n"
    )
    documents, problems = load(*file(bib, "a.bib"))
    assert [(document.title, document.date) for document in documents] == [
        ("One", "1990"),
        ("Two", ""),
    ]
    assert documents[0].text == "How to cite: @miscx, title = A title and so on."
    assert not problems


def test_a_quotation_mark_that_is_not_closed_costs_its_own_reference_alone(file):
    bib = (
        '@article{a, title = "One,\n  year = 1990\n}\n'
        '@article{b, title = "Two", abstract = "Whole"}\n'
        '@article{c, title = "Three", abstract = "Whole, too"}\n'
    )
    documents, problems = load(*file(bib, "a.bib"))
    assert [document.title for document in documents][1:] == ["Two", "Three"]
    assert "line 1: a brace or a quotation mark" in problems[0].message


def test_references_that_are_not_closed_are_looked_through_once(monkeypatch):
    pattern = references.MARK
    searched = []

    def finditer(text: str):
        searched.append(text)
        return pattern.finditer(text)

    monkeypatch.setattr(references, "MARK", SimpleNamespace(finditer=finditer))
    bib = "".join(f'@misc{{k{number}, title={{T\n@misc{{l, title="T\n' for number in range(50))
    assert len(list(references.read_bibtex(bib, "a.bib"))) == 100
    assert len(searched) == 1


def test_references_of_one_line_are_looked_through_once(monkeypatch):
    pattern = references.FOLLOWING
    searched = []

    def search(text: str, position: int):
        searched.append(position)
        return pattern.search(text, position)

    monkeypatch.setattr(references, "FOLLOWING", SimpleNamespace(search=search))
    row = "".join(f"@misc{{k{number}, title={{T{number}}}}} " for number in range(50))
    found = list(references.read_bibtex(f"{row}\n@misc{{last, title={{T}}}}\n", "a.bib"))
    titles = [reference.fields["title"] for reference in found]
    assert titles == [*([f"T{number}"] for number in range(50)), ["T"]]
    assert len(searched) == 2


def test_references_without_abstracts_are_counted(file):
    bib = (
        "@string{x = {y}}\n@book{a, title={Peace and {War}}, author={Tolst{\\'o}i, L. and Other, A.},"
        ' year=1869 }\n@misc{b, note={nothing}}\n@article(c, title = "A" # " {B}", abstract={It rose})'
    )
    documents, problems = load(*file(bib, "a.bib"))
    assert [(d.text, d.date) for d in documents] == [("Peace and War", "1869"), ("It rose", "")]
    assert documents[0].metadata == {"author": "Tolstói, L.; Other, A."}
    assert "no abstract and no title" in problems[0].message
    assert "2 of 3 references have no abstract" in problems[1].message


def test_chats_of_both_systems(file):
    ios = (
        "\u200e[31.12.20, 21:15:03] Anna: It rose\nin spring\n[31.12.20, 21:16:03] ~ Bo:"
        " \u200eimage omitted\n[31.12.20, 21:17:03] Bo: note: this\n"
    )
    documents, (problem,) = load(*file(ios, "_chat.txt"))
    assert [(d.text, d.date, d.metadata["author"]) for d in documents] == [
        ("It rose\nin spring", "2020-12-31", "Anna"),
        ("note: this", "2020-12-31", "Bo"),
    ]
    assert "1 notice" in problem.message
    android = "12/31/20, 9:15\u202fPM - Anna: It rose\n1/2/21, 9:15 PM - Bo: Yes\n"
    documents, _ = load(*file(android, "WhatsApp Chat with Bo.txt"))
    assert [d.date for d in documents] == ["2020-12-31", "2021-01-02"]
    assert texts(file, "No chat at all.", "_chat.txt")[0] == ["No chat at all."]


@pytest.mark.parametrize("name", ["a.doc", "a.xls", "a.rar", "a.pages"])
def test_formats_that_are_known_are_refused_with_what_to_do(file, name):
    with pytest.raises(Unreadable, match="can't be read|can't read") as error:
        load(*file("x" * 100, name))
    assert any(word in str(error.value) for word in ("Save it", "Pack it", "Export it"))


@pytest.mark.parametrize(
    "name",
    ["address.rtf", "page.alto.xml", "page.xml", "page.hocr", "references.bib", "references.ris",
     "interview.vtt", "peace.conllu", "peace.vrt", "WhatsApp Chat with Congress.txt"],
)  # fmt: skip
def test_any_damage_is_a_sentence(file, name):
    whole = (FOLDER / name).read_bytes()
    chance = random.Random(name)
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        content = bytes(damaged[: chance.randint(1, len(damaged))])
        try:
            documents, _ = load(*file(content, name))
        except Unreadable as error:
            assert "can't be read: it is damaged" not in str(error)
        else:
            assert all(isinstance(document, Document) for document in documents)


def test_articles_of_a_press_database(file):
    """The form in which Europresse gives articles, older and newer."""
    older = (
        '<article><header><div class="DocPublicationName">Le Monde</div><span class="DocHeader">Le'
        ' Monde, mardi 5 janvier 2021, p. 8</span><div class="titreArticle"><p class='
        '"titreArticleVisu">La crue</p></div><div class="docAuthors">Zoé L.</div></header><section>'
        '<div class="DocText clearfix"><div class="docOcurrContainer"><p>La rivière monta.</p><p>Le'
        " blé fut perdu.</p></div></div></section><footer>© 2021 Europresse</footer></article>"
    )
    newer = (
        '<article><span class="rdp__DocPublicationName">Sud Ouest, no. 12</span><p class='
        '"rdp__articletitle">La grève</p><div class="docOcurrContainer"><p>Les dockers.</p></div>'
        '<div class="publiC-lblNodoc">news·20200309·SO·77</div></article>'
    )
    empty = '<article><p class="rdp__articletitle">Rien</p></article>'
    page = f"<html><body><h1>Documents</h1>{older}{newer}{empty}</body></html>"
    documents, (problem,) = load(*file(page, "europresse.html"))
    assert [(d.title, d.text, d.date, d.metadata) for d in documents] == [
        (
            "La crue",
            "La rivière monta.\n\nLe blé fut perdu.",
            "5 janvier 2021",
            {"newspaper": "Le Monde", "author": "Zoé L."},
        ),
        ("La grève", "Les dockers.", "2020-03-09", {"newspaper": "Sud Ouest"}),
    ]
    assert problem.kind == "empty" and problem.dropped


def cue(second, text):
    return f"{second}\n00:00:0{second},000 --> 00:00:0{second},900\n{text}\n\n"


def test_a_blank_line_within_a_subtitle(file):
    srt = cue(1, "It rose\n\nin spring") + cue(2, "1984") + cue(3, "and fell.")
    (document,), _ = load(*file(srt, "a.srt"))
    assert document.text.split("\n") == ["It rose", "in spring", "1984", "and fell."]


def test_two_speakers_in_one_caption(file):
    srt = cue(1, "ANNA: Hello.\nBO: Hi.\nagain") + cue(2, "ANNA: Yes.")
    voices = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Hello.</v> <v Bo>Hi.\nagain</v>\n"
    for content, name in ((srt, "a.srt"), (voices, "a.vtt")):
        documents, _ = load(*file(content, name))
        turns = [(document.metadata["speaker"].upper(), document.text) for document in documents]
        assert turns[:2] == [("ANNA", "Hello."), ("BO", "Hi.\nagain")]


def test_words_before_a_colon_are_kept_where_they_are_no_speakers(file):
    srt = cue(1, "Remember: it rose.") + cue(2, "And fell.") + cue(3, "Then") + cue(4, "it ended.")
    (document,), _ = load(*file(srt, "a.srt"))
    assert document.text.startswith("Remember: it rose.\nAnd")


def test_a_word_of_several_does_not_cost_those_of_the_next_sentence(file):
    conllu = (
        "3-4\tdu\t_\n3\tde\tde\n4\tle\tle\n5\tlac\tlac\n\n"
        "1\tIl\til\n2\tmonte\tmonter\n3\tencore\tencore\n4\tune\tun\n5\tfois\tfois\n"
    )
    (document,), _ = load(*file(conllu, "a.conllu"))
    assert document.text == "du lac\nIl monte encore une fois"


def test_tables_of_conll_that_begin_with_the_word(file):
    conll = (
        "-DOCSTART-\t-X-\tO\n\nEU\tNNP\tB-ORG\nrose\tVBD\tO\n\n1999\tCD\tO\n.\t.\tO\n\n"
        "-DOCSTART-\t-X-\tO\n\nEnd\tNN\tO\n"
    )
    documents, _ = load(*file(conll, "a.conll"))
    assert [document.text for document in documents] == ["EU rose\n1999.", "End"]


def test_declarations_and_comments_in_vrt_are_no_words(file):
    vrt = "<?xml version='1.0'?>\n<!-- from a corpus -->\n<text id='a'>\nIt\tPP\n<!\tSYM\n</text>\n"
    (document,), _ = load(*file(vrt, "a.vrt"))
    assert (document.text, document.metadata["id"]) == ("It <!", "a")


def test_messages_that_end_as_notices_do_and_words_below_a_picture(file):
    said = [
        "That is what he omitted",
        "il a omis",
        "<Media omitted>\nOur ship",
        "image omitted",
        "<Media omitted>",
    ]
    chat = "".join(f"12/31/20, 21:1{i} - Anna: {text}\n" for i, text in enumerate(said))
    documents, (problem,) = load(*file(chat, "WhatsApp Chat with x.txt"))
    assert [document.text for document in documents] == [*said[:2], "Our ship"]
    assert problem.count == 2


@pytest.mark.parametrize("numbers", [("", ""), ("1\n", "2\n")])
def test_a_year_is_no_number_of_a_caption(file, numbers):
    first, second = numbers
    srt = (
        f"{first}00:00:01,000 --> 00:00:02,000\nIn the year\n1984\n\n"
        f"{second}00:00:03,000 --> 00:00:04,000\nit rose.\n"
    )
    (document,), _ = load(*file(srt, "a.srt"))
    assert document.text == "In the year\n1984\nit rose."
