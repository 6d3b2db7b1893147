"""Every address, by its name in webapp.urls, and an example of each. Tests of all pages walk these lists."""

from uuid import UUID

from django.urls import URLPattern, get_resolver, reverse

PAGES = [  # with a .json twin
    "glossary",
    "compare",
    "deleted",
    "operator",
    "corpus",
    "corpus_files",
    "corpus_problems",
    "corpus_vocabulary",
    "corpus_documents",
    "corpus_document",
    "corpus_whole",
    "run",
    "run_topics",
    "run_topic",
    "run_topic_words",
    "run_topic_word",
    "run_documents",
    "run_document",
    "run_whole",
    "run_without",
    "run_carry",
    "run_time",
    "run_time_table",
    "run_time_compare",
    "run_words",
    "run_word",
    "run_compare_words",
    "run_curation",
    "notebooks",
    "run_take",
    "run_methods",
    "run_reading",
    "run_reading_results",
    "reading_passages",
    "reading_words",
    "reading_topics",
]
OTHER = [
    "home",
    "corpus_prepare",
    "corpus_words",
    "corpus_phrases",
    "corpus_subset",
    "corpus_sharing",
    "run_try",
    "api_reference",
    "tokens",
    "account",
]  # pages without
PROBES = ["healthz", "readyz", "metrics"]  # for machines: no pages; tests/webapp/operations/test_health.py asks them
OF_ALL = [
    *PROBES,
    "home",
    "compare",
    "compare_json",
    "deleted",
    "deleted_json",
    "operator",
    "operator_json",
    "glossary",
    "glossary_json",
    "notebooks",
    "notebooks_json",
    "api_reference",
    "tokens",
    "account",
]  # of no corpus: never missing
STREAMS = ["corpus_events", "run_events"]
FILES = [
    "corpus_report",
    "export",
    "document_word",
    "run_bib",
    "run_time_csv",
]
POSTS = [
    "run_without_train",
    "run_carry_over",
    "corpora",
    "example",
    "corpus_runs",
    "corpus_embargo",
    "corpus_add",
    "corpus_again",
    "corpus_retry",
    "token_revoke",
    "corpus_delete",
    "corpus_bring_back",
    "corpus_for_good",
    "run_stop",
    "operator_stop",
    "operator_again",
    "run_cancel",
    "run_again",
    "run_onward",
    "run_delete",
    "run_bring_back",
    "run_for_good",
    "topic_edit",
    "edit_undo",
    "edit_redo",
    "edits_undo",
    "curation_table",
    "reader",
    "reading_passages_answer",
    "reading_words_answer",
    "reading_topics_answer",
    "notebook_new",
    "pin",
    "notebook_change",
    "notebook_pin",
]
TUS = ["uploads", "upload"]  # no pages but a protocol: tests/webapp/ingest/test_uploads.py
ELSEWHERE = [
    *TUS,
    *PROBES,
    "corpus_owner",
    "corpus_deleted",
    "run_deleted",
    "notebook",
    "notebook_json",
    "notebook_md",
    "notebook_html",
    "shared",
    "shared_json",
    "share",
]  # made by the tests that ask for them

VALUES = {  # of a page's own part of its address, in the shipped example
    "number": 2,
    "first": 2,
    "word": "militia",
    "edit_id": 1,
    "batch": UUID(int=1),
    "notebook_id": 10**12,
    "pin_id": 1,
    "token": "x",
    "file": "document-topics.csv",
    "column": 0,
    "kind": "run",
    "key": 10**12,
    "token_id": 10**12,
}

NEEDED = {"corpus_subset": "q=war"}  # queries without which a page has nothing to show
STATES = {
    "operator": ["kind=run&state=failed"],  # queries with which a page looks otherwise
    "corpus_documents": ["q=war", "q=zyzzyva"],
    "run_documents": ["q=war", "q=zyzzyva"],
    "run_document": ["topic=1"],
    "run_topics": ["word=war", "word=zyzzyva", "view=map", "view=grid", "view=time"],
    "run_words": ["q=wa", "q=zyzzyva"],
}


def names() -> set[str]:
    return {pattern.name for pattern in get_resolver("webapp.urls").url_patterns if isinstance(pattern, URLPattern)}


def address(name: str, corpus: int, run: int, **more) -> str:
    """An example of it: a corpus, a run, and what else stands in it from VALUES."""
    route = next(p for p in get_resolver("webapp.urls").url_patterns if getattr(p, "name", None) == name).pattern
    values = VALUES | {"corpus_id": corpus, "run_id": run} | more
    return reverse(name, "webapp.urls", kwargs={key: values[key] for key in route.converters})
