"""Bad input of every kind, and the answer that a user would want: uploaded, prepared, read
(tests/webapp/platform/pages/test_bad_input.py)."""

import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from tests.corpora import as_csv

WORDS = "letter river winter garden market harvest window morning village soldier captain orchard".split()
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>"


@dataclass(frozen=True)
class Case:
    """documents: that are there in the end; 0 where nothing can be read. said: on the pages or in
    the report, each in some sentence."""

    name: str
    files: Callable[[], list[tuple[str, bytes]]]
    documents: int
    said: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()  # of the form, that are chosen


def text(seed: int, words: int = 40) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def rows(n: int, **changed: list[str]) -> list[list[str]]:
    """id, title, text; changed: r3=[…] in place of the third row."""
    return [
        ["id", "title", "text"],
        *(changed.get(f"r{i}", [f"k{i}", f"Title {i}", text(i)]) for i in range(1, n + 1)),
    ]


def lines(found: list[list[str]]) -> list[str]:
    return as_csv(found).decode().splitlines(keepends=True)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes | str], level: int = 6) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in entries:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type = kind
    found.linkname = link
    return found


def link(name: str) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = 0o120777 << 16
    return found


GOOD = [(f"{i}.txt", text(i)) for i in range(3)]


def bomb() -> bytes:
    return zipped(*GOOD, ("bomb.txt", b"a b " * 10_000_000), level=9)


def nested_bomb() -> bytes:
    inner = zipped(*((f"{i}.csv", b"a," * 8_000_000) for i in range(3)), level=9)
    return zipped(*GOOD, ("inner.zip", inner))


def encrypted() -> bytes:
    """The second entry says that it is."""
    content = bytearray(zipped(*GOOD))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.index(signature, content.index(signature) + 4)
        content[at + flags] |= 1
    return bytes(content)


def pdf(*objects: str, trailer: str = "") -> bytes:
    out = b"%PDF-1.4\n"
    at = []
    for number, content in enumerate(objects, 1):
        at.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    places = "".join(f"{place:010d} 00000 n \n" for place in at)
    end = (
        f"xref\n0 {len(at) + 1}\n0000000000 65535 f \n{places}trailer<</Size {len(at) + 1}/Root 1 0"
        f" R{trailer}>>\nstartxref\n{len(out)}\n%%EOF\n"
    )
    return out + end.encode()


PAGES = (
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>",
)
LOCK = "<</Filter/Standard/V 1/R 2/P -4/O<" + "28" * 32 + ">/U<" + "29" * 32 + ">>>"
LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "'
    + "&a;" * 50
    + '"><!ENTITY c "'
    + "&b;" * 50
    + '"><!ENTITY d "'
    + "&c;" * 50
    + '">]><a>&d;</a>'
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>words &x; words</a>'


