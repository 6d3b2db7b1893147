"""Under embargo a quarter of a text is shown in all: to an account, and to all readers of a link or
of what is public together, whatever they ask for."""

import random
import re
import threading
from contextvars import Context
from urllib.parse import urlencode

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.errors import Invalid
from inference.index.query import has_order
from tasks import codebook, corpora, runs  # noqa: F401 (their tasks)
from tasks.celery import ProgramTask, app
from tests import addresses
from tests.answer_bodies import body_of
from tests.webapp.platform.accounts.test_embargo import (  # noqa: F401
    LETTERS,
    WORD,
    WORDS,
    shut,
    texts,
)
from webapp.analysis.findings import stored
from webapp.analysis.words import concordance, queries, senses
from webapp.core.documents import search
from webapp.core.documents.selection import Selection
from webapp.core.notebooks import pin_contents
from webapp.core.results import page_cache
from webapp.core.results.view import RunView
from webapp.management.base import OwnCommand
from webapp.models import Corpus, Membership, Pin, Reading, Run, TextReader, TextShown, User
from webapp.platform.accounts import authorization, embargo, sharing, tokens
from webapp.platform.accounts.embargo import PASSAGE, READER_PART
from webapp.platform.accounts.embargo.budgets import (
    Wanted,
    affordable_span,
    charge,
    join_span,
    known_spans,
    overlaps,
)
from webapp.platform.accounts.roles import Person
from webapp.platform.jobs import dispatch, kinds
from webapp.service.corpora import deletion
from webapp.service.exports import kept as exported, sizes

pytestmark = pytest.mark.django_db
LENGTH = WORDS * (LETTERS + 1) - 1
QUARTER_OF_WORDS = WORDS // READER_PART + 1


@pytest.fixture
def run(shut, settings) -> Run:  # noqa: F811
    """The same while accounts are on; it is the owner's."""
    settings.ACCOUNTS = True
    page_cache.clear()
    owner = User.objects.create_user("professor@example.org", "professor")
    Corpus.objects.filter(pk=shut.corpus_id).update(owner=owner)
    return Run.objects.select_related("corpus", "snapshot").get(pk=shut.pk)


def member(run: Run, name: str) -> User:
    user = User.objects.create_user(f"{name}@example.org", name)
    Membership.objects.create(corpus=run.corpus, user=user, role="viewer")
    return user


def shown(person: Person, run: Run, number: int, places=None) -> set[int]:
    """Which characters of a document whoever asks for all of them is given."""
    text = " ".join(texts()[number])
    some = list(range(0, LENGTH, 100) if places is None else places)
    seen = set()
    with embargo.reading(person):
        for place in some:
            (piece,) = embargo.read_pieces(run.corpus, [(number, place, PASSAGE, place)])
            assert text[piece.first : piece.first + len(piece.text)] == piece.text
            seen.update(range(piece.first, piece.first + len(piece.text)))
    return seen


# Who reads


def test_nobody_reads_who_is_not_known(run):
    """What forgot to say who reads would be taken for the program, whose reading is not counted."""
    with pytest.raises(embargo.ReaderUnknown):
        Context().run(embargo.readers, run.corpus)
    with embargo.as_program():
        assert embargo.readers(run.corpus) == ()
    with embargo.reading(Person(member(run, "ann").pk)):
        assert embargo.readers(run.corpus)


def test_in_every_task_the_program_reads(run):
    names = {name for name in app.tasks if name.startswith("tasks.")}
    assert {kind.task for kind in kinds.KINDS} <= names
    assert all(isinstance(app.tasks[name], ProgramTask) for name in names)

    class Asks(ProgramTask):
        def run(self, corpus: Corpus) -> tuple[str, ...]:
            return embargo.readers(corpus)

    assert Context().run(Asks(), run.corpus) == ()


def test_in_every_command_the_program_reads(run):
    seen = []

    class Asks(OwnCommand):
        needs_tables = False

        def handle(self, *args, **options):
            seen.append(embargo.readers(run.corpus))

    Context().run(call_command, Asks())
    assert seen == [()]


# The budget


