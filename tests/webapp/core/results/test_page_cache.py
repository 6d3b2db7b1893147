"""Pages that are kept: once made they cost little, and show nothing that is not so any more, nor to
whom it is not meant."""

import re

import pytest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.test import Client
from django.urls import reverse

from webapp.analysis.topics import views
from webapp.core.curation import services as curation
from webapp.core.notebooks import services as notebooks
from webapp.core.results import labels, page_cache
from webapp.models import Corpus, Membership, User
from webapp.platform.accounts import sharing
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db
TOKENS = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')


@pytest.fixture
def made(monkeypatch):
    """Addresses of the page of topics that were made, and not taken from what was kept."""
    asked = []

    def read(query, run):
        asked.append(query.urlencode())
        return original(query, run)

    original = views.read_listing_query
    monkeypatch.setattr(views, "read_listing_query", read)
    return asked


@pytest.fixture
def url(trained):
    return reverse("run_topics", args=[trained.pk])


def without_token(answer) -> bytes:
    """A page without the token of its forms, which is another one each time."""
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", answer.content)


def test_a_page_is_made_once(client, url, made, django_assert_max_num_queries):
    first = without_token(client.get(url))
    # The run, its edits, the notebooks that may be pinned to
    with django_assert_max_num_queries(3):
        assert without_token(client.get(url)) == first
    assert len(made) == 1
    assert client.get(url, {"sort": "number"}).content != first
    assert client.get(url + "?sort=number&word=x").status_code == 200
    assert len(made) == 3
    assert client.get(url.rstrip("/") + ".json").json()["count"] == 6
    assert len(made) == 4


def test_an_edit_shows_at_once_and_so_does_taking_it_back(client, trained, url):
    page = without_token(client.get(url))
    curation.change(trained, 2, {"label": "Husbandry"}, "Ada")
    assert b"Husbandry" in client.get(url).content
    curation.change(trained, 2, {"label": "Farming"}, "Ada")
    renamed = without_token(client.get(url))
    assert b"Farming" in renamed and b"Husbandry" not in renamed
    newest, older = trained.edits.order_by("-pk")
    curation.undo(trained, newest, "Ada")
    assert b"Husbandry" in client.get(url).content
    curation.undo(trained, older, "Ada")
    assert without_token(client.get(url)) == page
    curation.redo(trained, newest)
    assert without_token(client.get(url)) == renamed


def test_states_of_edits_differ_wherever_names_do(trained):
    curation.change_many(trained, {k: {"label": f"Topic {k}"} for k in range(3)}, "Ada")
    found = {labels.state(trained)}
    for edit in trained.edits.order_by("pk"):
        curation.undo(trained, edit, "Ada")
        found.add(labels.state(trained))
        curation.redo(trained, edit)
        assert labels.state(trained) in found
    assert len(found) == 4


def test_rows_that_a_page_shows_are_part_of_what_it_is_kept_by(client, trained, url):
    client.get(url)
    Corpus.objects.filter(pk=trained.corpus_id).update(name="Renamed")
    assert b"Renamed" in client.get(url).content


def test_a_set_of_documents_shows_no_text_once_it_is_under_embargo(client, trained):
    url = reverse("run_documents", args=[trained.pk])
    open_ = client.get(url).content
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    closed = client.get(url).content
    assert max(len(text) for text in re.findall(rb'<p class="snippet"[^>]*>([^<]*)', open_)) > 250
    assert max(len(text) for text in re.findall(rb'<p class="snippet"[^>]*>([^<]*)', closed)) < 250
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=False)
    assert client.get(url).content == open_


def test_what_one_may_do_is_not_shown_to_another(settings, trained, url):
    settings.ACCOUNTS = True
    owner, viewer, stranger = (
        User.objects.create_user(f"{name}@example.org", name) for name in ("Ada", "Bert", "Carl")
    )
    Corpus.objects.filter(pk=trained.corpus_id).update(owner=owner)
    Membership.objects.create(corpus=trained.corpus, user=viewer, role="viewer")
    notebooks.create("Ada’s own notebook", "Ada", owner)
    topic = reverse("run_topic", args=[trained.pk, 2])

    def seen(user) -> tuple[int, bytes]:
        client = Client()
        if user:
            client.force_login(user)
        answer = client.get(topic)
        return answer.status_code, answer.content

    for _ in range(2):  # made, then kept
        status, page = seen(owner)
        assert (
            status == 200
            and b"Ada\xe2\x80\x99s own notebook" in page
            and b"topic_edit" not in page
            and b'name="label"' in page
        )
        status, page = seen(viewer)
        assert (
            status == 200
            and b"own notebook" not in page
            and b'name="label"' not in page
            and b"Bert" in page
            and b">Ada<" not in page
        )
        assert seen(stranger)[0] == 404 and seen(None)[0] == 404
    link, secret = sharing.make_link(trained.corpus, owner, "a friend", 7)
    friend = Client()
    friend.get(reverse("share", args=[secret]))
    assert friend.get(topic).status_code == 200
    sharing.revoke_link(trained.corpus, link.pk)
    assert friend.get(topic).status_code == 404
    Membership.objects.filter(user=viewer).update(role="editor")
    assert b'name="label"' in seen(viewer)[1]


