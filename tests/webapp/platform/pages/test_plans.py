"""Every query of every page goes by an index, and looks at few rows of what grows: a made corpus,
walked page by page.

What is checked is the plan that Postgres makes with `enable_seqscan` off, and what it looked at
when that plan is carried out. Off, because at 20,000 documents Postgres rightly prefers to read a
small table from its beginning to its end, which says nothing about ten million; off, a sequential
scan is only left where there is no index to go by. An index alone proves little, though: tables are
partitioned by corpus and snapshot, so that "all documents of this corpus" has an index, too. So
rows that were looked at are counted as well: a page that looks at ROWS of a growing table at most
takes the same time whatever the size.
"""

import json
import re

import pytest
from django.db import connection
from django.urls import reverse

from tests import made
from tests.addresses import OTHER, PAGES, address
from webapp.analysis.effects import answering as effects_answering
from webapp.analysis.topics import word_times
from webapp.models import Word

DOCUMENTS = 20_000
TOPICS = 20
GROWING = re.compile(r"(document|word|topic_word)(_\w*\d+)?")  # and their partitions
ROWS = 2_000  # of a growing table that a query may look at, whatever the size
# Queries that look at each word of a vocabulary or of a topic, as an order by relevance must. Their
# results are kept in the web process; how many documents there are does not matter.
OF_THE_VOCABULARY = (
    # topics.topic_words: all words of one topic
    "SELECT word, sum(tokens)::bigint AS tokens FROM topic_word",
    "SELECT tokens FROM word WHERE version_id",  # topics.topic_words: how frequent each word is
    # weights.topics: the words of all topics, which correct effects
    "SELECT t.floor, t.floor_mass, t.share",
    # topics.grid: the first words of each topic shown, in all topics
    "SELECT topic, word, tokens FROM topic_word",
)
SMALL = re.compile(r"django_\w+|pg_\w+")  # whose size has nothing to do with what people upload


@pytest.fixture(scope="module")
def large(django_db_setup, django_db_blocker):
    """A finished run on the made corpus."""
    with django_db_blocker.unblock():
        run = made.run(made.corpus(DOCUMENTS), TOPICS)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield run
        run.corpus.delete()


class Queries:
    """Wrapped around every query: keeps the first of each shape."""

    def __init__(self):
        self.kept: dict[str, tuple] = {}

    def __call__(self, execute, sql, params, many, context):
        if not many and re.match(r"\s*(SELECT|WITH)\b", sql, re.I):
            self.kept.setdefault(re.sub(r"\s+", " ", sql), (sql, params))
        return execute(sql, params, many, context)


def scans(plan: dict):
    """(relation, whether it is read from its beginning to its end, rows that were looked at) of all
    parts of a plan."""
    if relation := plan.get("Relation Name"):
        looked = (
            plan["Actual Rows"]
            + plan.get("Rows Removed by Filter", 0)
            + plan.get("Rows Removed by Index Recheck", 0)
        )
        yield relation, plan["Node Type"] == "Seq Scan", looked * plan["Actual Loops"]
    for part in plan.get("Plans", ()):
        yield from scans(part)


def wrong(sql: str, params) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
        cursor.execute("SET LOCAL enable_seqscan = on")
    plan = json.loads(plan) if isinstance(plan, str) else plan
    found = []
    for relation, sequential, looked in scans(plan[0]["Plan"]):
        if SMALL.fullmatch(relation):
            continue
        if sequential:
            found.append(f"{relation} has no index for it")
        bounded = relation.startswith(("word", "topic_word")) and sql.strip().startswith(
            OF_THE_VOCABULARY
        )
        if GROWING.fullmatch(relation) and looked > ROWS and not bounded:
            found.append(f"{looked:,.0f} rows of {relation} are looked at")
    return found