def test_of_a_text_that_is_no_row_yet_no_reader_sees_more_than_what_is_counted(run):
    """It can't be counted: an editor who looks into the same file again and again would be shown
    all of it."""
    text = " ".join(texts()[2])
    with embargo.reading(Person(member(run, "ann").pk)):
        assert embargo.beginning(run.corpus, text) == ""
    with embargo.reading(Person(run.corpus.owner_id)):
        assert embargo.beginning(run.corpus, text) == text[:PASSAGE]
    Corpus.objects.filter(pk=run.corpus_id).update(embargo=False)
    with embargo.reading(Person(run.corpus.owner_id)):
        assert embargo.beginning(Corpus.objects.get(pk=run.corpus_id), text) == text


def test_an_account_sees_a_quarter_however_it_asks(run):
    user = Person(member(run, "ann").pk)
    seen = shown(user, run, 2)
    assert len(seen) == LENGTH // READER_PART
    assert shown(user, run, 2, [place + 50 for place in range(0, LENGTH - 50, 100)]) <= seen
    assert shown(user, run, 2, sorted(seen)[:3])  # what was shown is shown again
    with embargo.reading(user):
        assert embargo.beginnings(run.corpus, [2], 200)[2] == " ".join(texts()[2])[:200]
        assert (
            embargo.read_chosen(run.corpus, [2], LENGTH, lambda n, text: (LENGTH - 100, LENGTH))[2][
                1
            ]
            == ""
        )
        # Another text
        assert len(embargo.read_pieces(run.corpus, [(3, 0, PASSAGE, 0)])[0].text) == PASSAGE
    assert (
        TextShown.objects.get(reader=f"user {user.user}", used_up=True).corpus_id == run.corpus_id
    )


def test_the_same_characters_count_once(run):
    user = Person(member(run, "ann").pk)
    for _ in range(50):
        assert len(shown(user, run, 2, [1000])) == PASSAGE
    assert len(shown(user, run, 2)) == LENGTH // READER_PART


def test_all_readers_of_a_link_see_a_quarter_together(run):
    link, _ = sharing.make_link(run.corpus, run.corpus.owner, "class", 7)
    first, second = (
        User.objects.create_user(f"{name}@example.org", name).pk for name in ("x", "y")
    )
    readers = (Person(None, (link.pk,)), Person(first, (link.pk,)), Person(second, (link.pk,)))
    seen = [shown(reader, run, 2, range(100 * i, LENGTH, 300)) for i, reader in enumerate(readers)]
    assert len(set().union(*seen)) == LENGTH // READER_PART
    # Hers is her own
    assert len(shown(Person(member(run, "ann").pk, (link.pk,)), run, 2)) == LENGTH // READER_PART


def test_four_accounts_and_readers_of_links_see_half_of_a_text_together(run):
    """A quarter each, of other places, would be the whole."""
    accounts = [Person(member(run, name).pk) for name in ("ann", "bob", "cyd", "dan")]
    links = [
        Person(None, (sharing.make_link(run.corpus, run.corpus.owner, name, 7)[0].pk,))
        for name in "xy"
    ]
    quarter = LENGTH // READER_PART
    seen = []
    for i, reader in enumerate([*accounts, *links]):
        seen.append(
            shown(reader, run, 2, range(i % 4 * quarter, min(LENGTH, (i % 4 + 1) * quarter), 100))
        )
    assert [len(places) for places in seen[:2]] == [quarter, quarter] and all(
        len(places) <= quarter for places in seen
    )
    assert len(set().union(*seen)) == LENGTH // embargo.ALL_READERS_PART
    assert seen[4]  # what others were shown is shown to the next
    assert embargo.count_texts_read(run.corpus, []) == ({}, (1, 1))
    part = Corpus.objects.create(
        owner_id=accounts[3].user,
        name="part",
        parent=run.corpus,
        provenance={"of": 1},
        embargo=True,
        status="ready",
    )
    with embargo.reading(accounts[3]):
        (cut,) = charge(part, [_asked(run, 2, 0, LENGTH)])
    assert set(range(*cut)) <= set().union(*seen)


def test_what_is_public_is_counted_for_everybody_together(run):
    Corpus.objects.filter(pk=run.corpus_id).update(public=True)
    seen = shown(Person(), run, 2) | shown(
        Person(User.objects.create_user("x@example.org", "x").pk), run, 2
    )
    assert len(seen) == LENGTH // READER_PART