def test_forms_of_a_kept_page_have_tokens_of_who_asks(trained):
    url = reverse("run_topic", args=[trained.pk, 2])
    one = Client(enforce_csrf_checks=True)
    other = Client(enforce_csrf_checks=True)
    tokens = [TOKENS.findall(client.get(url).content) for client in (one, other, other)]
    assert all(tokens) and page_cache.TOKEN.encode() not in {
        token for found in tokens for token in found
    }
    edit = reverse("topic_edit", args=[trained.pk, 2])
    assert (
        other.post(edit, {"label": "x", "csrfmiddlewaretoken": tokens[2][0].decode()}).status_code
        == 302
    )
    assert (
        Client(enforce_csrf_checks=True)
        .post(edit, {"label": "y", "csrfmiddlewaretoken": tokens[2][0].decode()})
        .status_code
        == 403
    )


def test_a_browser_that_has_the_page_is_told_so_until_it_is_another(client, trained, url):
    client.get(url)  # with the cookie of forms there, it stays the same
    had = client.get(url)["ETag"]
    answer = client.get(url, headers={"If-None-Match": had})
    assert (answer.status_code, answer.content) == (304, b"")
    assert "Content-Security-Policy" not in answer  # the browser keeps that of the page
    curation.change(trained, 2, {"label": "Husbandry"}, "Ada")
    answer = client.get(url, headers={"If-None-Match": had})
    assert answer.status_code == 200 and answer["ETag"] != had


def test_a_message_is_shown_once(client, trained):
    client.post(
        reverse("topic_edit", args=[trained.pk, 2]),
        {"colour": "99", "next": reverse("run_topic", args=[trained.pk, 2])},
    )
    url = reverse("run_topic", args=[trained.pk, 2])
    assert b'class="messages"' in client.get(url).content
    assert b'class="messages"' not in client.get(url).content


def test_a_view_that_was_looked_at_before_is_not_shown_again(client, url):
    """A link to the topics of a family promises a list."""
    assert b"data-map" in client.get(url, {"view": "map"}).content
    assert b"data-map" not in client.get(url).content


def test_data_choose_no_view_for_the_page(client, url):
    data = url.rstrip("/") + ".json"
    assert client.get(data, {"view": "map"}).status_code == 200
    assert b"data-map" not in client.get(url).content


def test_what_is_kept_weighs_no_more_than_it_may():
    pages = cache.BoundedCache(100, len)
    for i in range(10):
        pages.set(i, b"x" * 30)
    assert [i for i in range(10) if pages.get(i)] == [7, 8, 9]
    pages.set(9, b"x" * 90)
    assert [i for i in range(10) if pages.get(i)] == [9]
    pages.set(10, b"x" * 101)
    assert pages.get(10) is None and pages.get_or_set(10, lambda: b"y") == b"y"
    pages.clear()
    pages.set(1, b"x" * 100)
    assert pages.get(1)


def test_what_is_no_page_keeps_its_headers_and_is_made_each_time(client, trained, url):
    asked = []

    def view(request, run):
        asked.append(run.pk)
        return (
            redirect("/elsewhere/?q=é")
            if len(asked) < 3
            else HttpResponse(page_cache.TOKEN, status=404, headers={"X-Why": "none"})
        )

    request = client.get(url).wsgi_request
    page_cache.clear()  # of the page itself, which has the same address
    answers = [page_cache.cached_page()(view)(request, run_id=trained.pk) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 404] and len(asked) == 3
    assert answers[0]["Location"] == answers[1]["Location"] == "/elsewhere/?q=%C3%A9"
    assert answers[2]["X-Why"] == "none" and page_cache.TOKEN.encode() not in answers[2].content
