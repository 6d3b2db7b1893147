"""From a file in a form to a corpus that is queued for reading, and what is said when that can't
be."""

import gzip
import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tasks.corpora import store_upload
from tests.corpora import as_csv, example_rows
from webapp.intake.file_formats import looking
from webapp.models import Corpus
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db

JSON = {"HTTP_ACCEPT": "application/json"}


def upload(client, *files: tuple[str, bytes], **more):
    return client.post(
        reverse("corpora"),
        {"files": [SimpleUploadedFile(name, content) for name, content in files]},
        **more,
    )


def prepare(client, *files: tuple[str, bytes]) -> tuple[Corpus, str]:
    """The draft of an upload, and its prepare page's address."""
    response = upload(client, *files)
    assert response.status_code == 302, response.content
    return Corpus.objects.latest("pk"), response.url


def fields(client, url: str) -> dict:
    """What a user sends who changes nothing."""
    form = client.get(url).context["page"].form
    values = {name: form[name].value() for name in form.fields}
    return {
        name: value for name, value in values.items() if value is not None and value is not False
    }


def test_a_draft_keeps_the_files_as_they_came(client, settings):
    content = as_csv(example_rows(30))
    corpus, url = prepare(client, ("speeches_of_1790.csv", content))
    file = corpus.files.get()
    assert (
        corpus.name == "speeches of 1790"
        and corpus.status == "draft"
        and corpus.bytes_total == len(content)
    )
    assert (settings.FILES / file.path).read_bytes() == content
    assert url == reverse("corpus_prepare", args=[corpus.pk])
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())


def test_the_script_gets_json(client):
    response = upload(client, ("a.txt", b"some text"), **JSON)
    assert response.status_code == 201 and response.json()["url"].endswith("/prepare/")
    assert "empty" in upload(client, ("a.txt", b""), **JSON).json()["error"]
    assert client.post(reverse("corpora"), {}, **JSON).status_code == 400


def test_without_a_script_the_sentence_stands_on_the_page(client):
    response = client.post(reverse("corpora"), {}, follow=True)
    assert "Choose at least one" in response.content.decode() and response.status_code == 400


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("photo.csv", b"\x89PNG\r\n\x1a\n" + bytes(90), "its content is a PNG picture"),
        ("a.xyz", b"words", "a file extension that Topograph does not know"),
        ("a.zip", b"not a zip", "(ZIP archive)"),
        ("a.jsonl", b"no json\n", "one JSON object a line"),
        ("a.csv.gz", b"id,text\n1,plain\n", "not compressed by gzip"),
    ],
)
def test_what_can_not_be_read_is_refused_and_leaves_nothing(client, settings, name, content, said):
    before = set((settings.FILES / "corpora").glob("*")), Corpus.everything.count()
    response = upload(client, (name, content))
    page = response.content.decode()
    assert response.status_code == 400 and said in page and name in page
    response = upload(client, (name, content), **JSON)
    assert response.status_code == 400 and said in response.json()["error"]
    assert (set((settings.FILES / "corpora").glob("*")), Corpus.everything.count()) == before
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.iterdir())


def test_a_hostile_name_is_a_label(client, settings):
    corpus, url = prepare(client, ("<img src=x onerror=alert(1)>.csv", as_csv(example_rows(30))))
    page = client.get(url).content.decode()
    assert "<img" not in page and "&lt;img src=x" in page
    folder = files.corpus_folder(corpus.pk) / "source"
    assert [p.name for p in folder.iterdir()] == ["000000"]


def test_options_are_kept_and_the_corpus_is_queued(client):
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    values = fields(client, url) | {
        "name": "New name",
        "extra_stop_words": "Fellow, citizens\nhonor",
        "max_share": "40",
        "language": "en",
    }
    assert client.post(url, values).url == reverse("corpus", args=[corpus.pk])
    corpus.refresh_from_db()
    assert corpus.status == "queued" and corpus.name == "New name"
    assert corpus.settings["extra_stop_words"] == ["citizens", "fellow", "honor"]
    assert corpus.settings["max_share"] == 0.4
    assert corpus.settings["options"]["text"] == 5
    assert client.get(url).status_code == 302  # no second reading


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": "0", "id": "0"}, "different columns"),
        ({"min_documents": "0"}, "must be at least 1, got 0"),
        ({"max_share": "250"}, "must be at most 100, got 250"),
        ({"language": "xx"}, "“Language” must be one of “”, “"),
        ({"text": "99"}, "“Text” must be one of “0”, “1”"),
        ({"name": ""}, "“Name of the corpus” must not be empty"),
    ],
)
def test_wrong_options_are_form_errors(client, change, said):
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(30))))
    response = client.post(url, fields(client, url) | change)
    assert response.status_code == 400 and said in response.content.decode()
    corpus.refresh_from_db()
    assert corpus.status == "draft"


def test_the_preview_can_be_read_again_in_another_way(client):
    rows = "id,text\n" + "".join(f"{i},Привет мир и все люди\n" for i in range(30))
    corpus, url = prepare(client, ("a.csv", rows.encode("cp1251")))
    values = fields(client, url) | {"encoding": "koi8-r", "preview": "1"}
    assert "Привет" not in client.post(url, values).content.decode()
    page = client.post(url, values | {"encoding": "cp1251"}).content.decode()
    assert "Привет мир" in page
    corpus.refresh_from_db()
    assert corpus.status == "draft"


def test_several_files_are_one_corpus(client):
    corpus, url = prepare(
        client, *[(f"letter {i}.txt", f"letter number {i}".encode()) for i in range(12)]
    )
    assert [f.name for f in corpus.files.all()] == [f"letter {i}.txt" for i in range(12)]
    assert "letter 3.txt" in client.get(url).content.decode()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "jsonl", "zip"])
