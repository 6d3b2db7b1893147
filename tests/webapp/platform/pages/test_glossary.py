"""Words are explained where they stand, once a page, and all of them on one page."""

import re

import pytest
from django.template import Context, Template
from django.test import RequestFactory

from webapp.platform.local.folder import ROOT
from webapp.platform.pages.glossary import TERMS


def rendered(source: str) -> str:
    template = Template("{% load terms %}" + source + "|{% definitions %}")
    return template.render(Context({"request": RequestFactory().get("/"), "name": "<seed>"}))


def test_a_word_is_explained_once_however_often_it_is_asked_for():
    html = rendered('{% term "coherence" %} {% term "coherence" name %} {% term "seed" %}')
    words, definitions = html.split("|")
    assert words.count('popovertarget="term-coherence"') == 2 and "&lt;seed&gt;" in words
    assert re.findall(r'id="(.*?)"', definitions) == ["term-coherence", "term-seed"]
    assert TERMS["seed"].says in definitions and 'href="/glossary/#seed"' in definitions


def test_a_page_without_such_words_has_no_definitions():
    assert rendered("{% term_of 'burn_in' name %}").strip() == "&lt;seed&gt;|"


def test_a_word_that_the_glossary_lacks_is_a_mistake():
    with pytest.raises(KeyError, match="cohrence"):
        rendered('{% term "cohrence" %}')


def test_templates_ask_for_known_words():
    asked = {
        slug
        for path in (ROOT / "templates").rglob("*.html")
        for slug in re.findall(r'{% term "(.*?)"', path.read_text())
    }
    assert asked and asked <= TERMS.keys()


def test_definitions_are_sentences_that_stand_by_themselves():
    for slug, term in TERMS.items():
        assert re.fullmatch(r"[a-z0-9-]+", slug)
        assert 30 < len(term.says) < 200, slug
        assert re.search(r"[.”]$", term.says) and re.search(r"^$|[.]$", term.more), slug


def test_the_page_has_them_all(client):
    html = client.get("/glossary/").content.decode()
    assert [slug for slug in TERMS if f'<div id="{slug}">' not in html] == []
    assert client.get("/glossary.json").json()["terms"].keys() == TERMS.keys()
