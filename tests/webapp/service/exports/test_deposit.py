"""A deposit: what is in it and what is not, that a byte that changed is told anywhere, and that it
is an RO-Crate."""

import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from io import StringIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from inference.runtime import versions
from tests.webapp.service.exports.test_site import BROWSE
from webapp.core.notebooks import pin_contents, services as notebooks
from webapp.models import Document, Export, Run, User
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.jobs import dispatch
from webapp.service.exports import deposit, kept, sizes
from webapp.service.exports.deposit_form import DepositForm, creator, valid_orcid

pytestmark = pytest.mark.django_db

ORCID = "0000-0002-1825-0097"  # of ORCID's own documentation
EVIL = '"><script>alert(1)</script> {yaml: [x]} \\ %}: - # =1+1'
ANSWERS = {
    "title": "Speeches",
    "creators": f"Curie, Marie {ORCID}\nThe Institute",
    "licence": "CC-BY-4.0",
}


@pytest.fixture(autouse=True)
def no_messages(monkeypatch):
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: None)


def answers(**changes) -> QueryDict:
    return QueryDict(urlencode(ANSWERS | {"share": ["bag", "quotes"]} | changes, doseq=True))


def made(run: Run, folder: Path, user: User | None = None, **changes) -> Path:
    """A deposit, by the job that makes it, unpacked."""
    export = kept.ask(run, user or User.objects.local(), "deposit.zip", answers(**changes))
    kept.make(export.pk)
    export.refresh_from_db()
    assert export.status == "ready", export.error
    with zipfile.ZipFile(kept.path(export)) as archive:
        archive.extractall(folder / "deposit")
    return folder / "deposit"


def checked(folder: Path) -> tuple[int, str]:
    """What its own program says, without anything that is installed here."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not done.stderr
    return done.returncode, done.stdout


def everything(folder: Path) -> bytes:
    """All that can be read in it, the bundle's files too."""
    files = [
        path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".zip"
    ]
    with zipfile.ZipFile(folder / "bundle.zip") as archive:
        return b"\n".join([*files, *map(archive.read, archive.namelist())])


def rows(folder: Path, name: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO((folder / "tables" / name).read_text())))


@pytest.fixture
def notebook(trained):
    """One with a passage and a topic of the run, and a topic of another corpus's run."""
    book = notebooks.create("Evidence <b>", "Ada")
    text = Document.objects.get(corpus_id=trained.corpus_id, number=5).text
    for evidence in (
        pin_contents.of_passage(trained.corpus, trained, 5, text[:80], 0, 80),
        pin_contents.of_topic(trained, 1),
    ):
        notebooks.pin(book, evidence, "my comment", "Ada")
    other = pin_contents.of_topic(trained, 2)
    source = other.source | {"run": 10**9, "corpus": "Another corpus"}
    notebooks.pin(
        book,
        type(other)(**vars(other) | {"source": source, "title": "Of another corpus"}),
        "its comment",
        "Ada",
    )
    return book


def test_a_deposit_is_whole_and_a_changed_byte_is_told(trained, tmp_path):
    folder = made(trained, tmp_path)
    code, said = checked(folder)
    listed = (folder / "manifest-sha256.txt").read_text().splitlines()
    assert code == 0 and f"All {len(listed)} files are as they were" in said
    assert hashlib.sha256((folder / "manifest-sha256.txt").read_bytes()).hexdigest() in said
    assert {line[66:] for line in listed} | {"manifest-sha256.txt"} == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }
    target = folder / "tables" / "words.csv"
    body = bytearray(target.read_bytes())
    body[len(body) // 2] ^= 1
    target.write_bytes(body)
    (folder / "methods.bib").unlink()
    (folder / "more.txt").write_text("added")
    code, said = checked(folder)
    assert code == 1 and "CHANGED  tables/words.csv" in said and "MISSING  methods.bib" in said
    assert "more.txt is not a part" in said and "changed or are missing: 2 of" in said
    (folder / "manifest-sha256.txt").unlink()
    code, said = checked(folder)
    assert code == 2 and "no deposit" in said


def test_what_is_in_it(trained, tmp_path):
    folder = made(trained, tmp_path)
    assert len(rows(folder, "topics-wide.csv")) == trained.topics
    assert len(rows(folder, "documents.csv")) == trained.corpus.documents
    assert "sha256 of its bag of words" in (folder / "methods.txt").read_text()
    assert (folder / "methods.bib").read_text().count("@") > 4
    readme = (folder / "README.txt").read_text()
    for path in re.findall(
        r"^(\S+\.\w+)$", readme.split("What is here")[1].split("What is not here")[0], re.M
    ):
        assert (folder / path).is_file()
    assert (
        "- The texts." in readme
        and "- The bag of words" not in readme
        and "trains the run again" in readme
    )
    assert not (folder / "tables" / "texts.json").exists()


def test_manage_py_verifies_a_folder_and_trains_only_what_it_can(
    trained, tmp_path, monkeypatch, capfd
):
    def said(folder: Path) -> str:
        out = StringIO()
        call_command("verify", str(folder), stdout=out)
        return capfd.readouterr().out + out.getvalue()

    folder = made(trained, tmp_path)
    text = said(folder)
    assert "files are as they were" in text and "The run is the same, bit for bit." in text
    with monkeypatch.context() as changed:
        changed.setattr("inference.verify.versions", lambda: versions.versions() | {"numpy": "1.0"})
        text = said(folder)
        assert "not trained again, as versions differ: numpy" in text and "bit for bit" not in text
    without = made(trained, tmp_path / "2", share=["quotes"])
    assert "the bag of words is not in the deposit" in said(without)
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "README.txt").write_text("alone")
    digest = hashlib.sha256(b"alone").hexdigest()
    (bare / "manifest-sha256.txt").write_text(f"{digest}  README.txt\n")
    assert "the bag of words is not in the deposit" in said(bare)
    (folder / "README.txt").write_text("another")
    with pytest.raises(CommandError, match="not as it was made"):
        said(folder)


