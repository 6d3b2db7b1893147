"""Charts in pages of other sites: who sees them, in whose frames, and what an attacker gets."""

import re
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from inference.errors import Invalid
from webapp.analysis.findings.overview import overview
from webapp.analysis.topics.shapes import GroupBin, TopicGroups
from webapp.core.documents.selection import Selection
from webapp.core.notebooks import pictures as pictures_of_tables
from webapp.core.results.view import RunView
from webapp.models import Corpus, Link, Run, User
from webapp.platform.accounts import embargo, framing, sharing
from webapp.platform.drawing import kept_chart, pictures
from webapp.platform.drawing.colours import GENERAL, ON_PAPER
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import HIGH, LOW, KeptTable
from webapp.service.corpora import deletion
from webapp.service.embedding import charts
from webapp.service.embedding.pictures import Layer, stacked

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[4]
SITE = "https://blog.example.org"
CHARTS = {
    "time": "topics=1",
    "river": "",
    "compare": "q=war&rest=1",
    "word": "word=militia",
}


def of_chart(run, name="time", query=None, key=""):
    asked = CHARTS[name] if query is None else query
    parts = [part for part in (asked, urlencode({"key": key}) if key else "") if part]
    path = reverse("embed", args=[run.pk, name])
    return f"{path}?{'&'.join(parts)}" if parts else path


@pytest.fixture
def shared(trained, settings):
    """The corpus with its site allowed; accounts are on."""
    settings.ACCOUNTS = True
    owner = User.objects.create_user("ada@example.org", "ada")
    Corpus.objects.filter(pk=trained.corpus_id).update(owner=owner)
    run = Run.objects.get(pk=trained.pk)
    framing.allow(run.corpus, SITE)
    return run


@pytest.fixture
def public(shared):
    sharing.publish(shared.corpus, True)
    return shared


def key_for(run, days=7, name="time"):
    link, _ = sharing.make_link(run.corpus, run.corpus.owner, "a blog", days)
    return link, framing.key_of(link.pk, of_chart(run, name))


@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_has_its_picture_its_sentence_and_its_source(public, name):
    answer = Client().get(of_chart(public, name))
    body = answer.content.decode()
    assert answer.status_code == 200, body[-800:]
    assert "<svg" in body and public.corpus.name in body and "%" in body
    assert "<nav" not in body and "<script" not in body and "csrf" not in body
    assert not answer.cookies and "Set-Cookie" not in answer


def test_frames_are_for_the_listed_sites_alone(public):
    answer = Client().get(of_chart(public))
    assert f"frame-ancestors {SITE};" in answer["Content-Security-Policy"] + ";"
    assert "X-Frame-Options" not in answer
    for url in (
        reverse("run", args=[public.pk]),
        reverse("run_time", args=[public.pk]),
        reverse("run_embed", args=[public.pk, "time"]),
        reverse("account_login"),
        of_chart(public, "time", "topics=999"),
    ):
        other = Client().get(url, follow=True)
        assert "frame-ancestors 'none'" in other["Content-Security-Policy"], url
        assert other["X-Frame-Options"] == "DENY", url


def test_without_a_site_there_is_no_chart(public):
    framing.allow(public.corpus, "")
    assert Client().get(of_chart(public)).status_code == 404


def test_while_accounts_are_off_nobody_frames_it(trained, client):
    answer = client.get(of_chart(trained))
    assert answer.status_code == 200
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "text",
    [
        "*",
        "http://blog.example.org",
        "https://*",
        "https://blog.example.org/path",
        "https://blog.example.org;script-src",
        "https://blog.example.org'",
        "'self'",
        "javascript:alert(1)",
        "https://user@blog.example.org",
        "https://*.org",
        "https://a.*.example.org",
        " ".join(f"https://s{i}.example.org" for i in range(21)),
    ],
)
def test_what_is_no_site_is_refused(trained, text):
    with pytest.raises(Invalid) as refused:
        framing.allow(trained.corpus, text)
    assert refused.value.field == "sites"


def test_sites_are_read_line_by_line(trained):
    framing.allow(trained.corpus, "https://A.example.org/\nhttps://*.example.org:8443")
    trained.corpus.refresh_from_db()
    assert trained.corpus.embed_sites == ["https://a.example.org", "https://*.example.org:8443"]