def test_the_owner_is_not_bound_and_sees_what_was_used(run):
    user = Person(member(run, "ann").pk)
    shown(user, run, 2)
    shown(user, run, 3, [0])
    assert len(shown(Person(run.corpus.owner_id), run, 2)) == LENGTH
    shown(user, run, 2)
    reader = f"user {user.user}"
    with CaptureQueriesContext(connection) as asked:
        counted = embargo.count_texts_read(run.corpus, [reader, "public"])
    assert counted == ({reader: (2, 1)}, (2, 0))
    assert not any("text_shown" in query["sql"] for query in asked)  # there may be ten million
    owner = Client()
    owner.force_login(run.corpus.owner)
    page = owner.get(reverse("corpus_sharing", args=[run.corpus_id])).content.decode()
    text = " ".join(re.sub("<[^>]*>", "", page).split())
    assert "ann saw something of 2 texts, all that is allowed of 1" in text
    assert "Together they saw something of 2 texts " in text


@pytest.mark.parametrize("is_own", [True, False])
def test_the_owner_of_a_part_sees_what_was_used_of_their_own_texts(run, is_own):
    """It is counted with the corpus that the part was taken from: the page asked for the part's own
    number, which nothing is counted under."""
    owner = run.corpus.owner if is_own else member(run, "ann")
    part = Corpus.objects.create(
        owner=owner,
        name="part",
        parent=run.corpus,
        provenance={"of": 1},
        embargo=True,
        status="ready",
    )
    bob = User.objects.create_user("bob@example.org", "bob")
    Membership.objects.create(corpus=part, user=bob, role="viewer")
    with embargo.reading(Person(bob.pk)):
        charge(part, [Wanted(b"x" * 32, 100, 0, 100, 40)])
    browser = Client()
    browser.force_login(owner)
    page = browser.get(reverse("corpus_sharing", args=[part.pk]))
    text = re.sub(r"\s+", " ", page.content.decode())
    assert text.count("saw something of 1 text") == (2 if is_own else 0)
    assert ("Together they" in text) == is_own


def test_parts_of_a_corpus_count_with_it(run):
    """Who makes a part owns it, may share it and delete it: a text in it is the text it was."""
    ann = member(run, "ann")
    seen = shown(Person(ann.pk), run, 2)
    part = Corpus.objects.create(
        owner=ann,
        name="part",
        parent=run.corpus,
        provenance={"of": 1},
        embargo=True,
        public=True,
        status="ready",
    )
    for person in (
        Person(ann.pk),
        Person(),
        Person(User.objects.create_user("z@example.org", "z").pk),
    ):
        with embargo.reading(person):
            assert f"user {ann.pk}" in embargo.readers(part)
            (cut,) = charge(part, [_asked(run, 2, 0, LENGTH)])
            assert set(range(*cut)) <= seen
    deletion.delete_corpus(part)
    deletion.expire_now(part)
    deletion.delete_rows(Corpus.everything.get(pk=part.pk))
    assert shown(Person(ann.pk), run, 2) == seen


def _asked(run: Run, number: int, begin: int, end: int) -> Wanted:
    digest = bytes(TextShown.objects.filter(used_up=True).values_list("digest", flat=True)[0])
    return Wanted(digest, LENGTH, begin, end, begin)


def test_of_a_short_text_a_quarter_is_shown_too(run):
    with embargo.reading(Person(member(run, "ann").pk)):
        (cut,) = charge(run.corpus, [Wanted(b"x" * 32, 100, 0, 100, 40)])
    assert cut[1] - cut[0] == 25 and cut[0] <= 40 < cut[1]


def test_it_survives_all_that_a_process_forgets(run):
    """What was shown is in the database, and nowhere else."""
    user = Person(member(run, "ann").pk)
    seen = shown(user, run, 2)
    assert Context().run(shown, user, run, 2) == seen
    TextShown.objects.all().delete()
    assert shown(user, run, 2, [LENGTH - 200])


def test_while_accounts_are_off_nothing_is_counted(run, settings):
    settings.ACCOUNTS = False
    assert len(shown(Person(), run, 2)) == LENGTH and not TextShown.objects.exists()