def test_what_may_not_be_shared_is_left_out_and_named(trained, notebook, tmp_path):
    quote = Document.objects.get(corpus_id=trained.corpus_id, number=5).text[:80]
    folder = made(trained, tmp_path / "1", notebooks=[notebook.pk])
    page = (folder / "notebooks" / "1.html").read_text()
    assert (
        quote[:30] in page
        and "my comment" in page
        and "Another corpus" not in page
        and "its comment" not in page
    )
    assert "href=" not in page  # nothing leads to this server
    without = made(trained, tmp_path / "2", share=[], notebooks=[notebook.pk])
    page = (without / "notebooks" / "1.html").read_text()
    readme = (without / "README.txt").read_text()
    assert quote[:30] not in page and "my comment" in page
    assert "- Passages that notebooks quote." in readme and "- The bag of words" in readme
    with zipfile.ZipFile(without / "bundle.zip") as archive:
        assert "bag_of_words.npz" not in archive.namelist()
        assert "may not be shared" in archive.read("README.txt").decode()
    texts = made(trained, tmp_path / "3", share=["texts"])
    shared = json.loads((texts / "tables" / "texts.json").read_text())["rows"]
    assert len(shared) == trained.corpus.documents and shared[5]["text"].startswith(quote)
    digests = {int(row["document"]): row["sha256"] for row in rows(texts, "documents.csv")}
    for row in shared[:20]:
        assert (
            row["sha256"]
            == digests[row["document"]]
            == hashlib.sha256(row["text"].encode()).hexdigest()
        )


def test_under_embargo_no_text_leaves(trained, notebook, tmp_path):
    quote = Document.objects.get(corpus_id=trained.corpus_id, number=5).text[:80]
    set_embargo(trained.corpus, True)
    try:
        run = Run.objects.get(pk=trained.pk)
        folder = made(run, tmp_path, share=["bag", "quotes", "texts"], notebooks=[notebook.pk])
    finally:
        set_embargo(trained.corpus, False)
    assert quote[:30].encode() not in everything(folder)
    assert "under embargo" in (folder / "README.txt").read_text()
    assert not (folder / "tables" / "texts.json").exists()
    with zipfile.ZipFile(folder / "bundle.zip") as archive:
        assert "bag_of_words.npz" not in archive.namelist()


def test_it_names_no_account_and_no_place_of_this_machine(trained, notebook, settings, tmp_path):
    user = User.objects.local()
    User.objects.filter(pk=user.pk).update(email="ada@private.example")
    body = everything(made(trained, tmp_path, notebooks=[notebook.pk]))
    for secret in (
        b"private.example",
        str(settings.FILES).encode(),
        str(settings.BASE_DIR).encode(),
        b"http://127",
        b"/runs/",
    ):
        assert secret not in body, secret


def test_only_own_notebooks(trained, notebook, tmp_path):
    eve = User.objects.create_user("eve@example.org", "Eve of deposits")
    with pytest.raises(Invalid, match="notebooks"):
        kept.ask(trained, eve, "deposit.zip", answers(notebooks=[notebook.pk]))
    assert DepositForm(None, trained, eve.pk).own == {}
    assert list(DepositForm(None, trained, User.objects.local().pk).own) == [str(notebook.pk)]