def spreadsheet() -> bytes:
    """Cells with formulas: their stored values are read, and nothing is computed or fetched."""
    cells = "".join(
        f'<row r="{i}"><c r="A{i}" t="inlineStr"><is><t>k{i}</t></is></c><c r="B{i}"'
        f' t="str"><f>WEBSERVICE("http://x")</f><v>{text(i) if i > 1 else "text"}</v></c></row>'
        for i in range(1, 5)
    )
    spaces = (
        'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    )
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    return zipped(
        (
            "[Content_Types].xml",
            (
                f'<Types xmlns="{package}/content-types"><Default Extension="xml"'
                ' ContentType="application/xml"/></Types>'
            ),
        ),
        (
            "_rels/.rels",
            (
                f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
                f' Type="{kinds}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
            ),
        ),
        (
            "xl/workbook.xml",
            (
                f'<workbook {spaces}><sheets><sheet name="S" sheetId="1"'
                ' r:id="r1"/></sheets></workbook>'
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            (
                f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
                f' Type="{kinds}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            f"<worksheet {spaces}><sheetData>{cells}</sheetData></worksheet>",
        ),
    )


def jsonl(*broken: str) -> bytes:
    good = [f'{{"id": "k{i}", "text": "{text(i)}"}}' for i in range(1, 6)]
    return "\n".join([*good[:3], *broken, *good[3:]]).encode()


BEGUN = lines(rows(8))
CASES = [
    # archives
    Case("a zip bomb", lambda: [("a.zip", bomb())], 3, ("unpacks to more than",)),
    Case("a nested zip bomb", lambda: [("a.zip", nested_bomb())], 3, ("unpack",)),
    Case(
        "paths that lead out",
        lambda: [
            (
                "a.zip",
                zipped(
                    *GOOD,
                    ("../../evil.txt", text(7)),
                    ("/etc/evil.txt", text(8)),
                    ("C:\\evil.txt", text(9)),
                ),
            )
        ],
        3,
        ("leads out of the archive",),
    ),
    Case(
        "a link in a zip",
        lambda: [("a.zip", zipped(*GOOD, (link("link.txt"), "/etc/passwd")))],
        3,
        ("is a link or a device",),
    ),
    Case(
        "links and devices in a tar",
        lambda: [
            (
                "a.tar.gz",
                tarred(
                    (member("good.txt"), text(1).encode()),
                    (member("../evil.txt"), text(2).encode()),
                    (member("link.txt", tarfile.SYMTYPE, "/etc/passwd"), b""),
                    (member("hard.txt", tarfile.LNKTYPE, "good.txt"), b""),
                    (member("null.txt", tarfile.CHRTYPE), b""),
                    (member("pipe.txt", tarfile.FIFOTYPE), b""),
                    (member("last.txt"), text(3).encode()),
                ),
            )
        ],
        2,
        ("is a link or a device", "leads out of the archive"),
    ),
    Case(
        "names that stand twice",
        lambda: [("a.zip", zipped(*GOOD, ("9.txt", text(9))).replace(b"9.txt", b"0.txt"))],
        4,
        ("more than once",),
    ),
    Case(
        "names that are no characters",
        lambda: [
            ("a.zip", zipped(*GOOD, ("bad.txt", text(5))).replace(b"bad.txt", b"\xff\x80\xfe.txt"))
        ],
        4,
    ),
    Case("an encrypted entry", lambda: [("a.zip", encrypted())], 2, ("is encrypted",)),
    Case(
        "half a zip",
        lambda: [("a.zip", zipped(*GOOD)[:200]), ("b.txt", text(4).encode())],
        1,
        ("not a complete ZIP archive",),
    ),
    Case(
        "half a tar",
        lambda: [
            (
                "a.tar.gz",
                tarred(*((member(f"{i}.txt"), text(i, 40_000).encode()) for i in range(4)))[
                    :-40_000
                ],
            )
        ],
        2,
        ("what follows was left out",),
    ),
    # tables
    Case(
        "a field of 25 MB",
        lambda: [("a.csv", as_csv(rows(8, r3=["k3", "Title", "x" * 25_000_000])))],
        7,
        ("20,000,000 characters",),
    ),
    Case(
        "zero bytes",
        lambda: [("a.csv", as_csv(rows(8, r3=["k3", "Ti\0tle", "a\0" + text(3)])))],
        8,
        ("control character",),
    ),
    Case(
        "a quotation mark that is never closed",
        lambda: [("a.csv", "".join([*BEGUN[:3], f'k9,Title 9,"{text(9)}\n', *BEGUN[3:]]).encode())],
        9,
        ("not closed",),
    ),
    Case(
        "ragged rows",
        lambda: [
            (
                "a.csv",
                "".join(
                    [*BEGUN[:3], "short\n", f"k9,Title 9,{text(9)},more,and more\n", *BEGUN[3:]]
                ).encode(),
            )
        ],
        9,
        ("its lines were joined again",),
    ),
    Case(
        "10,000 columns",
        lambda: [
            (
                "a.csv",
                (",".join(f"c{i}" for i in range(10_000)) + "\n" + "x," * 9_999 + "x\n").encode(),
            )
        ],
        0,
        ("10,000 columns; at most 2,000",),
    ),
    Case(
        "duplicate headers",
        lambda: [
            (
                "a.csv",
                as_csv(
                    [
                        ["id", "note", "text", "note", ""],
                        *([f"k{i}", "a", text(i), "b", "c"] for i in range(5)),
                    ]
                ),
            )
        ],
        5,
    ),
    Case("duplicate ids", lambda: [("a.csv", as_csv(rows(8, r3=["k1", "Title", text(3)])))], 8),
    # JSON
    Case(
        "broken lines",
        lambda: [
            (
                "a.jsonl",
                jsonl(
                    '{"id": "k9", "text": "half',
                    '{"text": ' + "[" * 50_000 + "]" * 50_000 + "}",
                    "no json",
                ),
            )
        ],
        5,
        ("line 4", "line 5", "line 6"),
    ),
    Case(
        "huge numbers",
        lambda: [
            ("a.jsonl", jsonl('{"id": ' + "9" * 5000 + f', "n": 1e999, "text": "{text(7)}"}}'))
        ],
        6,
    ),
    Case(
        "halves of characters",
        lambda: [
            ("a.jsonl", jsonl(f'{{"id": "k9", "text": "\\ud800 {text(9)} \\udc00\\u202e\\u200b"}}'))
        ],
        6,
    ),
    # XML, PDF, spreadsheets
    Case(
        "an entity bomb",
        lambda: [("a.xml", LAUGHS.encode()), ("b.txt", text(1).encode())],
        1,
        ("a.xml",),
    ),
    Case(
        "an external entity", lambda: [("a.xml", OUTSIDE.encode()), ("b.txt", text(1).encode())], 2
    ),
    Case(
        "a PDF without text",
        lambda: [("a.pdf", pdf(*PAGES)), ("b.txt", text(1).encode())],
        1,
        ("holds no text",),
    ),
    Case(
        "a PDF with a password",
        lambda: [
            ("a.pdf", pdf(*PAGES, LOCK, trailer="/Encrypt 4 0 R/ID[<01><01>]")),
            ("b.txt", text(1).encode()),
        ],
        1,
        ("protected by a password",),
    ),
    Case(
        "a malformed PDF",
        lambda: [("a.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 50), ("b.txt", text(1).encode())],
        1,
        ("a.pdf",),
    ),
    Case("formulas", lambda: [("a.xlsx", spreadsheet())], 3),
    # words
    Case(
        "scripts everywhere",
        lambda: [
            (
                f"{EVIL}.csv",
                as_csv(
                    [["id", EVIL, "text"], *([EVIL, EVIL, f"{EVIL} {text(i)}"] for i in range(5))]
                ),
            )
        ],
        5,
        ("&lt;img src=x",),
    ),
    Case(
        "a word of a megabyte",
        lambda: [("a.csv", as_csv(rows(8, r3=["k3", "Title", "w" * 1_000_000 + " " + text(3)])))],
        8,
        ("too long to be a word",),
    ),
    Case(
        "200,000 different words",
        lambda: [
            (
                "a.csv",
                as_csv(rows(8, r3=["k3", "Title", " ".join(f"w{i:x}x" for i in range(200_000))])),
            )
        ],
        8,
    ),
    Case(
        "one word a million times",
        lambda: [("a.csv", as_csv(rows(8, r3=["k3", "Title", "again " * 1_000_000])))],
        8,
    ),
    Case(
        "marks that can't be seen",
        lambda: [
            (
                "a.csv",
                as_csv(
                    rows(8, r3=["k3", "Ti\u202etle", f"zero\u200bwidth {text(3)} \u202eevil\u202c"])
                ),
            )
        ],
        8,
        ("control character",),
    ),
    Case(
        "nothing but stop words",
        lambda: [
            (
                "a.csv",
                as_csv(
                    [
                        ["id", "title", "text"],
                        *([f"k{i}", "T", "the of and to a in"] for i in range(9)),
                    ]
                ),
            )
        ],
        0,
        ("No word is left",),
        (("language", "en"),),
    ),
    Case("one document", lambda: [("a.txt", text(1).encode())], 1),
    Case("blank files", lambda: [("a.txt", b" \n\n"), ("b.txt", b"\n")], 0, ("no text",)),
]
REFUSED = [  # before there is a corpus
    Case("no document", lambda: [("a.csv", b"")], 0, ("is empty (0 bytes)",)),
]
