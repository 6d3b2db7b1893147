"""A corpus and a run that strangers wrote: every text, title, name of a column, value, label and
note is an attack."""

from dataclasses import dataclass

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpResponse
from django.test import Client

from tests import addresses
from tests.attacks.hostile import EVERYTHING, FORMULAS, MARKUP
from tests.webapp.making import corpus_of, run_on

DOCUMENTS = 60
TOPICS = 3
WORDS = "war peace law tax land ship trade coast treaty farm".split()


@dataclass(frozen=True)
class Hostile:
    corpus: int
    run: int
    draft: int
    notebook: int
    token: str

    def address(self, name: str) -> str:
        corpus = self.draft if name in addresses.OF_DRAFTS else self.corpus
        return addresses.address(
            name,
            corpus,
            self.run,
            notebook_id=self.notebook,
            token=self.token,
            word="war",
            edit_id=1,
            pin_id=1,
        )

    def pages(self) -> list[str]:
        """An address of every page, twin and file that is asked for with GET, in each of its
        states."""
        closed = {
            *addresses.POSTS,
            *addresses.STREAMS,
            *addresses.TUS,
            *(name for name in addresses.names() if name.endswith("_deleted")),
        }
        return [
            self.address(name) + (f"?{query}" if query else "")
            for name in sorted(addresses.names() - closed)
            for query in addresses.states(name)
        ]


def rows() -> list[list[str]]:
    head = [
        "title",
        "date",
        "text",
        "category",
        MARKUP[1],
        FORMULAS[0],
        f"a\r\nSet-Cookie: x={MARKUP[0]}",
    ]
    return [head] + [
        [
            f"{(MARKUP[i // 2 % len(MARKUP)] if i % 2 else FORMULAS[i // 2 % len(FORMULAS)])} {i}",
            f"{1900 + i}-01-02",
            f"{EVERYTHING} " + " ".join(WORDS[(i * k) % len(WORDS)] for k in range(1, 30)),
            (*MARKUP, *FORMULAS)[i % 4],
            EVERYTHING,
            FORMULAS[i % len(FORMULAS)],
            str(i),
        ]
        for i in range(DOCUMENTS)
    ]


@pytest.fixture(scope="package")
def hostile(draft, django_db_setup, django_db_blocker) -> Hostile:
    from webapp.core.curation import services as curation
    from webapp.core.notebooks import pin_contents, services as notebooks
    from webapp.models import Corpus, Document, Run
    from webapp.service.corpora import deletion

    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            rows(),
            f"{MARKUP[0]}.csv",
            known={"html": False},
            language="en",
            min_documents=1,
            max_share=1.0,
        )
        titles = Document.objects.filter(corpus_id=corpus.pk).values_list("title", flat=True)
        assert (
            sum(any(payload in title for payload in MARKUP) for title in titles) == DOCUMENTS // 2
        ), "titles were taken for something else"
        Corpus.objects.filter(pk=corpus.pk).update(name=EVERYTHING[:200])
        run = run_on(corpus, seed=1, topics=TOPICS, passes=2)
        for topic, payload in enumerate((MARKUP[0], MARKUP[1], FORMULAS[0])):
            curation.change(
                run,
                topic,
                {"label": payload[:80], "note": EVERYTHING, "group": payload[:60]},
                MARKUP[3][:60],
            )
        run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=run.pk)
        notebook = notebooks.create(MARKUP[2], MARKUP[0][:60])
        table = {"columns": list(MARKUP), "rows": [list(MARKUP), list(FORMULAS[: len(MARKUP)])]}
        for found in (
            pin_contents.of_topic(run, 0),
            pin_contents.of_passage(run.corpus, run, 1, "", 0, 300),
            pin_contents.of_chart(
                run, EVERYTHING[:150], f"/runs/{run.pk}/topics/", EVERYTHING[:500], table
            ),
        ):
            notebooks.pin(notebook, found, EVERYTHING, MARKUP[4][:60])
        notebooks.share(notebook)
        notebook.refresh_from_db()
        waiting = draft(
            b"title,text\na,b\n" + MARKUP[0].encode() + b",war and peace\n", f"{MARKUP[0]}.csv"
        )
        yield Hostile(corpus.pk, run.pk, waiting.pk, notebook.pk, notebook.token)
        notebook.delete()  # other tests count
        for each in (corpus, waiting):
            deletion.delete_corpus(each)
            deletion.expire_now(Corpus.everything.get(pk=each.pk))
        deletion.remove_due()


class Stranger(Client):
    """Sees what a browser would: an answer with status 500, no exception; and streams to their
    end."""

    def __init__(self, **more):
        super().__init__(raise_request_exception=False, **more)

    def request(self, **request):
        response = super().request(**request)
        if not response.streaming:
            return response
        stream = response.streaming_content
        body = async_to_sync(_whole)(stream) if response.is_async else b"".join(stream)
        return HttpResponse(body, status=response.status_code, headers=dict(response.headers))


async def _whole(stream) -> bytes:
    return b"".join([piece async for piece in stream])


@pytest.fixture
def stranger() -> Stranger:
    return Stranger()