def test_a_private_chart_needs_its_key(shared):
    link, key = key_for(shared)
    assert Client().get(of_chart(shared)).status_code == 404
    assert Client().get(of_chart(shared, key=key)).status_code == 200
    wrong = [
        "x",
        f"{link.pk}.",
        f"{link.pk}.{'a' * 43}",
        key[:-1],
        f"0{key}",
        f"²{key}",
        f"{link.pk + 1}.{key.split('.')[1]}",
    ]
    for one in wrong:
        assert Client().get(of_chart(shared, key=one)).status_code == 404, one


def test_a_key_answers_no_other_question(shared):
    """Whoever reads the page learns the chart, and nothing else of a corpus that is not public."""
    _, key = key_for(shared)
    for name, query in (
        ("time", "topics=2"),
        ("time", "topics=1&q=war"),
        ("time", "topics=1&by=party"),
        ("time", ""),
        ("word", "word=militia"),
        ("river", ""),
    ):
        assert Client().get(of_chart(shared, name, query, key)).status_code == 404, (name, query)


def test_a_chart_ends_with_its_link(shared):
    link, key = key_for(shared)
    sharing.revoke_link(shared.corpus, link.pk)
    assert Client().get(of_chart(shared, key=key)).status_code == 404
    link, key = key_for(shared)
    Link.objects.filter(pk=link.pk).update(expires_at="2020-01-01T00:00Z")
    assert Client().get(of_chart(shared, key=key)).status_code == 404


def test_a_key_of_another_corpus_opens_nothing(shared):
    other = Corpus.objects.create(name="Other", owner=shared.corpus.owner)
    link, _ = sharing.make_link(other, other.owner, "", 7)
    key = framing.key_of(link.pk, of_chart(shared))
    assert Client().get(of_chart(shared, key=key)).status_code == 404


def test_the_session_opens_nothing(shared, client):
    """The owner sees what everybody sees: an address works without a session, or not at all."""
    client.force_login(shared.corpus.owner)
    assert client.get(of_chart(shared)).status_code == 404


def test_nothing_of_a_deleted_corpus_is_shown(public):
    deletion.delete_corpus(public.corpus)
    assert Client().get(of_chart(public)).status_code == 404


def test_an_embargo_holds_also_for_its_owner(public, client):
    """No set is chosen by the order of words, whoever has signed in."""
    embargo.set_embargo(public.corpus, True)
    client.force_login(public.corpus.owner)
    asked = urlencode({"topics": 1, "q": '"of the"'})
    assert client.get(of_chart(public, query=asked)).status_code == 400
    assert client.get(of_chart(public)).status_code == 200


# The page that gives the HTML


def test_the_owner_copies_html_that_works(shared, client):
    client.force_login(shared.corpus.owner)
    page = reverse("run_embed", args=[shared.pk, "time"]) + "?topics=1"
    assert "its owner must make a link" in client.get(page).content.decode()
    link, _ = sharing.make_link(shared.corpus, shared.corpus.owner, "a blog", 7)
    html = client.get(page).context["page"].html
    address = re.search(r'src="([^"]+)"', html)[1].replace("&amp;", "&")
    assert Client().get(address).status_code == 200
    sharing.revoke_link(shared.corpus, link.pk)
    assert Client().get(address).status_code == 404


def test_who_reads_by_a_link_gets_that_links_key(shared):
    mine, secret = sharing.make_link(shared.corpus, shared.corpus.owner, "mine", 7)
    sharing.make_link(shared.corpus, shared.corpus.owner, "another", 7)
    client = Client()
    client.get(reverse("share", args=[secret]))
    page = client.get(reverse("run_embed", args=[shared.pk, "time"]) + "?topics=1").context["page"]
    assert f"key={mine.pk}." in page.address and page.link == "mine"


def test_public_charts_need_no_key(public):
    page = Client().get(reverse("run_embed", args=[public.pk, "time"])).context["page"]
    assert page.address and "key" not in page.address and not page.by_link


@pytest.mark.parametrize("name", ["time", "compare"])
def test_pictures_are_downloaded(trained, client, name):
    for form, begins in (("svg", b"<svg"), ("png", pictures.SIGNATURE)):
        url = reverse("run_picture", args=[trained.pk, name, form]) + f"?{CHARTS[name]}"
        answer = client.get(url)
        assert answer.status_code == 200 and answer.content.startswith(begins)
        assert "attachment" in answer["Content-Disposition"]
        assert (b"data:font/woff2" in answer.content) == (form == "svg")
    assert b"pHYs" in answer.content
    per_metre = int.from_bytes(answer.content.split(b"pHYs")[1][:4], "big")
    assert round(per_metre * 0.0254) == 300
    assert client.get(url.replace(".png", ".exe")).status_code == 404


