"""What pages show of a choice of words before it is made, and the versions that choices make."""

import gzip
import io
import random
import re
import secrets
import threading
import time
import zipfile
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from inference import engines
from inference.errors import Invalid
from inference.text import Stream, Tokeniser, VocabularyChoice, choose, stop_words, variants
from tasks.corpora import choose as make, read_corpus, store_upload
from tests.corpora import as_csv, example_rows
from tests.webapp.intake.ingest.test_upload import fields, prepare
from tests.webapp.page_text import in_one_line
from webapp.core.asked_training.forms import TrainForm
from webapp.core.documents import wording
from webapp.core.runs import services as runs
from webapp.intake.file_formats import looking
from webapp.intake.ingest import (
    corpora,
    looks,
    reading_forms,
    sample,
    version_history as listing,
    versions,
    word_estimates as queries,
)
from webapp.intake.ingest.asked_reading import AskedWords
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.phrases import proposed
from webapp.intake.ingest.sample import drawing, limits
from webapp.models import Corpus, Document, SourceFile, Upload, Version, Word
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.storage import files
from webapp.service.corpora.shapes import NewVersion

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """On a busy machine, too, all of a small file is read."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 60.0)


@pytest.fixture
def own(draft):
    """A corpus of a test's own that has been read."""
    from tests.webapp.making import corpus_of

    return corpus_of(draft, example_rows(120), "own.csv", language="en", min_documents=2)


def changed(client, url: str, **values):
    """The page's answer to a change of the form that it proposes."""
    Upload.objects.update(choices=None)
    return client.post(url, fields(client, url) | values | {"preview": "1"})


def test_the_first_documents_are_shown_as_they_will_be_read(client):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    answer = client.get(url)
    shown = answer.context["page"].sample
    page = in_one_line(answer)
    rows = example_rows(60)
    assert (
        shown.whole
        and shown.documents == shown.of == 60
        and shown.characters == shown.of_characters
    )
    assert [d["title"] for d in shown.first] == [row[1] for row in rows[1 : 1 + len(shown.first)]]
    assert shown.first[0]["day"] == "1790-01-01" and "read from “<bdi>1790</bdi>”" in page
    assert (
        " ".join(rows[1][5][:100].split()) in page
        and ["president", "George Washington", "category"] in shown.first[0]["fields"]
    )


def test_the_preview_says_that_rows_have_no_titles_until_a_column_is_chosen(client):
    says = "These rows have no titles"
    rows = [[row[5], row[3]] for row in example_rows(60)]
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    page = in_one_line(client.get(url))
    assert says in page and 'href="#id_title">Choose a column under “Title”</a>' in page
    assert says not in in_one_line(changed(client, url, title="1"))
    _, url = prepare(client, ("b.csv", as_csv(example_rows(60))))
    assert says not in in_one_line(client.get(url))


def test_the_beginning_of_a_text_ends_with_a_word(client):
    rows = example_rows(60)
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    for row, document in zip(rows[1:], client.get(url).context["page"].sample.first, strict=False):
        beginning = document["text"].removesuffix(" …")
        assert beginning != document["text"]
        assert row[5].startswith(beginning) and row[5][len(beginning)].isspace()


def test_words_are_counted_as_they_will_be(client, tmp_path):
    rows = example_rows(250)
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    words = client.get(url).context["page"].words
    with Stream.write(tmp_path / "tokens", Tokeniser()) as stream:
        stream.add([row[5] for row in rows[1:]], [""] * 250)
        stream.commit()
    alike = variants.find(Stream.open(tmp_path / "tokens"), "en")
    choice = VocabularyChoice(stop_words=stop_words("en"), min_documents=2, variants=tuple(alike))
    bow, vocabulary = choose(Stream.open(tmp_path / "tokens"), choice, tmp_path / "bow")
    assert words.vocabulary == bow.V and words.counted == bow.tokens and words.whole
    assert [row.word for row in words.kept[:3]] and {row.word for row in words.kept} <= set(
        vocabulary.words
    )
    documents = dict(zip(vocabulary.words, vocabulary.documents.tolist(), strict=True))
    assert all(documents[row.word] == row.documents == 2 for row in words.enough)
    assert all(row.documents == 1 for row in words.too_rare)
    frequent = {row.word: row.documents for row in words.too_frequent}
    assert frequent and not frequent.keys() & documents.keys() and min(frequent.values()) > 25
    assert words.outside == pytest.approx(
        1
        - bow.tokens
        / (
            bow.tokens
            + sum(
                tokens
                for reason, (_, tokens) in vocabulary.dropped.items()
                if reason in ("too rare", "spread evenly")
            )
        )
    )
    assert {row.reason: (row.words, row.tokens) for row in words.left_out} == vocabulary.dropped


def test_a_change_is_shown_and_nothing_is_done(client):
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    before = client.get(url).context["page"].words
    answer = changed(client, url, max_share="20", min_documents="1")
    after = answer.context["page"].words
    assert answer.status_code == 200 and after.vocabulary > before.vocabulary
    assert len(after.too_frequent) > len(before.too_frequent)
    corpus.refresh_from_db()
    assert corpus.status == "draft"


@pytest.mark.parametrize(
    ("documents", "few"), [(engines.FEW_DOCUMENTS - 1, True), (engines.FEW_DOCUMENTS, False)]
)
def test_a_preview_says_that_few_topics_can_be_learned_of_few_documents(documents, few):
    """The first lesson promises it."""
    scale = queries.Scale(documents, whole=True)
    times = queries.training_times(scale, documents, tokens=90_000)
    said = "From fewer than about 300 documents only a few broad topics can be learned."
    assert times.too_few == (said if few else "")


def test_the_preview_says_that_sixty_documents_are_few(client):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    answer = client.get(url).content.decode()
    before_choices = answer[: answer.index('id="change"')]
    assert queries.TOO_FEW in before_choices, "only who changes how it is read sees it"
    assert answer.count(queries.TOO_FEW) == 1


def test_the_form_of_a_training_says_that_documents_are_few(ready, monkeypatch):
    for number, few in ((ready.version.rows + 1, True), (ready.version.rows, False)):
        monkeypatch.setattr(engines, "FEW_DOCUMENTS", number)
        help_text = TrainForm(corpus=ready).fields["topics"].help_text
        assert (queries.TOO_FEW in help_text) == few