def test_what_was_shown_is_shown_again_without_a_write(run, django_assert_num_queries):
    user = Person(member(run, "ann").pk)
    shown(user, run, 2, [0])
    with embargo.reading(user):
        assert embargo.readers(run.corpus)
        with django_assert_num_queries(3):  # the third: whose record of reading it is on
            embargo.read_pieces(run.corpus, [(2, 0, PASSAGE, 0)])


def test_all_lines_of_a_word_are_one_write(run):
    selection = Selection.read(QueryDict(""), RunView(run))
    user = Person(member(run, "ann").pk)
    uses = senses.uses(selection.view, queries.word(run.version, texts()[2][50]), selection)
    with embargo.reading(user), CaptureQueriesContext(connection) as asked:
        assert sum(map(len, concordance.all_lines(selection, uses))) == 24
    assert sum("UPDATE text_shown" in query["sql"] for query in asked) == 1


# Pages, the API and files


def words_of(answer: str, number: int) -> set[int]:
    """Places of the words of a document that stand next to each other in an answer as they do in
    it."""
    place = {word: i for i, word in enumerate(texts()[number])}
    found = WORD.findall(answer)
    pairs = zip(found, found[1:], strict=False)
    return {place[a] for a, b in pairs if place.get(a, -9) + 1 == place.get(b, -1)}


@pytest.mark.parametrize("way", ["pages", "api"])
def test_no_text_is_pieced_together_from_lines(run, way):
    """The attack that was documented: a line of each word, stitched."""
    user = member(run, "ann")
    client = Client()
    headers = {}
    if way == "api":
        headers = {"HTTP_AUTHORIZATION": f"Bearer {tokens.create('x', user)[1]}"}
    else:
        client.force_login(user)
    seen: set[int] = set()
    for word in texts()[2][::7]:
        if way == "api":
            url = f"/api/v1/runs/{run.pk}/words/{word}/lines"
        else:
            url = reverse("run_word", args=[run.pk, word]) + "?topic=all"
        response = client.get(url, **headers)
        assert response.status_code == 200, url
        seen |= words_of(response.content.decode(), 2)
    # A word is shown whole where its first letter may be; a line's parts stand next to each other
    assert 10 < len(seen) <= WORDS // READER_PART + 10


def test_an_order_by_context_uses_up_no_text_that_is_not_shown(run):
    """All passages that are put in order would count: up to 1,000 for 25 that are shown."""
    user = member(run, "ann")
    word = texts()[2][50]
    headers = {"HTTP_AUTHORIZATION": f"Bearer {tokens.create('x', user)[1]}"}
    client = Client()
    for order in ("left", "right"):
        url = f"/api/v1/runs/{run.pk}/words/{word}/lines?sort={order}&limit=5"
        answer = client.get(url, **headers)
        assert answer.status_code == 400
        assert "order of the words around them" in answer.content.decode()
    assert not TextShown.objects.exists()
    assert not Reading.objects.filter(corpus=run.corpus_id, user=user).exists()
    client.force_login(user)
    url = reverse("run_word_json", args=[run.pk, word]) + "?topic=all"
    page = client.get(url + "&sort=left").json()
    assert page["sort"] == "certainty" and page["in_order"] == page["total"]
    assert page["lines"] == client.get(url).json()["lines"]
    assert not {offered["name"] for offered in page["sorts"]} & {"left", "right"}


def test_the_owner_may_have_lines_in_the_order_of_their_context(run):
    owner = Client()
    owner.force_login(run.corpus.owner)
    url = reverse("run_word_json", args=[run.pk, texts()[2][50]]) + "?topic=all&sort=right"
    page = owner.get(url).json()
    assert page["sort"] == "right" and page["lines"]
    assert {"left", "right"} < {offered["name"] for offered in page["sorts"]}


def test_patterns_offer_readers_the_one_order_that_they_have(run):
    client = Client()
    client.force_login(member(run, "ann"))
    url = reverse("run_pattern_json", args=[run.pk])
    page = client.get(url, {"pattern": texts()[2][50], "sort": "left"}).json()
    assert page["sort"] == "document"
    assert [offered["name"] for offered in page["sorts"]] == ["document"]


