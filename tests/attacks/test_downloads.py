"""Files that are taken away: no cell that a spreadsheet would run, no header that a name could
write, nothing that would have to be trusted to be read."""

import csv
import io
import re
import zipfile

import numpy as np
import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from tests.attacks.conftest import Stranger
from tests.attacks.hostile import FORMULAS
from webapp.intake.ingest import file_names
from webapp.models import Corpus, Run
from webapp.service.exports.catalogue import EXPORT_KINDS

pytestmark = pytest.mark.django_db

BEGINS = re.compile(r"[-=+@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def tables(stranger, hostile) -> dict[str, bytes]:
    """Every CSV there is, of any page."""
    run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=hostile.run)
    urls = [
        reverse("corpus_report", args=[hostile.corpus]),
        reverse("run_time_csv", args=[hostile.run]),
    ]
    for kind in EXPORT_KINDS.values():
        if "csv" in kind.endings and kind.is_ready(run):
            for by in kind.choices(run) if kind.choices else [""]:
                urls.append(
                    reverse("export", args=[run.pk, f"{kind.name}.csv"]) + f"?word=war&by={by}"
                )
    found = {url: stranger.get(url) for url in urls}
    assert {response.status_code for response in found.values()} == {200}, {
        url: r.status_code for url, r in found.items()
    }
    return {url: response.content for url, response in found.items()}


def test_no_cell_of_any_table_begins_a_formula(stranger, hostile):
    wrong = []
    seen = set()
    for url, content in tables(stranger, hostile).items():
        for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")):
            for cell in row:
                if BEGINS.match(cell) and not NUMBER.fullmatch(cell):
                    wrong.append((url, cell[:40]))
                seen |= {
                    formula for formula in FORMULAS if formula.strip() and formula.strip() in cell
                }
    assert not wrong and len(seen) > 5  # they are there, behind an apostrophe


def test_archives_hold_no_formula_and_no_path_to_elsewhere(stranger, hostile):
    for file in ("bundle.zip", "dfr-browser.zip", "site.zip", "model.npz"):
        archive = zipfile.ZipFile(
            io.BytesIO(stranger.get(reverse("export", args=[hostile.run, file])).content)
        )
        for name in archive.namelist():
            assert (
                not name.startswith("/")
                and ".." not in name
                and "\\" not in name
                and name.isprintable()
                and ":" not in name
            )
            if name.endswith(".csv"):
                rows = csv.reader(io.StringIO(archive.read(name).decode(), newline=""))
                assert not [
                    cell
                    for row in rows
                    for cell in row
                    if BEGINS.match(cell) and not NUMBER.fullmatch(cell)
                ], name
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def test_parquet_keeps_what_was_written(stranger, hostile):
    """It is no spreadsheet: its texts are as they were."""
    table = pq.read_table(
        io.BytesIO(stranger.get(reverse("export", args=[hostile.run, "documents.parquet"])).content)
    )
    assert f"{FORMULAS[0]} 0" in table.column("title").to_pylist()


NAMES = (
    'a"; filename="evil.html',
    "a\r\nSet-Cookie: x=1",
    "../../etc/passwd",
    "é\u202etxt.exe",
    "\0",
    "..",
    "a;b",
    "x" * 200,
    "文",
    "CON",
)


@pytest.mark.parametrize("name", NAMES)
def test_no_name_writes_a_header(stranger, hostile, name):
    name = name.replace("\0", "")
    before = Corpus.objects.get(pk=hostile.corpus).name
    Corpus.objects.filter(pk=hostile.corpus).update(name=name)
    for url in (
        reverse("run_bib", args=[hostile.run]),
        reverse("run_time_csv", args=[hostile.run]),
        reverse("export", args=[hostile.run, "words.csv"]),
        reverse("notebook_md", args=[hostile.notebook]),
        reverse("corpus_report", args=[hostile.corpus]),
    ):
        response = stranger.get(url)
        assert re.fullmatch(
            r'attachment; filename="[A-Za-z0-9_.-]+"', response["Content-Disposition"]
        ), response["Content-Disposition"]
        assert ".." not in response["Content-Disposition"] and not response.cookies
    Corpus.objects.filter(pk=hostile.corpus).update(name=before)


def test_names_of_files_to_take_are_ours_alone(stranger, hostile):
    for name in (
        "../secret-key",
        "words.csv%0d%0aX: y",
        "words.exe",
        "words",
        ".csv",
        "words.csv.html",
        "__class__.csv",
        "words.CSV",
    ):
        assert stranger.get(f"/runs/{hostile.run}/export/{name}").status_code == 404, name


def test_an_uploaded_name_stays_a_name():
    """Of tus and of a form: no folder, no control characters, no end but its own; and ids lead to
    no path."""

    for given, kept in [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("a\r\nb.txt", "a  b.txt"),
        ("C:\\x\\y.txt", "x/y.txt"),
        ("a\u202etxt.exe", "atxt.exe"),
    ]:
        said = file_names.clean(given)
        assert (
            ".." not in said.split("/")
            and not said.startswith("/")
            and said.isprintable()
            and "\\" not in said
        ), (
            given,
            said,
            kept,
        )
    client = Stranger()
    for upload in (
        "..",
        "../x",
        "%2e%2e",
        "a" * 22 + "/..",
        "A" * 22,
        "a" * 21,
        "AAAAAAAAAAAAAAAAAAAA%2f",
    ):
        assert client.head(
            f"/uploads/{upload}/", headers={"tus-resumable": "1.0.0"}
        ).status_code in (404, 301), upload