def test_the_form_of_a_training_says_what_as_many_topics_take_as_it_begins_with(client, ready):
    usual = engines.suggest_topics(ready.tokens, engines.DEFAULT, ready.vocabulary)
    page = reverse("corpus", args=[ready.pk])
    for query, topics in (("", usual), ("?topics=7", 7), ("?topics=many", usual)):
        said = f"With {topics} topics a run takes about"
        assert said in in_one_line(client.get(page + query)), query


def test_the_form_that_has_counted_named_words_says_what_its_own_number_of_topics_takes(
    client, ready
):
    sent = {"topics": "7", "seed": "0", "seeds": "Peace: peace, war, treaty", "count": "1"}
    answer = client.post(reverse("corpus_runs", args=[ready.pk]), sent)
    assert "With 7 topics a run takes about" in in_one_line(answer)


def test_what_is_chosen_is_there_for_whoever_comes_back(client):
    """The form is kept with each change, until the files are read, or until what we propose is
    asked for again."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    proposed = fields(client, url)
    chosen = {
        "name": "Speeches\0",
        "min_documents": "3",
        "title": "",
        "extra_stop_words": "shall",
        "sections": "words",
        "length": "300",
    }
    data = {name: value for name, value in proposed.items() if name != "train"} | chosen
    assert client.post(url, data | {"preview": "1"}).status_code == 200
    back = client.get(url)
    form = back.context["page"].form
    shaping = back.context["page"].shaping
    shown = {
        name: form[name].value() for name in ("name", "min_documents", "title", "extra_stop_words")
    }
    assert shown == {
        "name": "Speeches",
        "min_documents": "3",
        "title": "",
        "extra_stop_words": "shall",
    }
    assert (
        not form["train"].value()
        and shaping["sections"].value() == "words"
        and shaping["length"].value() == "300"
    )
    assert (
        back.context["page"].sample.first[0]["title"] == ""
        and "choices that were made on this page before" in back.content.decode()
    )
    again = client.post(url, {"propose": "1"})
    assert again.status_code == 200 and again.context["page"].form["min_documents"].value() == 2
    assert fields(client, url) == proposed
    client.post(url, data | {"preview": "1", "leave_out": "may"})
    assert client.get(url).context["page"].form["extra_stop_words"].value() == "shall may"
    assert client.post(url, fields(client, url) | {"name": "Speeches"}).status_code == 302
    corpus.refresh_from_db()
    assert corpus.status == "queued" and corpus.upload.choices is None
    assert corpus.settings["min_documents"] == 3 and corpus.settings["extra_stop_words"] == [
        "may",
        "shall",
    ]


@pytest.mark.parametrize(
    ("chosen", "unit"),
    [("", None), (reading_forms.EACH_DOCUMENT, ""), ("president", "president")],
    ids=["unknown", "each", "a column"],
)
def test_who_speaks_is_asked_once(client, chosen, unit):
    """It is the corpus's, and what its page and a form that is opened again are preset with."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    form = client.get(url).context["page"].form
    assert (form["unit"].value(), form.fields["unit"].choices[0]) == (
        "",
        ("", "to be found in the texts"),
    )
    places = {name: place for place, name in form.fields["unit"].choices}
    client.post(url, form.sent() | {"unit": places.get(chosen, chosen)})
    corpus.refresh_from_db()
    assert (corpus.status, corpus.unit) == ("queued", unit)
    Corpus.objects.filter(pk=corpus.pk).update(status="failed")
    assert str(client.get(url).context["page"].form["unit"].value()) == str(
        places.get(chosen, chosen)
    )


def test_what_is_chosen_outlasts_a_look_by_a_worker(client, monkeypatch):
    """A change after which the page can't wait for what the files are then leads away from it."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(30))))
    data = fields(client, url) | {"delimiter": ";", "min_documents": "2"}
    with monkeypatch.context() as patched:
        patched.setattr(looking, "PAGE_SECONDS", 0.0)
        assert client.post(url, data | {"preview": "1"}).url == reverse("corpus", args=[corpus.pk])
    with pytest.raises(Invalid, match="being read already"):  # a worker has the files
        corpora.read(corpus, ReadingSettings())
    store_upload(corpus.pk)
    form = client.get(url).context["page"].form
    assert (form["delimiter"].value(), form["min_documents"].value()) == (";", "2")


def test_a_preview_that_is_overtaken_by_the_reading_leads_to_the_corpus(client, monkeypatch):
    """The button is pressed while the preview of the last change is still counted."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    data = fields(client, url)
    sample.remove_samples(corpus)  # it is counted anew
    draw_sample = drawing.draw_sample

    def overtaken(*given):
        drawn = draw_sample(*given)
        monkeypatch.setattr(drawing, "draw_sample", draw_sample)
        Corpus.objects.filter(pk=corpus.pk).update(status=Corpus.Status.QUEUED)
        sample.remove_samples(corpus)
        return drawn

    monkeypatch.setattr(drawing, "draw_sample", overtaken)
    answer = client.post(url, data | {"preview": "1"})
    assert answer.status_code == 302 and answer.url == f"/corpora/{corpus.pk}/"