def test_no_text_is_pieced_together_from_files_that_are_streamed(run):
    """They are made in a thread of their own, whose connection is another one, after the view has
    answered."""
    user = member(run, "ann")
    readers = [f"user {user.pk}", "public", f"corpus {run.corpus_id}"]
    mine = TextShown.objects.filter(reader__in=readers)

    async def lines(word: str) -> str:
        client = AsyncClient()
        await client.aforce_login(user)
        response = await client.get(reverse("export", args=[run.pk, "lines.csv"]) + f"?word={word}")
        assert response.status_code == 200
        return b"".join([piece async for piece in response.streaming_content]).decode()

    def tidy() -> None:
        mine.delete()
        TextReader.objects.filter(reader__in=readers).delete()
        connection.close()

    seen: set[int] = set()
    try:
        for word in texts()[2][::7]:
            seen |= words_of(async_to_sync(lines)(word), 2)
        assert 10 < len(seen) <= WORDS // READER_PART + 10
        assert mine.exists()
    finally:
        thread = threading.Thread(target=tidy)
        thread.start()
        thread.join()


def test_of_a_list_of_matches_only_the_passages_count_that_it_shows(run):
    """Where a document matches, its beginning is not shown: it is neither counted nor on the record
    of reading."""
    user = member(run, "ann")
    client = Client()
    client.force_login(user)
    place = 300 * (LETTERS + 1)
    url = reverse("run_documents", args=[run.pk]) + f"?q={texts()[2][300]}"
    assert client.get(url).status_code == 200
    digest = bytes.fromhex(embargo.about(run.corpus, [2], "digest")[2]["digest"])
    (spans,) = known_spans([[f"user {user.pk}"], [digest]], lock=False).values()
    ((begin, end),) = spans
    assert begin <= place < end <= begin + PASSAGE
    recorded = Reading.objects.filter(corpus=run.corpus_id, user=user, document=2)
    assert [*recorded.values_list("begin", "end")] == [(begin, end)]


def test_of_a_list_without_a_search_the_beginnings_count(run):
    user = member(run, "ann")
    client = Client()
    client.force_login(user)
    assert client.get(reverse("run_documents", args=[run.pk])).status_code == 200
    digest = bytes.fromhex(embargo.about(run.corpus, [2], "digest")[2]["digest"])
    (spans,) = known_spans([[f"user {user.pk}"], [digest]], lock=False).values()
    assert spans == [(0, PASSAGE)]


def test_a_file_that_a_worker_makes_is_counted_for_who_asked_for_it(run, monkeypatch):
    """When it is made: its download shows nothing more, and nobody else has it."""
    monkeypatch.setattr(sizes, "SENT", 1000)
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: None)
    user = member(run, "ann")
    seen = set()
    for word in texts()[2][::7]:
        export = exported.ask(run, user, "lines.csv", QueryDict(f"word={word}"))
        exported.make(export.pk)
        seen |= words_of(exported.path(export).read_text(), 2)
    assert 10 < len(seen) <= WORDS // READER_PART + 10
    assert TextShown.objects.filter(reader=f"user {user.pk}").count() == 24


def test_every_page_is_answered_when_all_is_used_up(run):
    """And says who reads: each request has a context of its own, as in a web process."""
    user = member(run, "ann")
    client = Client()
    client.force_login(user)
    for number in range(24):
        shown(Person(user.pk), run, number)
    assert TextShown.objects.filter(used_up=True).count() == 24
    for name in sorted(
        addresses.names() - set(addresses.POSTS) - set(addresses.STREAMS) - set(addresses.ELSEWHERE)
    ):
        url = addresses.address(name, run.corpus_id, run.pk, word=texts()[2][50])
        for query in ("", f"?q={texts()[2][50]}", "?topic=0"):
            response = Context().run(client.get, url + query)
            assert response.status_code < 500, url + query
            # test_embargo.py reads the files
            body = b"" if response.streaming else response.content
            for close in response._resource_closers:
                close()
            more = {place for place in words_of(body.decode(), 2) if place >= QUARTER_OF_WORDS}
            assert len(more) < 5, url + query  # as chance has it: other texts have the same words


