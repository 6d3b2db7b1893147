"""Labels of encodings mean what browsers take them for, and bytes that are UTF-8 are it under any
label: in pages, XML, mail and names in archives."""

import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import load
from webapp.intake.file_formats import encoding_labels

FRENCH = "Le cœur de la sœur et l’œuvre d’art coûtent 5 € aux œufs de Noël."
GERMAN = "Die Größe der Bäume überrascht die Gärtner – „sehr“."


def text_of(file, content, name):
    (document,), problems = load(*file(content, name))
    return document.text.strip(), [problem.message for problem in problems]


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "latin1", "windows-1252", "ISO_8859-1", "x-cp1252"]
)
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.html", '<meta charset="{}"><p>{}</p>'),
        ("a.xml", '<?xml version="1.0" encoding="{}"?><r>{}</r>'),
        ("a.eml", "Subject: s\nContent-Type: text/plain; charset={}\n\n{}"),
        ("b.eml", "Subject: s\nContent-Type: text/html; charset={}\n\n<p>{}</p>"),
    ],
)
def test_labels_are_read_as_browsers_do(file, name, form, label):
    if name == "a.xml" and "_" in label:
        pytest.skip("no name of an encoding in XML")
    for text in (FRENCH, GERMAN):
        assert text_of(file, form.format(label, text).encode("cp1252"), name) == (text, [])
        assert text_of(file, form.format(label, text).encode(), name) == (text, [])


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("latin1", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("shift_jis", "cp932"),
        ("x-sjis", "cp932"),
        ("gb2312", "gb18030"),
        ("tis-620", "cp874"),
        (" 'UTF-8' ", "utf-8"),
        ("ks_c_5601-1987", "cp949"),
        ("koi8-r", "koi8-r"),
        ("rot13", None),
        ("no-such", None),
        ("", None),
    ],
)
def test_what_a_label_means(label, expected):
    assert encoding_labels.meant(label) == expected


def test_two_bytes_of_another_encoding_are_not_taken_for_utf8():
    assert encoding_labels.believed("gbk", "拢".encode("gbk")) == "gb18030"
    assert encoding_labels.believed("latin1", b"plain") == "cp1252"


def test_headers_of_mail(file):
    mail = (
        b"Subject: =?iso-8859-1?Q?Le_c=9Cur?= de l'=?utf-8?Q?=C5=93uvre?=\n"
        b"From: J\xfcrgen M\xfcller <a@b.org>\n\nA text.\n"
    )
    (document,), _ = load(*file(mail, "a.eml"))
    assert document.title == "Le cœur de l'œuvre"
    assert document.metadata["from"] == "Jürgen Müller <a@b.org>"


PLAIN_AND_HTML = (
    "From: a@b.org\nSubject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type:"
    " text/plain; charset=utf-8\n\n{}\n--b\nContent-Type: text/html; charset=utf-8\n\n<p>Only here"
    " are words.</p>\n--b--\n"
)


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("", "Only here are words."),
        (" \n\u00a0\n\ufeff", "Only here are words."),
        ("-- \n", "Only here are words."),
        ("This message is in HTML.", "Only here are words."),
        ("A word of my own.", "A word of my own."),
        ("I write HTML. " * 30, ("I write HTML. " * 30).strip()),
    ],
)
def test_the_part_of_a_message_that_has_letters_is_read(file, plain, expected):
    assert text_of(file, PLAIN_AND_HTML.format(plain), "a.eml") == (expected, [])


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp932", ["河川の記録一.txt", "議会討論録二番.txt"]),
        ("gb18030", ["河流的记录.txt", "议会辩论.txt"]),
        ("cp949", ["강의기록.txt", "의회토론.txt"]),
        ("cp437", ["Größe.txt", "Bäume.txt", "été.txt"]),
        ("cp866", ["Речная запись.txt", "Дебаты парламента.txt"]),
    ],
)
def test_a_few_names_in_an_archive(tmp_path, encoding, names):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(f"n{number:0{len(name.encode(encoding)) - 5}}.txt", "some text")
    content = path.read_bytes()
    for number, name in enumerate(names):
        raw = name.encode(encoding)
        content = content.replace(f"n{number:0{len(raw) - 5}}.txt".encode(), raw)
    path.write_bytes(content)
    documents, _ = load(path, "a.zip")
    assert [document.file for document in documents] == [f"a.zip/{name}" for name in names]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "A text with \ufffd in it.\n"),
        ("a.html", "<p>A text with \ufffd in it.</p>"),
        ("a.xml", "<r>A text with \ufffd in it.</r>"),
        ("a.csv", "id,text\n1,A text with \ufffd in it.\n2,More of it with \ufffd in it.\n"),
        ("a.jsonl", '{"text": "A text with \ufffd in it."}\n'),
    ],
)
def test_a_character_that_stands_for_a_lost_one_is_no_error(file, name, content):
    documents, problems = load(*file(content, name))
    assert "\ufffd" in documents[0].text and not problems


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"id,text\n1,A text with \xff in it \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9.\n"),
        ("a.xml", b'<?xml version="1.0" encoding="utf-8"?><r>A text with \xff in it.</r>'),
    ],
)
def test_bytes_that_are_no_character_are_still_told(file, name, content):
    _, problems = load(*file(content, name), **({} if name == "a.xml" else {"encoding": "utf-8"}))
    assert "some bytes are not characters" in problems[0].message
