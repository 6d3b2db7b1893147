"""Every address. A page that has a .json twin is listed by `page`, once for both."""

from functools import partial

from django.urls import URLPattern, include, path

from webapp.accounts import sharing_views
from webapp.accounts import views as account
from webapp.api import api
from webapp.api import views as api_views
from webapp.compare import views as comparisons
from webapp.corpora import deletion_views, file_views, version_views
from webapp.corpora import views as corpora
from webapp.curation import intrusion_views
from webapp.curation import views as curation
from webapp.documents import infer_views, parent_views
from webapp.documents import views as documents
from webapp.exports import views as exports
from webapp.ingest import upload_views
from webapp.notebooks import views as notebooks
from webapp.operations import health_views, operator_views
from webapp.pages import glossary_views
from webapp.runs import exclude_words_views
from webapp.runs import views as runs
from webapp.time import views as time
from webapp.topics import overview_views
from webapp.topics import views as topics
from webapp.words import views as words


def page(route: str, view, name: str) -> list[URLPattern]:
    """`route/` as a page and `route.json` with the same content as data."""
    return [path(f"{route}/", view, name=name), path(f"{route}.json", view, {"as_json": True}, name=f"{name}_json")]


CORPUS = "corpora/<int:corpus_id>"
RUN = "runs/<int:run_id>"

handler500 = "webapp.pages.errors.broken"


def deletion(root: str, kind: str) -> list[URLPattern]:
    """What deletes a corpus or a run, and takes that back."""

    def one(view):
        return lambda request, **where: view(request, kind, where[f"{kind}_id"])

    return [
        path(f"{root}/delete/", one(deletion_views.delete), name=f"{kind}_delete"),
        path(f"{root}/deleted/", one(deletion_views.one), name=f"{kind}_deleted"),
        path(f"{root}/deleted/bring-back/", one(deletion_views.bring_back), name=f"{kind}_bring_back"),
        path(f"{root}/deleted/for-good/", one(deletion_views.for_good), name=f"{kind}_for_good"),
    ]


