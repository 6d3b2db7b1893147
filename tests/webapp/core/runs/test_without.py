"""What if some words were left out: a run on less, from the same topics; what readers said follows
to it."""

from collections import Counter

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference import Bow
from inference.errors import Invalid
from inference.explore import matching
from tests.corpora import example_rows
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.compare import matchings
from webapp.core.curation import label_transfer, services as curation
from webapp.core.documents import sums, texts
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence, labels, weights
from webapp.core.results.view import RunView
from webapp.core.runs import services as runs
from webapp.models import Corpus, Document, Edit, Run, TopicWord, Word
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db

DROPPED = ["commerce", "congress", "treaty"]


@pytest.fixture(scope="module")
def child(trained, django_db_blocker):
    """Trained from `trained`, of whose topics two had been named then."""
    from tasks.runs import train

    with django_db_blocker.unblock():
        parent = Run.objects.get(pk=trained.pk)
        curation.change(parent, 1, {"label": "First", "note": "a note", "colour": "5"}, "Ada")
        curation.change(parent, 4, {"hidden": "1"}, "Ada")
        run = runs.without(parent, [" Treaty", "commerce", "congress"])
        train(run.pk)
        run = Run.objects.select_related("corpus", "snapshot", "parent").get(pk=run.pk)
        assert run.status == "done", run.error
        yield run
        Edit.objects.filter(run=parent).delete()
        run.delete()


def numbers(run, words) -> list[int]:
    return list(
        Word.objects.filter(version=run.version_id, word__in=words).values_list("number", flat=True)
    )


def test_it_is_a_run_of_its_own(trained, child):
    assert (child.parent_id, child.dropped, child.seed, child.topics) == (
        trained.pk,
        DROPPED,
        trained.seed,
        trained.topics,
    )
    assert child.settings["warm_up"] == 0 and child.settings["passes"] == 3
    assert Run.objects.get(pk=trained.pk).dropped == []


def test_every_other_word_of_every_document_is_there(trained, child):
    whole = evidence.of(trained)
    less = evidence.of(child)
    gone = set(numbers(trained, DROPPED))
    assert (
        len(gone) == 3
        and less.document_bow.V == whole.document_bow.V
        and less.document_bow.D == whole.document_bow.D
    )
    for d in range(whole.document_bow.D):
        there = {
            w: n
            for w, n in zip(
                *(a.tolist() for a in whole.token_topics.of_document(d)[:2]), strict=True
            )
            if w not in gone
        }
        assert (
            dict(zip(*(a.tolist() for a in less.token_topics.of_document(d)[:2]), strict=True))
            == there
        )
    assert less.document_bow.tokens == whole.document_bow.tokens - sum(
        Word.objects.filter(version=child.version_id, word__in=DROPPED).values_list(
            "tokens", flat=True
        )
    )
    assert not TopicWord.objects.filter(
        snapshot_id=child.snapshot_id, word__in=gone, tokens__gt=0
    ).exists()
    # The corpus is as it was
    assert (
        Bow.open(files.version_folder(trained.version_id) / "bow").digest
        == whole.document_bow.digest
    )


def test_what_pages_count_is_of_the_smaller_bag(child):
    found = sums.of_selection(Selection.read(QueryDict(), RunView(child)))
    assert found.all_tokens.sum() == evidence.of(child).document_bow.tokens
    number = 7
    text = Document.objects.get(corpus_id=child.corpus_id, number=number).text
    vocabulary = dict(Word.objects.filter(version=child.version_id).values_list("number", "word"))
    of = texts.tokens(RunView(child), number)
    for offset, word in zip(of.offsets.tolist(), of.words.tolist(), strict=True):
        assert text[offset : offset + len(vocabulary[word])].lower() == vocabulary[word]
    assert not set(DROPPED) & {vocabulary[w] for w in of.words.tolist()} and Counter(
        of.words.tolist()
    )


def test_topics_stay_recognisable(trained, child):
    between = matchings.matched(
        Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk), child
    )
    same = np.count_nonzero(between.partner == np.arange(trained.topics))
    assert same >= 4, between.similarity