def test_a_preview_that_nobody_waits_for_has_no_worker_look(client, monkeypatch):
    """The browser ends a preview when another change, or the button, replaces it."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    data = fields(client, url)
    sample.remove_samples(corpus)
    left = threading.Event()
    left.set()
    with monkeypatch.context() as patch:
        patch.setattr(
            "webapp.service.corpora.draft_views.looked_into",
            lambda request: looking.within(60.0, left.is_set),
        )
        assert client.post(url, data | {"preview": "1"}).status_code == 302
    corpus.refresh_from_db()
    assert corpus.status == "draft" and not corpus.unstored
    assert client.post(url, data).status_code == 302
    corpus.refresh_from_db()
    assert corpus.status == "queued" and not corpus.unstored


@pytest.mark.parametrize("taken", ["sample", "looks"])
def test_a_preview_whose_sample_another_request_takes_away_is_counted_again(
    client, monkeypatch, taken
):
    """Of several previews of a draft at once each clears away what is old."""
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    data = {name: value for name, value in fields(client, url).items() if name != "html"}
    sample.remove_samples(corpus)
    took = []
    opened = Stream.open
    token = secrets.token_hex

    def overtaken(go_on, *given):
        if not took:
            took.append(taken)
            sample.remove_samples(corpus)
        return go_on(*given)

    if taken == "sample":
        monkeypatch.setattr(Stream, "open", partial(overtaken, opened))
    else:
        monkeypatch.setattr(looks, "secrets", SimpleNamespace(token_hex=partial(overtaken, token)))
    answer = client.post(url, data | {"preview": "1"})
    assert took and answer.status_code == 200 and answer.context["page"].words.kept


def test_a_word_is_left_out_and_a_stop_word_kept(client):
    corpus, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    first = client.get(url).context["page"].words.kept[0].word
    answer = client.post(
        url, fields(client, url) | {"leave_out": first, "kept_words": ["great", "the"]}
    )
    words = answer.context["page"].words
    assert answer.context["page"].form["extra_stop_words"].value() == first
    assert first not in {row.word for row in words.kept}
    assert [row.word for row in words.stops if row.kept] == ["great", "the"]
    assert "the" in {row.word for row in words.kept}  # however evenly it is spread
    few = fields(client, url) | {"max_share": "20", "preview": "1"}
    frequent = client.post(url, few).context["page"].words.too_frequent[0].word
    kept = client.post(url, few | {"keep": frequent}).context["page"].words
    assert frequent in {row.word for row in kept.kept} and frequent not in {
        row.word for row in kept.too_frequent
    }
    client.post(
        url, fields(client, url) | {"extra_stop_words": first, "kept_words": ["great", "the"]}
    )
    corpus.refresh_from_db()
    assert corpus.settings["kept_words"] == ["great", "the"] and corpus.settings[
        "extra_stop_words"
    ] == [first]
    assert not (files.corpus_folder(corpus.pk) / "sample").exists()


def test_the_passage_says_what_becomes_of_each_word(client):
    text = "The well-known 19th-century traders don't trade. " * 3
    rows = [["id", "text"], *([str(i), text] for i in range(20))]
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    options = {"max_share": "100", "language": "en"}
    assert {"well", "known", "traders", "trade", "century"} - {"well", "known"} <= set(
        changed(client, url, **options).context["page"].words.passage.after
    )
    joined = (
        changed(client, url, **options, hyphens="join", forms="stems").context["page"].words.passage
    )
    assert {"well-known", "trader", "trade"} & set(
        joined.after
    ) and "19th-centuri" not in joined.after
    numbers = changed(client, url, **options, numbers="on").context["page"].words.passage
    assert "19th" in numbers.after
    assert "".join(piece.text for piece in numbers.pieces) in text


def test_a_thousand_identical_documents_are_read_with_thresholds_that_say_so(client):
    rows = [
        ["id", "text"],
        *([f"k{i % 900}", "The same words on ships and harbours."] for i in range(1000)),
    ]
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    page = client.get(url)
    assert (
        page.context["page"].form["max_share"].value() == "100"
        and page.context["page"].words.vocabulary == 3
    )
    assert "each training finds other topics" in page.content.decode()
    client.post(url, fields(client, url))
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready" and corpus.vocabulary == 3 and corpus.documents == 1000
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert (
        "999 documents" in page
        and "100 ids of your own stand on several documents, such as “<bdi>k0</bdi>”" in page
    )


def test_the_page_of_two_thousand_columns_takes_seconds(client):
    rows = [
        [f"c{i}" for i in range(2_000)],
        *([f"{n}.{i}7" for i in range(1_999)] + ["some words " * 9] for n in range(60)),
    ]
    began = time.process_time()
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    assert client.get(url).context["page"].form["text"].value() == 1_999
    assert time.process_time() - began < 15  # of 88, on an idle machine


def test_usual_documents_keep_the_usual_thresholds(client):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(60))))
    page = client.get(url)
    assert (
        page.context["page"].form["max_share"].value() == "100" and not page.context["page"].adapted
    )


def test_what_can_not_be_is_said_beside_the_options(client):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(30))))
    answer = changed(client, url, language="th", forms="stems")
    assert answer.status_code == 200 and "no stems for this language" in answer.content.decode()
    assert answer.context.get("words") is None
    assert "Correct what is marked" in changed(client, url, min_documents="0").content.decode()
    assert (
        client.post(url, fields(client, url) | {"encoding": "bogus", "preview": "1"}).status_code
        == 200
    )
    assert "No words are left" in changed(client, url, min_documents="1000").content.decode()


def test_columns_are_guessed_anew_where_the_file_is_cut_otherwise(client):
    rows = "id;text\n" + "".join(f"{i};a, b and word{i} of the text\n" for i in range(30))
    corpus, url = prepare(client, ("a.csv", rows.encode()))
    assert client.get(url).context["page"].form["delimiter"].value() == ";"
    semicolon = client.get(url).context["page"].columns
    comma = client.post(
        url, fields(client, url) | {"columns": semicolon, "delimiter": ",", "preview": "1"}
    )
    assert comma.context["page"].columns != semicolon
    assert [len(row) for row in comma.context["page"].sniff.rows][0] == 2
    corpus.refresh_from_db()
    assert corpus.status == "draft"


def test_a_header_below_titles_is_said_and_can_be_changed(client):
    table = as_csv(example_rows(60)).decode()
    corpus, url = prepare(client, ("a.csv", f"Export of 3 March\n\nBy,somebody\n{table}".encode()))
    answer = client.get(url)
    assert "were found in row 4. The rows above it are not read." in answer.content.decode()
    assert (
        answer.context["page"].form["header_row"].value() == 4
        and answer.context["page"].sample.documents == 60
    )
    seen = {name: getattr(answer.context["page"], name) for name in ("columns", "header_of")}
    other = changed(client, url, **seen, header_row="1")
    assert (
        other.context["page"].sniff.columns[0] == "Export of 3 March"
        and not other.context["page"].sniff.options.header_row
    )
    back = changed(
        client,
        url,
        columns=other.context["page"].columns,
        header_of=seen["header_of"],
        header_row="4",
    )
    assert (
        back.context["page"].sniff.columns == example_rows(1)[0]
        and back.context["page"].form["text"].value() == "5"
    )
    assert (
        "must be at least 1, got 0" in changed(client, url, **seen, header_row="0").content.decode()
    )
    client.post(url, {"propose": "1"})
    client.post(url, fields(client, url) | seen)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.documents == 60 and corpus.settings["options"]["header_row"] == 4


def test_html_in_the_text_becomes_text_unless_that_is_declined(client):
    rows = [["id", "text"]] + [
        [f"k{i}", f"<p>The caf&eacute; number {i}</p><script>alert(1)</script>"] for i in range(20)
    ]
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    answer = client.get(url)
    assert "Tags and entities of HTML in the text become plain text." in answer.content.decode()
    assert answer.context["page"].sample.first[0]["text"] == "The café number 0"
    kept = client.post(
        url, {k: v for k, v in fields(client, url).items() if k != "html"} | {"preview": "1"}
    )
    assert kept.context["page"].sample.first[0]["text"] == rows[1][1]
    assert (
        "<script>alert" not in kept.content.decode()
        and "&lt;script&gt;alert" in kept.content.decode()
    )
    client.post(url, {"propose": "1"})
    client.post(url, fields(client, url) | {"min_documents": "1", "max_share": "1"})
    read_corpus(corpus.pk)
    for document in Document.objects.filter(corpus_id=corpus.pk):
        assert document.text == f"The café number {document.number}"
    stream = Stream.open(files.corpus_folder(corpus.pk) / "tokens")
    assert stream.starts.of([0], [4]).tolist() == [0, 4, 9, 16]


def test_a_sample_is_bounded_and_spread_over_the_files(client, monkeypatch):
    monkeypatch.setattr(limits, "CHARACTERS", 20_000)
    monkeypatch.setattr(limits, "MOST_FILES", 5)
    content = [
        (f"{i:02d}.txt", f"Text {i}. ".encode() + b"many words of some length " * 400)
        for i in range(20)
    ]
    corpus, url = prepare(client, *content)
    taken, stream = sample.take_sample(corpus, ReadingSettings(options={"format": "text"}))
    # Each has half of what may be read
    assert taken.documents == taken.files == 2 < taken.of_files == 20 and not taken.whole
    assert stream.D == 2 and queries.scale_of_sample(taken).documents == pytest.approx(20, rel=0.05)


def test_what_fits_into_a_sample_is_read_in_full(client):
    letters = [
        (
            f"{i:02d}.txt",
            f"Letter {i} on ships{' and harbours' * i}, of number{i % 30}, once{i}.".encode(),
        )
        for i in range(60)
    ]
    _, url = prepare(client, *letters)
    answer = changed(client, url, min_documents="2", max_share="100", numbers="on")
    words = answer.context["page"].words
    assert (
        answer.context["page"].sample.whole
        and words.of == words.documents == 60
        and "<small>about</small>" not in answer.content.decode()
    )
    assert {row.word for row in words.too_rare} <= {f"once{i}" for i in range(60)} | {
        str(i) for i in range(60)
    } and words.too_rare
    assert {row.documents for row in words.enough} == {2}

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in letters:
            zipped.writestr(name, text)
    context = client.get(
        prepare(client, ("a.zip", archive.getvalue()), ("b.csv", as_csv(example_rows(75))))[1]
    ).context
    assert context["page"].sample.whole and context["page"].words.of == 135


def test_where_each_file_is_a_document_there_are_as_many(client, monkeypatch):
    monkeypatch.setattr(limits, "CHARACTERS", 20_000)
    _, url = prepare(
        client,
        *((f"{i:02d}.txt", b"many words of some length " * (1 + i % 2 * 60)) for i in range(60)),
    )
    answer = client.get(url)
    assert not answer.context["page"].words.whole and answer.context["page"].words.of == 60
    assert (
        "<small>about</small> 60" not in answer.content.decode()
        and "<dd>60</dd>" in answer.content.decode()
    )


def test_documents_are_estimated_from_files_of_the_same_kind(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 100)
    monkeypatch.setattr(limits, "COUNTED_CHARACTERS", 0)
    row = "some words on ships and harbours " * 10
    many = [["id", "text"], *([str(i), row] for i in range(2000))]
    few = b"".join(b'{"text": "%s"}\n' % (f"{row} {i} ".encode() * 20) for i in range(200))
    answer = client.get(prepare(client, ("a.csv", as_csv(many)), ("b.jsonl", few))[1])
    words = answer.context["page"].words
    assert not words.whole and not words.of_counted and words.of == pytest.approx(2200, rel=0.3)
    assert "<small>about</small>" in answer.content.decode()


def test_a_large_file_is_read_from_its_beginning_alone(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 50)
    _, url = prepare(client, ("a.csv", as_csv(example_rows(3000))))
    context = client.get(url).context
    assert context["page"].sample.documents == 50 and not context["page"].sample.whole
    assert context["page"].words.of > 50 and not context["page"].words.whole
    assert "Estimated from 50 of them" in in_one_line(client.get(url))


def test_a_preview_of_too_few_documents_tells_neither_words_nor_time(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 2)
    monkeypatch.setattr(limits, "MOST_SECONDS", 0.0)
    _, url = prepare(client, ("a.csv", as_csv(example_rows(3000))))
    words = in_one_line(client.get(url))
    assert 'not known yet <span class="aside">too few documents were read' in words
    assert "Not known yet. In the seconds that a preview has" in words
    assert "Reading takes" not in words and "different counted words" not in words


def test_writings_of_one_word_count_as_one_unless_one_says_otherwise(client):
    rows = [
        ["id", "text"],
        *(
            [f"k{i}", "Economic co-operation" if i % 2 else "economic cooperation"]
            for i in range(30)
        ),
    ]
    corpus, url = prepare(client, ("a.csv", as_csv(rows)))
    page = client.get(url).context["page"]
    assert [(row.written, row.word, row.apart) for row in page.words.alike] == [
        ("co-operation", "cooperation", False)
    ]
    assert {row.word: row.tokens for row in page.words.kept} == {"economic": 30, "cooperation": 30}
    apart = changed(client, url, apart="co-operation").context["page"]
    assert [row.apart for row in apart.words.alike] == [True]
    assert {row.word: row.tokens for row in apart.words.kept} == {
        "economic": 30,
        "cooperation": 15,
        "co": 15,
        "operation": 15,
    }
    client.post(url, page.form.sent() | page.shaping.sent())
    read_corpus(corpus.pk)
    version = Corpus.objects.get(pk=corpus.pk).version
    assert version.settings["alike"] == [["co-operation", "cooperation"]]
    assert {word.word: word.tokens for word in Word.objects.filter(version=version)} == {
        "economic": 30,
        "cooperation": 30,
    }
    [marked] = wording.terms(version, ["On co-operation"])
    assert marked[-1] == (3, 15, "cooperation")


def test_documents_of_a_compressed_table_are_estimated_by_what_it_unpacks_to(client, monkeypatch):
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 200)
    monkeypatch.setattr(limits, "COUNTED_CHARACTERS", 0)
    numbers = random.Random(3)
    rows = [
        ["id", "text"],
        *(
            [f"k{i}", " ".join(f"w{numbers.randrange(5000)}" for _ in range(20))]
            for i in range(2400)
        ),
    ]
    page = client.get(prepare(client, ("posts.csv.gz", gzip.compress(as_csv(rows))))[1])
    words = page.context["page"].words
    assert not words.whole and words.of == pytest.approx(2400, rel=0.2)
    assert f"<dd>about {words.of:,}</dd>" in page.content.decode()  # the same in both places
    # No box where nothing is recognised
    assert "whose words don’t count" not in page.content.decode()


@pytest.mark.parametrize("ahead", [0, 1_000_000, 16_000_000])
def test_documents_and_words_are_estimated_where_the_first_texts_are_shorter(
    client, monkeypatch, ahead
):
    """Read on and only counted, the rest of the file says how many there are, and how long they
    are."""
    monkeypatch.setattr(limits, "MOST_DOCUMENTS", 200)
    monkeypatch.setattr(limits, "CHARACTERS", 100_000)
    monkeypatch.setattr(limits, "COUNTED_CHARACTERS", ahead)
    monkeypatch.setattr(limits, "COUNTING_SECONDS", 60.0)
    numbers = random.Random(5)
    lengths = [20] * 250 + [400] * 1000
    rows = [
        ["id", "text"],
        *(
            [f"k{i}", " ".join(f"w{numbers.randrange(5000)}" for _ in range(n))]
            for i, n in enumerate(lengths)
        ),
    ]
    page = client.get(prepare(client, ("texts.csv.gz", gzip.compress(as_csv(rows))))[1]).context[
        "page"
    ]
    assert page.sample.documents == 200 and not page.sample.whole
    assert page.words.of_counted == page.sample.counted == (ahead > 10_000_000)
    assert page.sample.of_characters == pytest.approx(
        sum(len(text) for _, text in rows[1:]), rel=0.1
    )
    if ahead:
        assert page.words.of == pytest.approx(1250, rel=0.3 if ahead < 10_000_000 else 0)
    else:  # the beginning alone can't tell
        assert page.words.of > 10 * 1250


def test_samples_of_several_ways_of_reading_are_kept_and_no_more(client):
    corpus, url = prepare(client, ("a.txt", "été words that are here".encode()))
    for encoding in ("utf-8", "cp1252", "cp1250", "koi8-r", "cp1251", "cp1253"):
        sample.take_sample(
            corpus, ReadingSettings(options={"format": "text", "encoding": encoding})
        )
    folder = files.corpus_folder(corpus.pk) / "sample"
    assert len(list(folder.iterdir())) == sample.KEPT_SAMPLES
    sample.remove_samples(corpus)
    assert not folder.exists()


def test_one_bad_file_does_not_hide_the_others(client):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("a.txt", "A text of a few words.")
        zipped.writestr("b.txt", "")
    answer = client.get(
        prepare(client, ("a.zip", archive.getvalue()), ("c.txt", b"Another text."))[1]
    )
    assert answer.context["page"].sample.documents == 2 and "b.txt" in answer.content.decode()


def test_the_vocabulary_of_the_whole_is_estimated_from_a_part(tmp_path):
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 20_001) ** 1.1
    drawn = rng.choice(20_000, (4_000, 60), p=weights / weights.sum())
    documents = np.bincount(np.concatenate([np.unique(row) for row in drawn]))
    part = np.bincount(np.concatenate([np.unique(row) for row in drawn[:800]]))
    for least in (2, 5):
        found = queries.estimate_vocabulary(part[part > 0], least, queries.Scale(4_000, False), 800)
        assert found == pytest.approx(np.count_nonzero(documents >= least), rel=0.35)
    assert queries.estimate_vocabulary(
        documents[documents > 0], 5, queries.Scale(4_000, True), 4_000
    ) == np.count_nonzero(documents >= 5)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "a few seconds"),
        (61, "a minute"),
        (100, "2 minutes"),
        (4000, "an hour"),
        (90_000, "25 hours"),
        (9e5, "10 days"),
    ],
)
def test_durations_are_said_as_one_says_them(seconds, said):
    assert queries.spoken(seconds) == said


# Languages
# ------------------------------------------------------------------------------------------------------------

IN = {
    "en": (
        "The council of the city has decided that the new bridge over the river will be built next"
        " year with the money of the state. "
    ),
    "de": (
        "Der Rat der Stadt hat beschlossen, dass die neue Brücke über den Fluss im nächsten Jahr"
        " mit dem Geld des Staates gebaut wird. "
    ),
    "fr": (
        "Le conseil de la ville a décidé que le nouveau pont sur la rivière sera construit l’année"
        " prochaine avec l’argent de l’État. "
    ),
}


def test_a_collection_in_several_languages_loses_the_stop_words_of_all(client):
    sent = [
        (f"{code}/{i}.txt", (IN[code] * 3 + f"Nummer {i}").encode())
        for code, n in (("en", 6), ("de", 3), ("fr", 3))
        for i in range(n)
    ]
    corpus, url = prepare(client, *sent)
    page = client.get(url)
    said = page.context["page"].languages
    assert [row.code for row in said.near if row.chosen] == ["de", "fr"] and not {
        "en",
        "de",
        "fr",
    } & {row.code for row in said.others}
    several = page.context["page"].several_languages
    assert several.startswith("English 50%")
    assert f"<dt>languages</dt><dd>{several}</dd>" in page.content.decode()
    assert "It seems to be in several languages: English" in page.content.decode() and said.near[
        0
    ].share == pytest.approx(0.25, abs=0.06)
    assert fields(client, url)["language"] == "en"
    kept = {row.word for row in page.context["page"].words.kept}
    assert {"bridge", "brücke", "pont"} <= kept and not {"the", "der", "le"} & kept
    fewer = client.post(url, fields(client, url) | {"also": ["fr"], "preview": "1"})
    assert "der" in {row.word for row in fewer.context["page"].words.kept}
    assert [row.code for row in fewer.context["page"].languages.near if row.chosen] == ["fr"]
    client.post(url, fields(client, url) | {"also": ["de", "fr", "en"]})
    corpus.refresh_from_db()
    assert corpus.settings["also"] == ["de", "fr"] and corpus.settings["language"] == "en"


def test_methods_and_versions_name_the_languages(own):
    words = VocabularySettings.from_dict(own.version.settings)
    other = Version(
        settings=words.__dict__ | {"also": ["de", "fr"]},
        documents=own.documents,
        report=own.version.report,
    )
    assert listing.difference(own.version, other) == "French and German stop words too"
    assert listing.difference(other, own.version) == "French and German stop words no more"
    assert VocabularySettings.from_dict(other.settings).choice().stop_words == stop_words(
        "en"
    ) | stop_words("de") | stop_words("fr")


# Versions
# -------------------------------------------------------------------------------------------------------------


def test_other_words_make_a_version(client, own):
    url = reverse("corpus_words", args=[own.pk])
    shown = client.get(url).context["page"].words
    assert shown.vocabulary == own.vocabulary and shown.whole
    assert changed(client, url, numbers="on").context["page"].words.vocabulary > shown.vocabulary
    assert own.versions.count() == 1
    answer = client.post(
        url,
        fields(client, url)
        | {
            "extra_stop_words": "war peace treaty nation duty",
            "min_documents": "4",
        },
    )
    assert answer.url == reverse("corpus", args=[own.pk])
    version = own.versions.get(number=2)
    assert version.status == "queued"
    page = client.get(answer.url)
    assert (
        page.context["page"].making == NewVersion(2, "queued", "", "")
        and "Version 2: waiting for a worker" in page.content.decode()
    )
    assert client.get(reverse("corpus_json", args=[own.pk])).json()["making"]["number"] == 2
    make(version.pk)
    page = client.get(answer.url).content.decode()
    assert (
        "5 more stop words (duty, nation, peace, treaty …)" in page
        and "words in at least 4 documents instead of 2" in page
    )
    own.refresh_from_db()
    assert own.version_id == version.pk and own.vocabulary < shown.vocabulary


def test_while_a_version_is_made_there_is_no_other(client, own):
    url = reverse("corpus_words", args=[own.pk])
    values = fields(client, url)
    client.post(url, values)
    answer = client.post(url, values)
    assert answer.status_code == 400 and "is being made" in answer.content.decode()
    assert own.versions.count() == 2
    for name in ("corpus_words", "corpus_phrases"):
        page = in_one_line(client.get(reverse(name, args=[own.pk])))
        assert (
            "Version 2 is waiting to be made" in page
            and "Make version" not in page
            and "Make a version" not in page
        )


def test_no_bytes_are_shown_where_none_are_read(client, own):
    url = reverse("corpus", args=[own.pk])
    client.post(
        reverse("corpus_words", args=[own.pk]),
        fields(client, reverse("corpus_words", args=[own.pk])),
    )
    assert "<progress max" not in client.get(url).content.decode()
    Corpus.objects.filter(pk=own.pk).update(bytes_total=own.bytes_total + 10)
    assert "<progress max" in client.get(url).content.decode()


def test_words_come_from_the_page_of_words_to_train_without(client, own):
    answer = client.post(
        reverse("corpus_words", args=[own.pk]), {"words": ["war", "peace"], "more": "treaty, duty"}
    )
    assert answer.status_code == 200 and own.versions.count() == 1
    assert answer.context["page"].form["extra_stop_words"].value().split() == [
        "war",
        "peace",
        "treaty",
        "duty",
    ]


def test_a_version_that_failed_is_said(client, own):
    own.versions.create(
        number=2,
        status=Version.Status.FAILED,
        error="Too few words.",
        settings=own.version.settings,
    )
    page = client.get(reverse("corpus", args=[own.pk])).content.decode()
    assert "Version 2 could not be made" in page and "Too few words." in page


def test_a_run_of_an_older_version_says_so(client, own):
    run = runs.create(own.version, topics=3)
    assert "Trained on version" not in client.get(reverse("run", args=[run.pk])).content.decode()
    make(
        versions.choose(
            own,
            VocabularySettings(
                language="en", min_documents=2, max_share=1.0, phrases=["united states"]
            ),
        ).pk
    )
    assert "Trained on version 1" in (
        page := client.get(reverse("run", args=[run.pk])).content.decode()
    )
    assert "1 more phrase (united states)" in page
    corpus_page = client.get(reverse("corpus", args=[own.pk])).content.decode()
    assert 'data-label="words">version 1</td>' in corpus_page


def test_apostrophes_divide_as_before_in_versions_that_are_there():
    """One that was made before there was a choice of clitics, or of apostrophes at all."""
    before = vars(VocabularySettings(apostrophes="split"))
    assert VocabularySettings.from_dict(before).apostrophes == "split"
    oldest = {name: value for name, value in before.items() if name != "apostrophes"}
    assert VocabularySettings.from_dict(oldest).apostrophes == "split"
    assert VocabularySettings().choice().apostrophes == "clitics"
    said = listing.difference(
        Version(settings=before), Version(settings=vars(VocabularySettings()))
    )
    assert said == "apostrophes separate only what the language ties to words"


@pytest.mark.parametrize("typed", ["Aujourd’hui", "aujourd'hui"])
def test_words_that_count_may_be_typed_with_any_apostrophe(typed):
    settings = VocabularySettings(
        language="fr", kept_words=[typed], extra_stop_words=["aujourd'hui", "aujourd’hui", "mais"]
    )
    choice = settings.choice()
    assert "aujourd'hui" in choice.kept
    assert "mais" in choice.stop_words
    assert not {"aujourd'hui", "aujourd’hui"} & choice.stop_words


def test_a_typed_phrase_has_the_apostrophe_of_a_proposed_one():
    asked = AskedWords(phrases=["Holy  Qur’an", "holy qur'an", "Holy_Qurʼan"])
    assert asked.phrases == ["holy qur'an"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kept_words": ["not"]}, "1 more word that counts nevertheless (not)"),
        ({"forms": "stems"}, "stems"),
        ({"numbers": True}, "numbers count"),
        ({"hyphens": "join"}, "hyphens join words"),
        ({"apostrophes": "join"}, "apostrophes join words"),
        ({"max_share": 0.25}, "words in at most 25% of documents instead of 100%"),
        ({}, "the same words"),
        ({"spread_evenly": True}, "frequent words that are spread evenly count"),
        ({"duplicates": "near"}, "documents that nearly repeat others don’t count"),
    ],
)
def test_what_differs_is_said_in_words(change, said):
    plain = vars(VocabularySettings(language="en"))
    assert listing.difference(Version(settings=plain), Version(settings=plain | change)) == said


def test_documents_are_added_from_the_page(client, own):
    rows = example_rows(150)
    more = SimpleUploadedFile("more.csv", as_csv([rows[0], *rows[121:]]))
    answer = client.post(reverse("corpus_add", args=[own.pk]), {"files": [more]})
    addition = own.additions.get()
    assert answer.url == reverse("corpus_prepare", args=[addition.pk])
    page = in_one_line(client.get(answer.url))
    assert client.get(answer.url).context["page"].sample.documents == 30
    assert (
        "after its 120 documents" in page
        and "lack" not in page
        and " ".join(rows[121][5][:80].split()) in page
    )
    assert "are not added yet" in client.get(reverse("corpus", args=[own.pk])).content.decode()
    assert addition not in [
        row.corpus for row in client.get(reverse("home")).context["page"].corpora
    ]
    done = client.post(answer.url, fields(client, answer.url))
    assert done.url == reverse("corpus", args=[own.pk])
    make(own.versions.latest("number").pk)
    page = client.get(done.url).content.decode()
    assert "30 documents more" in page and "are not added yet" not in page
    assert client.get(answer.url).status_code == 404
    assert (
        "Choose at least one"
        in client.post(reverse("corpus_add", args=[own.pk]), {}, follow=True).content.decode()
    )


def test_files_are_listed_with_what_came_of_each(client, own):
    page = client.get(reverse("corpus", args=[own.pk])).content.decode()
    assert "own.csv" in page and "UTF-8" in page and "Read the files in another way" in page
    url = reverse("corpus_files", args=[own.pk])
    [file] = client.get(url.rstrip("/") + ".json").json()["files"]
    documents = file.pop("documents_url")
    assert file == {
        "name": "own.csv",
        "format": "table (CSV)",
        "bytes": own.bytes_total,
        "encoding": "UTF-8",
        "documents": 120,
        "problems": 0,
        "problems_url": None,
        "error": "",
    }
    assert "<b>120</b> documents" in client.get(documents).content.decode()
    assert "No file has a problem" in client.get(url + "?only=problems").content.decode()
    assert (
        client.get(url + "?only=bogus").status_code
        == client.get(url + "?after=x").status_code
        == 400
    )
    SourceFile.objects.bulk_create(
        SourceFile(corpus=own, position=i, name=f"{i}.txt", path="none", bytes=1, sha256="")
        for i in range(1, 150)
    )
    answer = client.get(url)
    assert (
        len(answer.context["page"].files) == 100
        and "All 150 files" in client.get(reverse("corpus", args=[own.pk])).content.decode()
    )
    assert [
        file.name for file in client.get(url + answer.context["page"].next).context["page"].files
    ][::49] == [
        "100.txt",
        "149.txt",
    ]


def test_documents_that_are_counted_can_be_listed(client, draft):
    from tests.webapp.making import corpus_of

    rows = example_rows(60)
    longest = max(rows[1:], key=lambda row: len(row[5]))
    rows += [
        ["again", *rows[9][1:]],
        ["none", "t", "1990", "", "", "the of and"],
        ["near", *longest[1:5], longest[5] + " And one more word."],
    ]
    corpus = corpus_of(draft, rows, "own.csv", language="en", min_documents=2)
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    url = reverse("corpus_documents", args=[corpus.pk])
    assert (
        f'{url}?only=same">1 document</a> is the same' in page
        and f'{url}?only=wordless">1 document</a> kept no word' in page
    )
    for only, numbers in (
        ("same", [60]),
        ("wordless", [61]),
        ("near", [62]),
        ("repeated", [60, 62]),
    ):
        found = client.get(url.rstrip("/") + f".json?only={only}").json()
        assert [row["number"] for row in found["items"]] == numbers
    assert "the same as an earlier one" in client.get(url + "?only=same").content.decode()
    assert client.get(url + "?only=bogus").status_code == 400


def test_columns_that_differ_are_said_before_documents_are_added(client, own):
    more = SimpleUploadedFile(
        "more.csv",
        as_csv(
            [
                ["who", "body", "mood"],
                *(["Ann", f"some other words {i} " * 20, "grim"] for i in range(20)),
            ]
        ),
    )
    url = client.post(reverse("corpus_add", args=[own.pk]), {"files": [more]}).url
    page = client.get(url).content.decode()
    assert (
        "lack columns" in page
        and "“president”" in page
        and "“mood”" in page
        and "What counts" not in page
    )
    assert client.post(reverse("corpus_delete", args=[own.additions.get().pk])).status_code == 302
    assert not own.additions.exists()
    picture = SimpleUploadedFile("more.csv", b"\x89PNG\r\n\x1a\n" + bytes(90))
    answer = client.post(reverse("corpus_add", args=[own.pk]), {"files": [picture]})
    assert (
        answer.status_code == 400
        and "PNG picture" in answer.content.decode()
        and not own.additions.exists()
    )


def test_a_corpus_is_read_again_in_another_way(client, own):
    url = reverse("corpus_again", args=[own.pk])
    assert client.get(url).status_code == 405
    there = client.post(url).url
    page = client.get(there)
    assert "Read as a new corpus" in page.content.decode()
    assert (
        page.context["page"].form["text"].value() == own.settings["options"]["text"]
        and page.context["page"].form["language"].value() == "en"
    )
    client.post(there, fields(client, there) | {"date": "", "name": "Another"})
    again = own.parts.get()
    assert (
        again.status == "queued"
        and again.name == "Another"
        and again.settings["options"]["date"] is None
    )
    assert "read in another way" in client.get(reverse("corpus", args=[again.pk])).content.decode()


def test_what_was_chosen_is_still_there_when_reading_failed(client):
    corpus, url = prepare(
        client,
        (
            "a.csv",
            as_csv(
                [
                    ["a", "b", "c"],
                    *(
                        [f"some words {i} here", "3/4/1999", f"other long words {i}" * 20]
                        for i in range(20)
                    ),
                ]
            ),
        ),
    )
    client.post(url, fields(client, url) | {"text": "0", "title": "1", "encoding": "cp1252"})
    Corpus.objects.filter(pk=corpus.pk).update(status="failed", error="It was so.")
    form = client.get(url).context["page"].form
    assert (form["text"].value(), form["title"].value(), form["encoding"].value()) == (
        0,
        1,
        "cp1252",
    )


def test_files_that_failed_are_tried_again(client, own):
    url = reverse("corpus", args=[own.pk])
    assert "could not be read" not in client.get(url).content.decode()
    SourceFile.objects.filter(corpus=own).update(error="It was locked.")
    assert "1 file could not be read" in client.get(url).content.decode()
    assert client.post(reverse("corpus_retry", args=[own.pk])).url == url
    assert own.versions.count() == 2 and not own.files.exclude(error="").exists()


def test_phrases_are_proposed_with_a_passage_and_taken(client, own):
    url = reverse("corpus_phrases", args=[own.pk])
    answer = client.get(url)
    rows = {row.words: row for row in answer.context["page"].phrases}
    assert "united states" in rows
    for row in rows.values():
        [marked] = [text for text, own_ in row.passage if own_]
        assert " ".join(marked.lower().replace("-", " ").split()) == row.words
    assert (files.version_folder(own.version_id) / "phrases.json").exists()
    client.post(url, {"phrase": ["united states", "no such phrase"]})
    version = own.versions.get(number=2)
    assert version.settings["phrases"] == ["united states"]
    make(version.pk)
    assert sum(row.taken for row in client.get(url).context["page"].phrases) == 1


def test_enter_in_the_score_of_phrases_uses_the_score(client, own):
    """It has a form of its own: in the other the first button makes a version of what is ticked."""
    html = client.get(reverse("corpus_phrases", args=[own.pk])).content.decode()
    tags = re.findall(r"<(?:form|input|button)[^>]*by-score[^>]*>", html)
    assert len(tags) == 3
    assert any('name="all"' in tag for tag in tags)
    assert any('name="score"' in tag for tag in tags) and any("<form" in tag for tag in tags)


def test_a_phrase_that_would_be_left_out_is_said(client, draft):
    from tests.webapp.making import corpus_of

    words = "harbour letter morning winter garden river doctor window market bridge".split()
    texts = [" ".join(words[(i * k) % 10] for k in range(1, 60)) for i in range(60)]
    rows = [
        [str(i), f"{text} {'captain cap' if i < 45 else ''} {'red barn' if i < 20 else ''}"]
        for i, text in enumerate(texts)
    ]
    corpus = corpus_of(
        draft, [["id", "text"], *rows], "cap.csv", language="en", min_documents=2, max_share=0.5
    )
    url = reverse("corpus_phrases", args=[corpus.pk])
    answer = client.get(url)
    said = {row.words: row.left_out for row in answer.context["page"].phrases}
    assert (
        said["captain cap"] == "in 75% of the documents: more than the 50% that words may be in"
        and said["red barn"] == ""
    )
    assert "would be left out: in 75% of the documents" in answer.content.decode()
    client.post(url, {"phrase": ["captain cap", "red barn"]})
    make(corpus.versions.get(number=2).pk)
    page = client.get(reverse("corpus", args=[corpus.pk])).content.decode()
    assert "1 more phrase (red barn)" in page and "2 more phrases" not in page


def test_ticks_stay_from_page_to_page(client, own, monkeypatch):
    monkeypatch.setattr("webapp.service.corpora.version_views.PHRASES", 3)
    url = reverse("corpus_phrases", args=[own.pk])
    words = [
        row.words
        for row in proposed(
            own.version, VocabularySettings.from_dict(own.version.settings).choice()
        )
    ]
    assert len(words) > 6
    first = client.get(url)
    assert (
        [row.words for row in first.context["page"].phrases] == words[:3]
        and first.context["page"].next == 3
        and first.context["page"].before is None
    )
    second = client.post(url, {"phrase": [words[1]], "to": "3"})
    assert (
        second.status_code == 200
        and second.context["page"].elsewhere == [words[1]]
        and own.versions.count() == 1
    )
    back = client.post(url, {"phrase": [*second.context["page"].elsewhere, words[4]], "to": "0"})
    assert [row.taken for row in back.context["page"].phrases] == [
        False,
        True,
        False,
    ] and back.context["page"].elsewhere == [words[4]]
    for strange in ("-1", "9999999", "x", "99"):
        assert (
            client.post(url, {"to": strange, "phrase": "<script>"}).context["page"].elsewhere == []
        )
    client.post(url, {"phrase": [*back.context["page"].elsewhere, words[1]]})
    assert own.versions.get(number=2).settings["phrases"] == [words[1], words[4]]


def test_all_phrases_above_a_score_are_taken_at_once(client, own):
    url = reverse("corpus_phrases", args=[own.pk])
    found = proposed(own.version, VocabularySettings.from_dict(own.version.settings).choice())
    score = found[4].score
    client.post(url, {"all": "1", "score": "no number"})
    assert own.versions.count() == 1
    client.post(url, {"all": "1", "score": str(score)})
    assert own.versions.get(number=2).settings["phrases"] == [
        row.words for row in found if row.score >= score
    ]


def test_an_embargo_shortens_passages_and_shows_no_other(client, own):
    set_embargo(own, True)
    assert client.get(reverse("corpus_words", args=[own.pk])).context["page"].words.passage is None
    for row in client.get(reverse("corpus_phrases", args=[own.pk])).context["page"].phrases:
        assert sum(len(text) for text, _ in row.passage) <= 210


@pytest.mark.parametrize("name", ["corpus_words", "corpus_phrases", "corpus_documents"])
def test_words_of_a_draft_can_not_be_chosen(client, name):
    corpus = Corpus.objects.create(name="Draft")
    answer = client.get(reverse(name, args=[corpus.pk]), follow=True)
    if name == "corpus_documents":
        assert answer.status_code == 400
    else:  # its own page says what comes first
        assert (
            answer.redirect_chain == [(reverse("corpus", args=[corpus.pk]), 302)]
            and "has not been read yet" in answer.content.decode()
        )
    assert client.get(reverse(name, args=[99_999])).status_code == 404


def test_the_report_counts_documents_that_repeat(client, draft):
    from tests.webapp.making import corpus_of

    rows = example_rows(40)
    corpus = corpus_of(
        draft, [*rows, *rows[1:4]], "twice.csv", language="en", min_documents=2, duplicates="exact"
    )
    page = in_one_line(client.get(reverse("corpus", args=[corpus.pk])))
    assert "3 documents</a> are the same as an earlier one" in page


def test_the_first_column_is_a_column_like_others(client):
    rows = [["text", "id"], *([row[5], row[0]] for row in example_rows(40)[1:])]
    _, url = prepare(client, ("a.csv", as_csv(rows)))
    at_first = client.get(url).context
    after = changed(client, url).context
    assert (
        at_first["page"].sample.documents
        and at_first["page"].sample.first == after["page"].sample.first
    )


@pytest.mark.parametrize(
    ("documents", "least", "share"),
    [(3, 1, "100"), (19, 1, "100"), (20, 2, "100"), (900, 2, "100"), (1100, 3, "100")],
)
def test_of_few_documents_words_are_not_asked_to_be_in_many(client, documents, least, share):
    _, url = prepare(client, ("a.csv", as_csv(example_rows(documents))))
    answer = client.get(url)
    form = answer.context["page"].form
    assert (form["min_documents"].value(), form["max_share"].value()) == (
        least,
        share,
    ) and answer.context["page"].words.vocabulary > 20
    assert answer.context["page"].words.min_documents == least
    assert (
        changed(client, url, min_documents="4").context["page"].form["min_documents"].value() == "4"
    )