def addresses(run) -> list[str]:
    """Every page, and what readers do on them: searches, sets, orders, pages far behind."""
    corpus = f"/corpora/{run.corpus_id}"
    root = f"/runs/{run.pk}"
    first, second = Word.objects.filter(version=run.version_id, number__in=(5, 9)).values_list(
        "word", flat=True
    )
    # Of words that are not here
    names = [
        name
        for name in [*PAGES, *OTHER]
        if name
        not in (
            "run_word",
            "run_collocations",
            "run_network",
            "run_topic_word",
            "corpus_subset",
            "corpus_prepare",
            "corpus_pseudonyms",
        )
    ]
    of_all = [address(name, run.corpus_id, run.pk) for name in names]
    return [
        *of_all,
        f"{corpus}/documents/?q={first}",
        f"{corpus}/documents/?q={first}&by=relevance",
        f"{corpus}/documents/?by=date&from=1950&to=1952",
        f"{corpus}/subset/?q={first}",
        f"{corpus}/documents/?in=section:section+3",
        f"{corpus}/documents/?after=0,19000",
        f"{root}/documents/?q={first}",
        f"{root}/documents/?has=3:30&from=1940&to=1949",
        f"{root}/documents/?by=T03",
        f"{root}/documents/?in=section:section+3&by=date",
        f"{root}/documents/19999/",
        f"{root}/topics/?view=map",
        f"{root}/topics/?view=grid",
        f"{root}/topics/?view=time",
        f"{root}/topics/?view=list&from=1950&to=1960",
        f"{root}/topics/?word={first}",
        f"{root}/topics/3/?by=section",
        f"{root}/topics/3/?rank=words",
        f"{root}/topics/3/words/",
        f"{root}/words/?q=ba",
        f"{root}/words/{first}/",
        f"{root}/words/{first}/collocations/?from=1950",
        f"{root}/words/{first}/collocations/?to_a=1949&from_b=1950",
        f"{root}/words/{first}/collocations/network/?from=1950",
        f"{root}/words/{first}/?by=section",
        f"{root}/words/{first}/?topic=all&sort=date",
        f"{root}/words/compare/?word={first}&word={second}",
        f"{root}/time/?topics=3,7",
        f"{root}/time/?topics=3&in=section:section+3",
        f"{root}/time/table/?by=section",
        f"/compare/?run={run.pk}&run={run.pk}",
        "/operator/?kind=run&state=failed",
        "/operator/?kind=corpus&state=waiting",
        f"/api/v1{corpus}/documents?q={first}",
        f"/api/v1{root}/documents",
        f"/api/v1{root}/words?q=ba",
        "/api/v1/corpora/",
        reverse("readyz"),
        reverse("metrics"),
    ]


@pytest.mark.django_db
def test_every_query_goes_by_an_index_and_looks_at_few_rows(client, large, monkeypatch):
    # What a worker answers of a collection of this size asks for its rows in the request
    monkeypatch.setattr(effects_answering, "QUICK_DOCUMENT_TOPICS", 10**9)
    monkeypatch.setattr(word_times, "QUICK_DOCUMENT_TOPICS", 10**9)
    queries = Queries()
    where = {}
    statuses = {}
    with connection.execute_wrapper(queries):
        for path in addresses(large):
            before = len(queries.kept)
            statuses[path] = client.get(path).status_code
            where |= dict.fromkeys(list(queries.kept)[before:], path)
    assert {path: status for path, status in statuses.items() if status != 200} == {}
    assert len(queries.kept) > 60
    found = {
        shape: said for shape, (sql, params) in queries.kept.items() if (said := wrong(sql, params))
    }
    assert not found, "\n\n".join(
        f"{where[shape]}\n{'; '.join(said)}\n{shape[:1500]}" for shape, said in found.items()
    )


@pytest.mark.django_db
def test_what_it_would_find(large):
    """Texts have no index, and a partition read by the order of something else is read whole."""
    assert any(
        "document" in said
        for said in wrong(
            "SELECT number FROM document WHERE corpus_id = %s AND text LIKE %s",
            [large.corpus_id, "%ba%"],
        )
    )
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE webapp_heap (n int)")
    assert wrong("SELECT n FROM webapp_heap", []) == ["webapp_heap has no index for it"]
    assert (
        wrong("SELECT number FROM document WHERE corpus_id = %s AND number = 5", [large.corpus_id])
        == []
    )