def test_pins_tell_the_places_of_a_quarter_of_the_words(run):
    """A pin says where what was sent stands, and it may be one word."""
    user = Person(member(run, "ann").pk)
    pinned = set()
    said = set()
    with embargo.reading(user):
        for i, word in enumerate(texts()[2]):
            try:
                pin_contents.of_passage(run.corpus, run, 2, word, None, None)
                pinned.add(i)
            except Invalid as error:
                said.add(error.message)
        assert len(pinned) == LENGTH // READER_PART // LETTERS
        again = pin_contents.of_passage(run.corpus, run, 2, texts()[2][min(pinned)], None, None)
        assert again.quote == texts()[2][min(pinned)]  # what was shown may be pinned
        with pytest.raises(Invalid) as absent:
            pin_contents.of_passage(run.corpus, run, 2, "absent", None, None)
    assert (
        said == {absent.value.message}
        and "as much of its text was shown already" in absent.value.message
    )
    with embargo.reading(Person(run.corpus.owner_id)):
        assert pin_contents.of_passage(
            run.corpus, run, 2, texts()[2][300], None, None
        ).start == 300 * (LETTERS + 1)


def test_findings_of_a_set_are_the_same_whoever_asks_first(run):
    """They are stored for everybody: what is left to a reader neither shortens them nor is used up
    by them."""
    user = member(run, "ann")
    selection = Selection.read(QueryDict("has=0:1"), RunView(run))
    with embargo.reading(Person(user.pk)):
        assert embargo.readers(run.corpus) and stored.read_or_ask(selection, user.pk)
    assert not TextShown.objects.exists()


def test_links_of_words_that_have_several_parts_ask_for_no_order_of_words(run):
    terms = search.terms(run.version, ["war", "mother-in-law", "new_deal"])
    assert terms == {
        "war": '"war"',
        "mother-in-law": '"mother" "in" "law"',
        "new_deal": '"new" "deal"',
    }
    user = member(run, "ann")
    with embargo.reading(Person(user.pk)):
        for text in terms.values():
            assert not has_order(search.open_index(run.corpus).parse(text))
            Selection.read(QueryDict(urlencode({"q": text})), RunView(run))
    version = run.version
    version.settings = version.settings | {"forms": "lemmas"}
    assert search.terms(version, ["mother-in-law"]) == {"mother-in-law": "mother in law"}


def test_no_answer_tells_where_words_stand_that_are_not_shown(run):
    """The places of all words of a text, one asked for after another, would be the text in its
    order."""
    user = member(run, "ann")
    client = Client()
    client.force_login(user)
    for number in range(24):
        shown(Person(user.pk), run, number)
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {tokens.create('x', user)[1]}"}
    word = texts()[2][317]
    place = re.compile(rf"(?<!\d){317 * (LETTERS + 1)}(?!\d)")
    names = (
        addresses.names()
        - set(addresses.POSTS)
        - set(addresses.STREAMS)
        - set(addresses.ELSEWHERE)
        - {"export"}
    )
    urls = [addresses.address(name, run.corpus_id, run.pk, word=word) for name in sorted(names)]
    urls = [
        url + query for url in urls for query in ("", f"?q={word}", "?topic=all", f"?word={word}")
    ]
    urls += [
        f"/api/v1/runs/{run.pk}/words/{word}/lines",
        f"/api/v1/runs/{run.pk}/documents?q={word}",
    ]
    told = []
    for url in urls:
        response = client.get(url, **(bearer if url.startswith("/api/") else {}))
        body = body_of(response)
        for close in response._resource_closers:
            close()
        told += [url] if response.status_code == 200 and place.search(body.decode()) else []
    assert not told
    lines = client.get(f"/api/v1/runs/{run.pk}/words/{word}/lines", **bearer).json()["items"]
    (line,) = [line for line in lines if line["document"] == 2]
    assert line["at"] is None and line["word"] == "…" and "at=" not in line["url"]
    with embargo.reading(Person(user.pk)):
        selection = Selection.read(QueryDict(""), RunView(run))
        uses = senses.uses(selection.view, queries.word(run.version, word), selection)
        (row,) = [
            line
            for block in concordance.all_lines(selection, uses)
            for line in block
            if line.document == 2
        ]
    assert row.at is None and row.passage_url is None  # so is a row of lines.csv