def test_what_readers_said_followed(trained, child):
    made = Edit.objects.filter(run=child)
    assert {edit.by for edit in made} <= {f"carried from run {trained.pk}"}
    between = matchings.matched(
        Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk), child
    )
    found = label_transfer.plan(
        RunView(Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk)), RunView(child)
    )
    assert {k for k, _, _ in found.pairs} | set(found.orphans) == {1, 4}
    for k in (1, 4):
        partner = int(between.partner[k])
        if partner < 0:
            assert k in found.orphans
            continue
        now = labels.read(child)
        assert (now.label(partner), now.note(partner), now.is_hidden(partner)) == (
            ("First", "a note", False) if k == 1 else ("", "", True)
        )
    assert made.exists() and not found.values  # all that could be carried is said already


def test_what_is_said_here_stays_and_all_can_be_undone(trained, child):
    partner = int(
        matchings.matched(
            Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk), child
        ).partner[1]
    )
    first = Edit.objects.filter(run=child).first()
    curation.undo_batch(child, first.batch, "Bo")
    assert not labels.read(Run.objects.get(pk=child.pk)).edited()
    curation.change(child, partner, {"label": "My own"}, "Bo")
    found = label_transfer.carry(
        Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk),
        Run.objects.select_related("corpus", "snapshot").get(pk=child.pk),
    )
    assert "label" not in found.values[partner] and found.values[partner]["note"] == "a note"
    assert labels.read(Run.objects.get(pk=child.pk)).label(partner) == "My own"


def test_a_label_that_is_typed_while_labels_are_matched_stays(trained, child, monkeypatch):
    source, target = (
        Run.objects.select_related("corpus", "snapshot").get(pk=run.pk) for run in (trained, child)
    )
    curation.undo_batch(target, Edit.objects.filter(run=target).first().batch, "Bo")
    planned = label_transfer.plan(RunView(source), RunView(target))
    partner = next(k for k, fields in planned.values.items() if "label" in fields)

    def type_meanwhile(*_: RunView) -> label_transfer.Plan:
        curation.change(target, partner, {"label": "My own"}, "Bo")
        return planned

    monkeypatch.setattr(label_transfer, "plan", type_meanwhile)
    carried = label_transfer.carry(source, target)
    assert labels.read(target).label(partner) == "My own"
    assert labels.read(target).note(partner) == "a note"
    assert "label" not in carried.values[partner] and carried.values[partner]["note"] == "a note"


def test_moved_topics_are_moved_in_the_other_run(trained, child):
    source, target = (
        Run.objects.select_related("corpus", "snapshot").get(pk=run.pk) for run in (trained, child)
    )
    partner = matchings.matched(source, target).partner
    moved, other = np.flatnonzero(partner >= 0)[[0, -1]].tolist()
    curation.change(source, moved, {"beside": str(other)}, "Bo")
    found = label_transfer.carry(source, target)
    assert found.values[int(partner[moved])]["beside"] == str(partner[other])
    assert labels.read(target).beside[partner[moved]] == partner[other]
    curation.undo_batch(target, Edit.objects.filter(run=target, field="beside").get().batch, "Bo")
    assert labels.read(target).beside[partner[moved]] == partner[moved]


def test_pages(client, trained, child):
    html = client.get(
        reverse("run_without", args=[trained.pk]) + "?topic=1&words=navy"
    ).content.decode()
    assert (
        'value="navy" checked' in html
        and f"Run {child.pk}" in html
        and f"?run={trained.pk}&amp;run={child.pk}" in html
    )
    assert (
        "commerce, congress, treaty" in client.get(reverse("run", args=[child.pk])).content.decode()
    )
    assert (
        "First"
        in client.get(
            reverse("run_carry", args=[child.pk]) + f"?source={trained.pk}"
        ).content.decode()
    )
    response = client.post(
        reverse("run_carry_over", args=[child.pk]), {"from": trained.pk}, follow=True
    )
    assert "took over" in response.content.decode()
    for wrong in ("x", "999999", str(child.pk)):
        assert (
            client.post(reverse("run_carry_over", args=[child.pk]), {"from": wrong}).status_code
            == 302
        )
        assert (
            client.get(reverse("run_carry", args=[child.pk]) + f"?source={wrong}").status_code
            == 400
        )
    before = Run.objects.count()
    assert (
        client.post(
            reverse("run_without_train", args=[trained.pk]),
            {"words": ["navy"], "more": "army, war"},
        ).status_code
        == 302
    )
    new = Run.objects.latest("pk")
    assert (
        Run.objects.count() == before + 1
        and new.dropped == ["army", "navy", "war"]
        and new.parent_id == trained.pk
    )
    assert (
        "Not among"
        in client.post(
            reverse("run_without_train", args=[trained.pk]), {"more": "<b>zz"}, follow=True
        ).content.decode()
    )