urlpatterns = [
    path("", corpora.home, name="home"),
    path("healthz", health_views.lives, name="healthz"),
    path("readyz", health_views.ready, name="readyz"),
    path("metrics", health_views.numbers, name="metrics"),
    *page("glossary", glossary_views.index, "glossary"),
    *page("compare", comparisons.compare, "compare"),
    *page("operator", operator_views.index, "operator"),
    path("operator/runs/<int:run_id>/stop/", operator_views.stop, name="operator_stop"),
    path("operator/<slug:kind>/<int:key>/again/", operator_views.again, name="operator_again"),
    path("corpora/", corpora.upload, name="corpora"),
    path("uploads/", upload_views.creation, name="uploads"),
    path("uploads/<str:upload_id>/", upload_views.one, name="upload"),
    path("corpora/example/", corpora.example, name="example"),
    path(f"{CORPUS}/prepare/", corpora.prepare, name="corpus_prepare"),
    *page(CORPUS, corpora.detail, "corpus"),
    path(f"{CORPUS}/events", corpora.watch, name="corpus_events"),
    path(f"{CORPUS}/report.csv", corpora.report, name="corpus_report"),
    path(f"{CORPUS}/runs/", corpora.train, name="corpus_runs"),
    path(f"{CORPUS}/embargo/", corpora.embargo, name="corpus_embargo"),
    path(f"{CORPUS}/sharing/", sharing_views.of_corpus, name="corpus_sharing"),
    path(f"{CORPUS}/owner/", sharing_views.owner, name="corpus_owner"),
    path(f"{CORPUS}/subset/", corpora.subset, name="corpus_subset"),
    *page(f"{CORPUS}/files", file_views.files, "corpus_files"),
    *page(f"{CORPUS}/problems", file_views.problems, "corpus_problems"),
    path(f"{CORPUS}/add/", corpora.add, name="corpus_add"),
    path(f"{CORPUS}/again/", corpora.again, name="corpus_again"),
    path(f"{CORPUS}/retry/", corpora.retry, name="corpus_retry"),
    path(f"{CORPUS}/words/", version_views.words, name="corpus_words"),
    *page(f"{CORPUS}/vocabulary", version_views.vocabulary, "corpus_vocabulary"),
    path(f"{CORPUS}/phrases/", version_views.phrases, name="corpus_phrases"),
    *deletion(CORPUS, "corpus"),
    *page(f"{CORPUS}/documents", documents.of_corpus, "corpus_documents"),
    *page(f"{CORPUS}/documents/<int:number>", documents.in_corpus, "corpus_document"),
    *page(f"{CORPUS}/wholes/<int:first>", parent_views.in_corpus, "corpus_whole"),
    *page(RUN, runs.detail, "run"),
    path(f"{RUN}/events", runs.watch, name="run_events"),
    path(f"{RUN}/stop/", runs.stop, name="run_stop"),
    path(f"{RUN}/cancel/", runs.cancel, name="run_cancel"),
    path(f"{RUN}/again/", runs.again, name="run_again"),
    path(f"{RUN}/onward/", runs.onward, name="run_onward"),
    *deletion(RUN, "run"),
    *page("deleted", deletion_views.index, "deleted"),
    *page(f"{RUN}/topics", overview_views.index, "run_topics"),
    *page(f"{RUN}/topics/<int:number>", topics.detail, "run_topic"),
    *page(f"{RUN}/topics/<int:number>/words", topics.words, "run_topic_words"),
    *page(f"{RUN}/topics/<int:number>/words/<str:word>", topics.why, "run_topic_word"),
    path(f"{RUN}/topics/<int:number>/edit/", curation.edit, name="topic_edit"),
    *page(f"{RUN}/curation", curation.index, "run_curation"),
    path(f"{RUN}/curation/<int:edit_id>/undo/", curation.undo, name="edit_undo"),
    path(f"{RUN}/curation/<int:edit_id>/redo/", curation.redo, name="edit_redo"),
    path(f"{RUN}/curation/<uuid:batch>/undo/", curation.undo_batch, name="edits_undo"),
    path(f"{RUN}/curation/table/", curation.table, name="curation_table"),
    *page(f"{RUN}/reading", intrusion_views.index, "run_reading"),
    *page(f"{RUN}/reading/results", intrusion_views.results, "run_reading_results"),
    *page(f"{RUN}/reading/passages/<int:number>", intrusion_views.passages, "reading_passages"),
    path(
        f"{RUN}/reading/passages/<int:number>/answer/", intrusion_views.answer_passages, name="reading_passages_answer"
    ),
    *page(f"{RUN}/reading/words/<int:number>", partial(intrusion_views.test, kind="words"), "reading_words"),
    path(
        f"{RUN}/reading/words/<int:number>/answer/",
        intrusion_views.answer_test,
        {"kind": "words"},
        name="reading_words_answer",
    ),
    *page(f"{RUN}/reading/topics/<int:number>", partial(intrusion_views.test, kind="topics"), "reading_topics"),
    path(
        f"{RUN}/reading/topics/<int:number>/answer/",
        intrusion_views.answer_test,
        {"kind": "topics"},
        name="reading_topics_answer",
    ),
    path("reader/", curation.sign, name="reader"),
    *page("notebooks", notebooks.index, "notebooks"),
    path("notebooks/new/", notebooks.create, name="notebook_new"),
    path("notebooks/pin/", notebooks.pin, name="pin"),
    *page("notebooks/<int:notebook_id>", notebooks.detail, "notebook"),
    path("notebooks/<int:notebook_id>/change/", notebooks.change, name="notebook_change"),
    path("notebooks/<int:notebook_id>/pins/<int:pin_id>/", notebooks.change_pin, name="notebook_pin"),
    path("notebooks/<int:notebook_id>.md", notebooks.export, {"form": "md"}, name="notebook_md"),
    path("notebooks/<int:notebook_id>.html", notebooks.export, {"form": "html"}, name="notebook_html"),
    *page("shared/<slug:token>", notebooks.shared, "shared"),
    *page(f"{RUN}/documents", documents.of_run, "run_documents"),
    *page(f"{RUN}/documents/<int:number>", documents.in_run, "run_document"),
    *page(f"{RUN}/wholes/<int:first>", parent_views.in_run, "run_whole"),
    path(f"{RUN}/try/", infer_views.text, name="run_try"),
    path(f"{RUN}/documents/<int:number>/words/<int:column>.json", documents.word, name="document_word"),
    *page(f"{RUN}/without", exclude_words_views.index, "run_without"),
    path(f"{RUN}/without/train/", exclude_words_views.train, name="run_without_train"),
    *page(f"{RUN}/curation/carry", exclude_words_views.carry, "run_carry"),
    path(f"{RUN}/curation/carry/do/", exclude_words_views.carry_over, name="run_carry_over"),
    *page(f"{RUN}/time", time.lines, "run_time"),
    *page(f"{RUN}/time/table", time.table, "run_time_table"),
    *page(f"{RUN}/time/compare", time.compare, "run_time_compare"),
    path(f"{RUN}/time.csv", time.csv, name="run_time_csv"),
    *page(f"{RUN}/words", words.index, "run_words"),
    *page(f"{RUN}/words/compare", words.compare, "run_compare_words"),  # before: a word may be “compare”, too
    *page(f"{RUN}/words/<str:word>", words.detail, "run_word"),
    *page(f"{RUN}/take", exports.index, "run_take"),
    *page(f"{RUN}/methods", exports.methods, "run_methods"),
    path(f"{RUN}/methods.bib", exports.bib, name="run_bib"),
    path(f"{RUN}/export/<str:file>", exports.file, name="export"),
    path("links/<slug:token>/", sharing_views.follow, name="share"),
    path("api/", api_views.reference, name="api_reference"),
    path("api/v1/", api.urls),
    path("account/", account.own, name="account"),
    path("account/tokens/", account.tokens, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", account.revoke, name="token_revoke"),
    path("account/", include("allauth.account.urls")),
    path("account/two-steps/", include("allauth.mfa.urls")),
    path("account/elsewhere/", include("allauth.socialaccount.urls")),
    path("account/", include("allauth.socialaccount.providers.openid_connect.urls")),
]