def test_a_cached_page_is_counted_for_whom_it_is_shown_to(run):
    links = [sharing.make_link(run.corpus, run.corpus.owner, str(i), 7)[0].pk for i in range(2)]
    url = reverse("run_word", args=[run.pk, texts()[2][50]]) + "?topic=all"
    for link in links:
        client = Client()
        client.get("/")
        session = client.session
        session[authorization.LINKS] = [link]
        session.save()
        client.cookies["sessionid"] = session.session_key
        for _ in range(2):
            assert client.get(url).status_code == 200
    assert TextShown.objects.filter(reader=f"link {links[0]}").count() > 0
    assert (
        TextShown.objects.filter(reader=f"link {links[0]}").count()
        == TextShown.objects.filter(reader=f"link {links[1]}").count()
    )


def test_pages_say_what_counts(run):
    client = Client()
    client.force_login(member(run, "ann"))
    page = client.get(reverse("run_document", args=[run.pk, 2])).content.decode()
    assert (
        "Of each text you see a quarter in all" in page and "Searches and counts still tell" in page
    )
    client.force_login(run.corpus.owner)
    page = client.get(reverse("run_document", args=[run.pk, 2])).content.decode()
    assert "under embargo" in page and "a quarter in all" not in page


# Spans


def test_spans_are_sets_of_characters():
    chance = random.Random(1)
    for _ in range(300):
        spans = []
        places = set()
        for _ in range(chance.randrange(12)):
            a = chance.randrange(90)
            b = a + chance.randrange(1, 12)
            spans = join_span(spans, a, b)
            places = places | set(range(a, b))
        assert {i for a, b in spans for i in range(a, b)} == places
        assert all(b < c for (_, b), (c, _) in zip(spans, spans[1:], strict=False))  # apart
        a = chance.randrange(90)
        b = chance.randrange(90, 110)
        assert {i for c, d in overlaps(spans, a, b) for i in range(c, d)} == places & set(
            range(a, b)
        )
        left = chance.randrange(20)
        mark = chance.randrange(a, b)
        begin, end = affordable_span(Wanted(b"", 0, a, b, mark), [overlaps(spans, a, b)], [left])
        assert a <= begin <= end <= b
        cost = len(set(range(begin, end)) - places)
        assert cost <= left and (begin <= mark < end or cost == 0)
        if (begin, end) != (a, b):  # nothing more could be shown
            assert cost == left or (begin == end and left == 0)


def test_passages_of_a_page_from_the_cache_and_of_a_file_are_on_the_record_of_reading(run):
    """A cached page asks for no text: what it showed first is noted again."""
    client = Client()
    client.force_login(member(run, "ann"))
    recorded = Reading.objects.filter(corpus=run.corpus_id, user__name="ann")
    url = reverse("run_documents", args=[run.pk])
    client.get(url)
    once = recorded.count()
    client.get(url)
    assert recorded.count() == 2 * once > 0
    word = texts()[0][0]
    answer = client.get(reverse("export", args=[run.pk, "lines.csv"]) + f"?word={word}")
    assert answer.status_code == 200 and recorded.filter(kind="file", file="lines.csv").exists()


@pytest.mark.parametrize(
    "pin",
    [
        {"kind": "passage", "document": 2, "quote": "{guess}", "comment": "x" * 10_001},
        {
            "kind": "chart",
            "title": "Years",
            "address": "/runs/1/time/",
            "sentence": "More.",
            "passages": '[{"document": 2, "quote": "{guess}"}, {"document": 2, "quote": "{long}"}]',
        },
    ],
    ids=["a comment that is too long", "a second passage that is too long"],
)
def test_what_a_pin_tells_is_counted_although_it_fails_afterwards(run, pin):
    """Else guesses, each of which fails in the end, would spell out a text for nothing."""
    ann = member(run, "ann")
    client = Client()
    client.force_login(ann)
    guess = " ".join(texts()[2][:3])
    filled = {
        name: str(value).replace("{guess}", guess).replace("{long}", "y" * 10_001)
        for name, value in pin.items()
    }
    answer = Context().run(client.post, reverse("pin"), filled | {"run": run.pk})
    assert answer.status_code == 302
    assert not Pin.objects.filter(notebook__owner=ann).exists()
    assert TextShown.objects.filter(reader=f"user {ann.pk}").count() == 1