def test_a_chart_that_is_not_known_is_missing(trained, client):
    assert client.get(reverse("embed", args=[trained.pk, "nothing"])).status_code == 404
    assert client.get(reverse("run_embed", args=[trained.pk, "nothing"])).status_code == 404


def test_every_colour_of_paper_has_one_in_the_dark():
    css = (ROOT / "static/css/embed.css").read_text()
    filled = [*enumerate(ON_PAPER)]
    for number, colour in filled:
        assert f'[fill="{colour}"] {{ fill: var(--t{number}); }}' in css, number
    for number, colour in filled[: len(pictures.COLOURS)]:
        assert f'[stroke="{colour}"] {{ stroke: var(--t{number}); }}' in css, number
    for colour in (pictures.INK, pictures.FADED, pictures.RULE):
        assert f'"{colour}"' in css


def test_a_family_has_the_colour_that_it_has_on_pages():
    """Not that of its place among the others."""
    layers = [
        Layer("Ships", 5, [0.3, 0.2]),
        Layer("Letters", GENERAL + 4, [0.3, 0.4]),
        Layer(charts.ALL_OTHERS, GENERAL, [0.4, 0.4]),
    ]
    picture = stacked(["1900", "1910"], layers, "Families.")
    hues = [layer.hue for layer in layers]
    assert [area.colour for area in picture.areas] == [ON_PAPER[hue] for hue in hues]
    colour_of_text = {text.text: text.colour for text in picture.texts}
    assert colour_of_text["Ships"] == ON_PAPER[5]
    assert colour_of_text["Letters"] == colour_of_text[charts.ALL_OTHERS] == pictures.INK


def test_the_river_has_the_hues_of_its_page(trained):
    view = RunView(Run.objects.get(pk=trained.pk))
    page = overview(Selection.read(QueryDict(""), view), "", None)
    families = [row.family for row in page.findings if row.family is not None]
    families.sort(key=lambda family: -family.share)
    hues = [family.hue for family in families[: charts.MOST_LAYERS]]
    areas = charts.chart(view, "river", QueryDict("")).picture.areas
    assert [area.colour for area in areas] == [ON_PAPER[hue] for hue in [*hues, GENERAL]]


def test_a_river_has_as_many_families_as_its_page(trained):
    view = RunView(Run.objects.get(pk=trained.pk))
    selection = Selection.read(QueryDict(""), view)
    for number in (2, 4):
        page = overview(selection, "", None, number)
        families = [row.family.name for row in page.findings if row.family is not None]
        chart = charts.chart(view, "river", QueryDict(f"families={number}"))
        assert len(chart.picture.areas) == min(len(families), charts.MOST_LAYERS) + 1, number
        named = chart.sentence.removeprefix("The largest families: ")
        assert any(named.startswith(name) for name in families), number


def test_charts_of_a_set_say_of_whose_words_their_shares_are(public):
    """Shares within a set are no shares of all words, and a reader elsewhere sees no more than the
    sentence."""
    run = Run.objects.get(pk=public.pk)
    named_set = Selection.read(QueryDict("from=1800"), RunView(run)).sentence
    assert named_set != "all documents"
    for name, query in (("time", "topics=1&"), ("river", "")):
        of_set = Client().get(of_chart(public, name, f"{query}from=1800")).content.decode()
        assert f"of the words of {named_set}" in of_set.replace("\n", " "), name
        assert "all words" not in of_set
        of_all = Client().get(of_chart(public, name, query.rstrip("&"))).content.decode()
        assert "of the words of all documents" in of_all.replace("\n", " "), name


@pytest.mark.parametrize("query", ["constant=time", "order=ratio", "constant=time&order=ratio"])
def test_a_comparison_has_the_numbers_of_its_page(trained, client, query):
    asked = f"has=1:20&rest=1&{query}"
    url = f"{reverse('run_time_compare_json', args=[trained.pk])}?{asked}"
    first = next(row for part in client.get(url).json()["more"] for row in part)
    view = RunView(Run.objects.get(pk=trained.pk))
    sentence = charts.chart(view, "compare", QueryDict(asked)).sentence
    shares = " and ".join(map(percent, first["share"]))
    assert first["label"] in sentence.partition(": ")[0] and f": {shares} of the words" in sentence
    assert ("Time is held constant" in sentence) == ("constant" in query)


# oEmbed


def described(address, **more):
    return Client().get(f"{reverse('oembed')}?{urlencode({'url': address, **more})}")