def test_what_cannot_be_left_out_is_said(trained, child):
    for words, said in (
        ([], "one or more"),
        (["zzyzx"], "Not among"),
        (["x"] * 1 + [f"w{i}" for i in range(3000)], "At most"),
    ):
        with pytest.raises(Invalid, match=said):
            runs.without(trained, words)
    with pytest.raises(Invalid, match="Not among"):
        runs.without(child, ["congress"])  # it is left out already
    again = runs.without(child, ["navy"])
    assert again.dropped == [*DROPPED[:2], "navy", *DROPPED[2:]] and again.parent_id == child.pk
    same = runs.train_again(child)
    assert (same.dropped, same.parent_id, same.settings) == (
        child.dropped,
        child.parent_id,
        child.settings,
    )


def test_of_few_words_one_can_be_left_out(draft, client):
    """Words without a token are looked at for findings, too, where there are so few."""
    from tasks.runs import train

    corpus = corpus_of(draft, example_rows(60), "few.csv", language="en", min_documents=2)
    most = Word.objects.filter(version=corpus.version_id).latest("tokens").word
    run = runs.without(run_on(corpus, topics=4, passes=1), [most])
    train(run.pk)
    assert client.get(reverse("run_overview_json", args=[run.pk])).status_code == 200


def test_without_its_parent_a_run_says_so(trained, child):
    from tasks.runs import train

    run = runs.without(trained, ["navy"])
    Run.objects.filter(pk=run.pk).update(parent=None)
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "failed" and "deleted" in run.error
    with pytest.raises(Invalid, match="deleted"):
        runs.train_again(run)


@pytest.mark.parametrize("form", [{}, {"act": "agian"}])
def test_a_form_without_a_known_act_trains_nothing(trained, client, form):
    before = Run.objects.count()
    assert client.post(reverse("run_again", args=[trained.pk]), form).status_code == 400
    assert Run.objects.count() == before


def test_what_can_not_be_trained_is_told_on_the_page_of_the_run(ready, client):
    first = runs.create(ready.version, topics=5, seed=1)
    answer = client.post(reverse("run_again", args=[first.pk]), {"act": "on"}, follow=True)
    assert answer.status_code == 200 and "is not done" in answer.content.decode()
    Corpus.objects.filter(pk=ready.pk).update(version=None)
    answer = client.post(reverse("run_continue", args=[first.pk]), follow=True)
    assert answer.status_code == 200
    assert "has no version with which run" in answer.content.decode()


def test_a_run_is_trained_on_from_where_it_ended(ready, client):
    from tasks.runs import train

    first = runs.create(ready.version, topics=5, seed=1, engine_settings={"passes": 9})
    at = reverse("run", args=[first.pk])
    with pytest.raises(Invalid, match="not done"):
        runs.train_on(first)
    assert "Train on from here" not in client.get(at).content.decode()
    train(first.pk)
    first = Run.objects.select_related("version", "snapshot").get(pk=first.pk)
    curation.change(first, 2, {"label": "a name"}, "reader")
    shown = client.get(at).content.decode()
    assert "Up to 3 more passes" in shown
    answer = client.post(reverse("run_again", args=[first.pk]), {"act": "on"})
    second = Run.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[1]))
    assert (
        second.parent_id,
        second.begins,
        second.settings["warm_up"],
        second.settings["passes"],
    ) == (
        first.pk,
        True,
        0,
        3,
    )
    train(second.pk)
    second = Run.objects.select_related("version", "snapshot").get(pk=second.pk)
    pairs = matching.match(
        weights.topics(first.snapshot),
        weights.topics(second.snapshot),
        *weights.words(first, second),
    )
    assert (pairs.partner == np.arange(5)).sum() >= 4
    assert second.edits.get(field="label").value == "a name"
    held_out = [run.metrics.order_by("step").last().held_out for run in (first, second)]
    assert held_out[1] > held_out[0] - 0.01  # it begins where the first ended