def test_hostile_names_stay_data(trained, tmp_path):
    folder = made(
        trained, tmp_path, title=EVIL, creators=f"{EVIL}, O’Brien {ORCID}\n\U0001f600\ufffe é"
    )
    facts = yaml.safe_load((folder / "CITATION.cff").read_text())
    assert facts["title"] == EVIL and facts["authors"][0]["orcid"] == f"https://orcid.org/{ORCID}"
    assert (facts["authors"][0]["family-names"], facts["authors"][0]["given-names"]) == (
        EVIL,
        "O’Brien",
    )
    assert facts["authors"][1] == {"name": "\U0001f600\ufffe é"}
    assert (facts["cff-version"], facts["type"], facts["license"]) == (
        "1.2.0",
        "dataset",
        "CC-BY-4.0",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date-released"])
    page = (folder / "index.html").read_text()
    assert "<script" not in page and "&lt;script&gt;" in page
    assert crate(folder)["./"]["name"] == EVIL
    assert checked(folder)[0] == 0


def crate(folder: Path) -> dict[str, dict]:
    """Entities by @id, checked against every MUST of RO-Crate 1.1 that is about what a deposit has:
    the metadata file, its descriptor, the root, files, and JSON-LD that is flattened."""
    data = json.loads((folder / "ro-crate-metadata.json").read_text())
    context = data["@context"]
    graph = data["@graph"]
    assert context[0] == "https://w3id.org/ro/crate/1.1/context" and data.keys() == {
        "@context",
        "@graph",
    }
    by_id = {entity["@id"]: entity for entity in graph}
    assert len(by_id) == len(graph) and all("@type" in entity for entity in graph)
    descriptor = by_id["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork" and descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root = by_id["./"]
    assert root["@type"] == "Dataset" and root["name"] and root["description"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    assert by_id[root["license"]["@id"]]["name"] and by_id[root["license"]["@id"]]["description"]
    for entity in graph:
        for name, value in entity.items():
            for reference in value if isinstance(value, list) else [value]:
                # flattened: nothing but a reference, to what is described
                if isinstance(reference, dict):
                    assert reference.keys() == {"@id"}
                    assert reference["@id"] in by_id or name == "conformsTo", reference
    files = {name: entity for name, entity in by_id.items() if entity["@type"] == "File"}
    assert {part["@id"] for part in root["hasPart"]} == files.keys()
    for name, entity in files.items():
        body = (folder / name).read_bytes()  # a path relative to the root, that needs no escape
        assert re.fullmatch(r"[\w./-]+", name) and not name.startswith(("/", "."))
        assert (
            entity["contentSize"] == str(len(body))
            and entity["sha256"] == hashlib.sha256(body).hexdigest()
        )
    return by_id


def test_its_metadata_is_an_ro_crate(trained, notebook, tmp_path):
    folder = made(trained, tmp_path, notebooks=[notebook.pk])
    by_id = crate(folder)
    authors = [by_id[author["@id"]] for author in by_id["./"]["author"]]
    assert authors[0] == {
        "@id": f"https://orcid.org/{ORCID}",
        "@type": "Person",
        "name": "Curie, Marie",
        "familyName": "Curie",
        "givenName": "Marie",
    }
    assert (authors[1]["@type"], authors[1]["name"]) == ("Organization", "The Institute")
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    described = {name for name, entity in by_id.items() if entity["@type"] == "File"}
    assert there - described == {"ro-crate-metadata.json", "manifest-sha256.txt"}
    assert by_id["notebooks/1.html"]["name"] == "Evidence <b>"


def naive_orcid(digits: str) -> str:
    """The check digit by ISO 7064, as ORCID's documentation has it."""
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    result = (12 - total % 11) % 11
    return "X" if result == 10 else str(result)


def test_orcids_are_checked():
    assert valid_orcid(ORCID) and valid_orcid("0000-0002-1694-233X")
    for n in range(0, 3_000_000_000_000, 7_654_321_987):
        digits = f"{n:015d}"
        last = naive_orcid(digits)
        spelled = "-".join((digits + last)[i : i + 4] for i in range(0, 16, 4))
        assert valid_orcid(spelled)
        wrong = "0" if last != "0" else "1"
        assert not valid_orcid(spelled[:-1] + wrong)
    assert creator(f"Curie, Marie (https://orcid.org/{ORCID})") == (
        "Curie, Marie",
        "Curie",
        "Marie",
        ORCID,
    )
    assert creator(f"Curie, Marie; {ORCID.lower()}").orcid == ORCID and creator("Plato").orcid == ""


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"creators": "Curie, Marie 0000-0002-1825-0098"}, "its last digit does not fit"),
        ({"creators": "Curie, Marie 0000-0002-1825"}, "was not understood"),
        ({"creators": ORCID}, "was not understood"),
        ({"creators": f"A {ORCID}\nB {ORCID}"}, "Two creators have the same ORCID"),
        ({"creators": " \n "}, "This field is required"),
        ({"title": ""}, "This field is required"),
        ({"title": "x" * 201}, "at most 200"),
        ({"licence": "WTFPL"}, "Select a valid choice"),
        ({"share": ["everything"]}, "Select a valid choice"),
    ],
)
def test_what_can_not_be_is_said_at_its_field(client, trained, sent, said):
    response = client.post(reverse("run_deposit", args=[trained.pk]), ANSWERS | sent)
    html = response.content.decode()
    assert response.status_code == 400 and said in html and not Export.objects.exists()
    if "creators" in sent and sent["creators"].strip():
        assert sent["creators"].split("\n")[0] in html  # what was typed stays