def test_oembed_describes_a_chart_of_this_server(public):
    answer = described(f"http://testserver{of_chart(public)}", maxwidth=400)
    said = answer.json()
    assert said["version"] == "1.0" and said["type"] == "rich" and said["width"] == 400
    assert f'src="http://testserver{of_chart(public)}"' in said["html"]
    assert described(f"http://testserver{of_chart(public)}", format="xml").status_code == 501


def test_oembed_describes_a_private_chart_by_its_key(shared):
    link, key = key_for(shared)
    address = f"http://testserver{of_chart(shared, key=key)}"
    assert described(address).status_code == 200
    assert described(f"http://testserver{of_chart(shared)}").status_code == 404
    sharing.revoke_link(shared.corpus, link.pk)
    assert described(address).status_code == 404


@pytest.mark.parametrize(
    "foreign",
    [
        "http://evil.example{}",
        "https://testserver{}",
        "//testserver{}",
        "http://testserver@evil.example{}",
        "http://evil.example@testserver{}",
        "http://testserver.evil.example{}",
        "http://testserver:81{}",
        "http://testserver\\@evil.example{}",
        "http://[testserver{}",
        "javascript:alert(1)//{}",
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data",
        "http://testserver/account/",
        "http://testserver/runs/{}/",
        "http://testserver{}#fragment",
        "",
        "x" * 5000,
    ],
)
def test_oembed_describes_nothing_else(public, foreign):
    answer = described(foreign.format(of_chart(public)))
    assert answer.status_code == 404 and b"iframe" not in answer.content


def test_oembed_repeats_nothing_as_it_was_sent(public):
    attack = quote('"><script>alert(1)</script>')
    answer = described(f"http://testserver{of_chart(public)}&x={attack}")
    assert answer.status_code == 200
    assert "<script" not in answer.json()["html"] and '"><' not in answer.json()["html"][:-20]


def test_only_the_owner_lists_sites(shared):
    url = reverse("corpus_sharing", args=[shared.corpus_id])
    client = Client()
    client.force_login(shared.corpus.owner)
    client.post(url, {"act": "sites", "sites": "https://other.example.org"})
    shared.corpus.refresh_from_db()
    assert shared.corpus.embed_sites == ["https://other.example.org"]
    refused = client.post(url, {"act": "sites", "sites": "*"})
    assert refused.status_code == 400 and "not the address of a site" in refused.content.decode()


def test_every_chart_names_the_page_it_is_on():
    assert set(charts.PAGES) == set(charts.NAMES) == set(CHARTS)


def test_a_chart_is_drawn_where_shares_are_known_and_intervals_are_not():
    columns = ["year", "War", f"War{LOW}", f"War{HIGH}"]
    known = KeptTable([["1990", 0.2, None, None], ["1991", None, None, None]], columns)
    unknown = KeptTable([["1990", None, None, None], ["1991", None, None, None]], columns)
    assert pictures_of_tables.can_be_drawn(known) and pictures_of_tables.picture_of(known)
    assert not pictures_of_tables.can_be_drawn(unknown)
    one = KeptTable([["1990", 0.2, 0.1, 0.3]], columns)
    assert not pictures_of_tables.can_be_drawn(one)
    ends = KeptTable([["1990", 0.1, 0.3], ["1991", 0.1, 0.3]], ["year", f"War{LOW}", f"War{HIGH}"])
    assert pictures_of_tables.picture_of(ends) is None
    assert not kept_chart.draw(ends.columns, ends.rows)


def test_topics_that_are_called_alike_have_a_line_each():
    columns = ["year", "War", f"War{LOW}", f"War{HIGH}", "War", f"War{LOW}", f"War{HIGH}"]
    rows = [["1990", 0.2, 0.1, 0.3, 0.6, 0.5, 0.7], ["1991", 0.4, 0.3, 0.5, 0.8, 0.7, 0.9]]
    first, second = pictures_of_tables.series_of(KeptTable(rows, columns))
    assert (first.values, first.low, first.high) == ([0.2, 0.4], [0.1, 0.3], [0.3, 0.5])
    assert (second.values, second.low, second.high) == ([0.6, 0.8], [0.5, 0.7], [0.7, 0.9])
    assert kept_chart.draw(columns, rows).count(">War</text>") == 2


@pytest.mark.parametrize(
    ("shares", "has"), [([], False), ([0.2], False), ([None, None], False), ([None, 0.2], True)]
)
def test_a_chart_is_offered_where_there_is_one(shares, has):
    bins = [GroupBin(str(i), "", 0, 0, share, 0, 0) for i, share in enumerate(shares)]
    assert TopicGroups("year", True, ["year"], bins).has_chart == has