def test_every_format_has_a_prepare_page(client, kind):
    rows = example_rows(20)
    if kind == "zip":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for row in rows[1:]:
                archive.writestr(f"{row[0]}.txt", row[5])
        content = buffer.getvalue()
    elif kind == "jsonl":
        import orjson

        content = b"\n".join(orjson.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
    else:
        content = (
            as_csv(rows)
            if "csv" in kind
            else "\n".join(
                "\t".join(c.replace("\t", " ").replace("\n", " ") for c in r) for r in rows
            ).encode()
        )
        content = gzip.compress(content) if kind.endswith("gz") else content
    _, url = prepare(client, (f"a.{kind}", content))
    page = client.get(url)
    assert page.status_code == 200 and "Fellow-Citizens" in page.content.decode()


def test_example_is_queued_at_once(client):
    response = client.post(reverse("example"))
    corpus = Corpus.objects.latest("pk")
    assert response.url == reverse("corpus", args=[corpus.pk])
    assert (
        corpus.status == "queued"
        and corpus.settings["language"] == "en"
        and corpus.settings["options"]["text"] == 5
    )


def test_the_language_is_found_and_said(client):
    rows = [
        ["id", "text"],
        *[
            [
                str(i),
                (
                    "Les élections législatives ont été précédées d’une campagne animée, et la"
                    f" ville {i} a voté."
                ),
            ]
            for i in range(9)
        ],
    ]
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    assert fields(client, url)["language"] == "fr"
    assert "It seems to be French." in client.get(url).content.decode()
    _, url = prepare(client, ("a.csv", as_csv([["id", "text"], ["1", "123 456"], ["2", "789"]])))
    assert (
        not fields(client, url)["language"]
        and "We can’t tell which language" in client.get(url).content.decode()
    )


def test_each_of_several_texts_can_have_its_own_encoding(client):
    french = "Les élections ont été précédées d’une campagne animée à Paris, où l’été était chaud."
    russian = "Москва является столицей России и крупнейшим городом."
    _, url = prepare(
        client, ("a.txt", french.encode("cp1252")), ("b.txt", russian.encode("koi8-r"))
    )
    assert fields(client, url)["encoding"] == "detect"
    _, url = prepare(client, ("a.txt", french.encode("cp1252")), ("b.txt", french.encode("cp1252")))
    assert fields(client, url)["encoding"] == "cp1252"


def test_what_columns_hold_is_guessed_shown_and_changeable(client):
    rows = [["id", "when", "price", "grade", "text"]]
    rows += [
        [
            str(i),
            f"{i % 9 + 1}/{i % 7 + 2}/1999",
            f"{i * 2.5}",
            str(i % 3),
            f"words of text number {i} " * 9,
        ]
        for i in range(40)
    ]
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    values = fields(client, url)
    assert values["date"] == 1 and values["kind_2"] == "number" and values["kind_3"] == "category"
    page = client.get(url).content.decode()
    assert (
        "What the other columns hold" in page
        and "12/3/1999 is" in page
        and "3 December 1999" in page
    )
    assert (
        client.post(url, values | {"date_order": "xyz"}).status_code == 400
        and client.post(url, values | {"kind_2": "x"}).status_code == 400
    )
    assert client.post(url, values | {"date_order": "mdy", "kind_3": "number"}).status_code == 302
    corpus.refresh_from_db()
    options = corpus.settings["options"]
    assert (
        options["date_order"] == "mdy"
        and options["kinds"]["grade"] == "number"
        and options["kinds"]["price"] == "number"
    )


def test_nothing_is_asked_that_is_clear(client):
    _, url = prepare(
        client,
        (
            "a.csv",
            as_csv(
                [
                    ["date", "text"],
                    *[[f"19{i}-03-12", f"words of text {i} " * 9] for i in range(10, 40)],
                ]
            ),
        ),
    )
    page = client.get(url).content.decode()
    assert "12/3/1999 is" not in page and "What the other columns hold" not in page


# What takes longer than a page can wait
# ---------------------------------------------------------------------------------


def test_a_worker_looks_into_files_where_a_page_can_not_wait(client, monkeypatch):
    monkeypatch.setattr(looking, "PAGE_SECONDS", 0.0)
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(30))))
    assert client.get(url).url == reverse("corpus", args=[corpus.pk])
    corpus.refresh_from_db()
    assert corpus.stage == "queued" and corpus.upload.question
    page = client.get(reverse("corpus", args=[corpus.pk])).content.decode()
    assert "We are looking into the files" in page and 'data-state="looking"' in page
    store_upload(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "draft" and not corpus.unstored
    page = client.get(url)  # what the worker saw; the sample is still more than a page may read
    assert (
        page.context["page"].sniff.options.text == 5
        and "took longer than 0 seconds" in page.context["page"].trouble
    )
    monkeypatch.setattr(looking, "PAGE_SECONDS", 60.0)
    assert client.get(url).context["page"].sample.documents == 30
    client.post(url, fields(client, url))
    assert not (files.corpus_folder(corpus.pk) / "looks").exists()


def test_what_a_worker_can_not_find_out_either_is_said(client, monkeypatch):
    monkeypatch.setattr(looking, "PAGE_SECONDS", 0.0)
    monkeypatch.setattr(looking, "JOB_SECONDS", 0.0)
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(30))))
    client.get(url)
    store_upload(corpus.pk)
    page = client.get(url, follow=True).content.decode()
    assert "took longer than 0 seconds. By then no text had been found." in page
    corpus.refresh_from_db()
    assert corpus.status == "failed"
    assert client.get(url, follow=True).status_code == 200  # and again: no loop, no crash