def test_the_page_makes_it(client, trained, notebook):
    url = reverse("run_deposit", args=[trained.pk])
    html = client.get(url).content.decode()
    assert (
        "Topics of " in html
        and "Evidence &lt;b&gt;" in html
        and url in client.get(reverse("run_take", args=[trained.pk])).content.decode()
    )
    response = client.post(url, ANSWERS | {"share": ["bag"], "notebooks": [notebook.pk]})
    assert response["Location"] == reverse("run_take", args=[trained.pk]) + "#made"
    kept.make(Export.objects.get().pk)
    (row,) = client.get(reverse("run_take_json", args=[trained.pk])).json()["made"]
    assert (
        row["status"] == "ready"
        and row["url"].endswith("_deposit.zip")
        and row["sentence"].startswith("Deposit")
    )
    # It is made by a worker alone, and no address gives it by what it says
    assert client.get(reverse("export", args=[trained.pk, "deposit.zip"])).status_code == 404


def test_texts_that_are_shared_are_a_part_of_its_size(trained):
    """Else a deposit that is too large is refused when it has nearly been made."""
    of_shared = {}
    for share in ("bag", "texts"):
        source = deposit.read_source(trained, answers(share=[share]), User.objects.local().pk)
        of_shared[share] = sizes.expected_bytes(deposit.KIND, "zip", source)
    assert of_shared["texts"] - of_shared["bag"] == sizes.TEXT_TOKEN * trained.version.tokens


def test_it_is_bounded_as_other_files_are(trained, settings):
    export = kept.ask(trained, User.objects.local(), "deposit.zip", answers())
    settings.EXPORTS = settings.EXPORTS | {"bytes": 1000}
    kept.make(export.pk)
    export.refresh_from_db()
    assert export.status == "failed" and "which is the most one may have" in export.error
    with pytest.raises(Invalid, match="Use fewer conditions or names"):
        settings.EXPORTS = settings.EXPORTS | {"bytes": 10**10}
        kept.ask(trained, User.objects.local(), "deposit.zip", answers(creators="面" * 1999))


def test_a_browser_opens_it_from_a_file(trained, tmp_path):
    """Its first page leads to the site, and that one back."""
    folder = made(trained, tmp_path)
    away = tmp_path / "elsewhere"
    shutil.move(folder, away)
    for page in away.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text()):
            assert link.startswith("https://") or (page.parent / link).resolve().is_file(), (
                page.name,
                link,
            )
    assert 'href="../index.html"' in (away / "site" / "index.html").read_text()
    assert 'href="../../index.html"' in (away / "site" / "topics" / "0001.html").read_text()
    done = subprocess.run(
        [sys.executable, "-c", BROWSE, (away / "index.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    # The first link leads to the topics, and “Words” from there to the words
    found = json.loads(done.stdout)
    assert (
        found["topics"] > 10 and found["documents"] == trained.topics and found["words"] == "Words"
    )
    assert all(url.startswith("file://") for url in found["asked"])
    assert checked(away)[0] == 0


def test_every_table_is_one_that_there_is(trained):
    form = DepositForm(answers(), trained, User.objects.local().pk)
    assert form.is_valid(), form.errors
    assert [Path(path).stem for path in deposit.describe_deposit(trained, form).tables] == list(
        deposit.TABLES
    )
