"""Every address: its route and view, who may ask for it, what it costs, its JSON, its tab, an
example (webapp.platform.routes says how).

A page of a run with a tab of its own is a line here; its place among the others is that of its tab.
"""

from functools import wraps
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, include

from webapp.analysis.collocations import views as collocations
from webapp.analysis.compare import views as comparisons
from webapp.analysis.effects import views as effects
from webapp.analysis.findings import views as findings
from webapp.analysis.how_many import views as how_many
from webapp.analysis.keyness import views as keyness
from webapp.analysis.time import views as time
from webapp.analysis.topics import views as topics
from webapp.analysis.two_sets import views as two_sets
from webapp.analysis.words import views as words
from webapp.core.curation import intrusion_views, views as curation
from webapp.core.documents import infer_views, views as documents
from webapp.core.notebooks import views as notebooks
from webapp.core.runs import views as runs
from webapp.core.simulate import views as simulate
from webapp.intake.ingest import upload_views
from webapp.platform.accounts import sharing_views, views as account
from webapp.platform.accounts.access_rules import (
    ACCOUNTS,
    ACCOUNTS_AND_STUDENTS,
    ANSWER,
    ANYONE,
    COURSE,
    EDIT,
    EDIT_BEYOND,
    EDIT_DELETED,
    LOCAL,
    NOTEBOOK,
    OPERATOR,
    OWN,
    OWN_DELETED,
    SEE,
    TOKEN,
    TRAIN,
    TRY,
    UPLOAD,
    USER,
    Rule,
    of_corpus,
)
from webapp.platform.accounts.roles import Role
from webapp.platform.pages import glossary_views, lesson_views
from webapp.platform.routes import Load, Tab, file, form, included, page, probe, stream, upload
from webapp.service.api import api, views as api_views
from webapp.service.codebook import coding_views, views as codebook
from webapp.service.corpora import (
    deletion_views,
    draft_views,
    language_views,
    version_views,
    views as corpora,
)
from webapp.service.courses import views as courses
from webapp.service.embedding import views as embedding
from webapp.service.exports import views as exports
from webapp.service.operations import health_views, operator_views
from webapp.service.own_data import views as own_data
from webapp.service.privacy import erasure_views, pseudonym_views, reading_views

CORPUS = "corpora/<int:corpus_id>"
RUN = "runs/<int:run_id>"
CONCEPT = f"{RUN}/codebook/<int:concept_id>"
ABSENT = 10**12  # a number that no row has
PASSAGE = {"number": 2, "start": 10, "end": 300}  # characters of a document
NUMBER = {"number": 2}  # of a document, a topic or a question of the shipped example
WORD = {"word": "militia"}
REST = "q=war&rest=1"  # some documents beside all others

handler404 = "webapp.platform.pages.errors.missing"
handler500 = "webapp.platform.pages.errors.broken"


def map_or_grid(request: HttpRequest) -> Load:
    """Both place all topics by their distances."""
    return Load.HEAVY if request.GET.get("view") in ("map", "grid") else Load.PAGE


def whole_or_set(request: HttpRequest) -> Load:
    """Findings of a set of documents may have to be computed first."""
    return Load.HEAVY if request.GET else Load.PAGE


def deletion(root: str, kind: str, access: Rule, for_good: Rule) -> list[URLPattern]:
    """What deletes a corpus or a run, and takes that back."""

    def one(view):
        @wraps(view)
        def answer(request: HttpRequest, **where: int) -> HttpResponseBase:
            return view(request, kind=kind, pk=where[f"{kind}_id"])

        # In place of `kind` and `pk`
        answer.required = [[f"{kind}_id"]]  # type: ignore[attr-defined]  # a View
        return answer

    return [
        form(f"{root}/delete", one(deletion_views.delete), f"{kind}_delete", access),
        *page(
            f"{root}/deleted",
            one(deletion_views.deleted_page),
            f"{kind}_deleted",
            access,
            example=None,
        ),
        form(
            f"{root}/deleted/bring-back",
            one(deletion_views.bring_back),
            f"{kind}_bring_back",
            access,
        ),
        form(
            f"{root}/deleted/for-good", one(deletion_views.for_good), f"{kind}_for_good", for_good
        ),
    ]


def intrusion_test(kind: str) -> list[URLPattern]:
    """A question of the reading test, and its answer: of words, or of topics."""
    route = f"{RUN}/reading/{kind}/<int:number>"
    name = f"reading_{kind}"
    fixed = {"kind": kind}
    return [
        *page(route, intrusion_views.test, name, ANSWER, fixed=fixed, example=NUMBER),
        form(
            f"{route}/answer",
            intrusion_views.answer_test,
            f"{name}_answer",
            ANSWER,
            fixed=fixed,
            example=NUMBER,
        ),
    ]


urlpatterns = [
    *page("", corpora.home, "home", ANYONE),
    *page("glossary", glossary_views.index, "glossary", ANYONE),
    *page("lessons/<slug:name>", lesson_views.lesson, "lesson", ANYONE, example=None),
    *page("compare", comparisons.compare, "compare", ANYONE, load=Load.HEAVY),
    *page("compare/measures", comparisons.measures, "compare_measures", ANYONE, load=Load.HEAVY),
    file(
        "compare/measures.csv",
        comparisons.measures_csv,
        "compare_measures_csv",
        ANYONE,
        load=Load.HEAVY,
    ),
    file(
        "compare/topics.csv",
        comparisons.topics_csv,
        "compare_topics_csv",
        ANYONE,
        load=Load.HEAVY,
    ),
    # Its view compares only runs that whoever asks may see.
    form(
        "compare/<int:first>/<int:second>/again",
        comparisons.compare_again,
        "compare_again",
        ANYONE,
        example={"first": ABSENT, "second": ABSENT},
    ),
    *page("deleted", deletion_views.index, "deleted", USER),
    # For machines, and for whoever runs them
    probe("healthz", health_views.lives, "healthz", ANYONE),
    probe("readyz", health_views.ready, "readyz", ANYONE),
    # Its view asks for a token of its own
    probe("metrics", health_views.numbers, "metrics", ANYONE),
    *page(
        "operator",
        operator_views.index,
        "operator",
        OPERATOR,
        states=("", "kind=run&state=failed"),
    ),
    form("operator/runs/<int:run_id>/stop", operator_views.stop, "operator_stop", OPERATOR),
    form(
        "operator/<slug:kind>/<int:key>/again",
        operator_views.retry_job,
        "operator_again",
        OPERATOR,
        example={"kind": "run", "key": ABSENT},
    ),
    # Corpora
    form("corpora", draft_views.upload, "corpora", USER, load=Load.HEAVY),
    upload("uploads", upload_views.creation, "uploads", UPLOAD),
    upload("uploads/<str:upload_id>", upload_views.one, "upload", UPLOAD),
    form("corpora/example", draft_views.example, "example", USER),
    *page("simulate", simulate.make, "simulate", USER, schema=True),
    *page(CORPUS, corpora.detail, "corpus", SEE),
    *page(
        f"{CORPUS}/prepare",
        draft_views.prepare,
        "corpus_prepare",
        EDIT,
        load=Load.HEAVY,
        repeatable=True,
        schema=True,
    ),
    stream(f"{CORPUS}/events", corpora.watch, "corpus_events", SEE),
    file(f"{CORPUS}/report.csv", corpora.report, "corpus_report", SEE),
    form(f"{CORPUS}/runs", corpora.train, "corpus_runs", TRAIN, schema=True),
    form(
        f"{CORPUS}/runs/several", corpora.train_several, "corpus_runs_several", TRAIN, schema=True
    ),
    *page(f"{CORPUS}/languages", language_views.languages, "corpus_languages", SEE),
    form(f"{CORPUS}/languages/train", language_views.train, "corpus_languages_train", EDIT),
    form(f"{CORPUS}/embargo", corpora.embargo, "corpus_embargo", OWN),
    form(f"{CORPUS}/unit", corpora.unit, "corpus_unit", EDIT),
    *page(f"{CORPUS}/sharing", sharing_views.of_corpus, "corpus_sharing", OWN),
    *page(f"{CORPUS}/erase", erasure_views.erase, "corpus_erase", OWN, load=Load.HEAVY),
    *page(
        f"{CORPUS}/pseudonyms",
        pseudonym_views.choose,
        "corpus_pseudonyms",
        OWN,
        load=Load.HEAVY,
        repeatable=True,
    ),
    *page(f"{CORPUS}/readings", reading_views.readings, "corpus_readings", OWN),
    file(f"{CORPUS}/readings.csv", reading_views.readings_table, "corpus_readings_csv", OWN),
    form(f"{CORPUS}/readings/keep", reading_views.keep_readings, "corpus_readings_keep", OWN),
    # Its view lets in only to whom the corpus is offered.
    *page(
        f"{CORPUS}/owner",
        sharing_views.owner,
        "corpus_owner",
        of_corpus(Role.VIEWER, Role.VIEWER),
        example=None,
    ),
    # The part is the corpus of whoever makes it.
    *page(f"{CORPUS}/subset", draft_views.subset, "corpus_subset", ANSWER, states=("q=war",)),
    *page(f"{CORPUS}/files", corpora.files, "corpus_files", SEE),
    *page(f"{CORPUS}/problems", corpora.problems, "corpus_problems", SEE),
    form(f"{CORPUS}/add", draft_views.add, "corpus_add", EDIT, load=Load.HEAVY),
    form(f"{CORPUS}/again", draft_views.begin_again, "corpus_again", OWN),
    form(f"{CORPUS}/retry", draft_views.retry, "corpus_retry", EDIT),
    *page(
        f"{CORPUS}/words", version_views.words, "corpus_words", EDIT, repeatable=True, schema=True
    ),
    *page(f"{CORPUS}/vocabulary", version_views.vocabulary, "corpus_vocabulary", SEE),
    *page(f"{CORPUS}/phrases", version_views.phrases, "corpus_phrases", EDIT, repeatable=True),
    *page(
        f"{CORPUS}/documents",
        documents.of_corpus,
        "corpus_documents",
        SEE,
        states=("", "q=war", "q=zyzzyva"),
    ),
    *page(
        f"{CORPUS}/documents/<int:number>",
        documents.in_corpus,
        "corpus_document",
        SEE,
        example=NUMBER,
    ),
    *page(
        f"{CORPUS}/documents/<int:number>/passages/<int:start>-<int:end>",
        documents.passage_in_corpus,
        "corpus_passage",
        SEE,
        example=PASSAGE,
    ),
    *page(
        f"{CORPUS}/wholes/<int:first>",
        documents.whole_in_corpus,
        "corpus_whole",
        SEE,
        example={"first": 2},
    ),
    *deletion(CORPUS, "corpus", OWN_DELETED, for_good=OWN_DELETED),
    # What a finished run says, in sentences
    *page(
        f"{RUN}/overview",
        findings.detail,
        "run_overview",
        SEE,
        load=whole_or_set,
        tab=Tab("Overview", "g o"),
        states=("", "detail=more", "detail=less", "q=war", "q=zyzzyva"),
    ),
    # Topics of a run
    *page(
        f"{RUN}/topics",
        topics.index,
        "run_topics",
        SEE,
        load=map_or_grid,
        tab=Tab("Topics", "g t"),
        states=("", "word=war", "word=zyzzyva", "view=map", "view=grid", "view=time"),
    ),
    *page(
        f"{RUN}/topics/<int:number>",
        topics.detail,
        "run_topic",
        SEE,
        example=NUMBER,
    ),
    *page(
        f"{RUN}/topics/<int:number>/words",
        topics.words,
        "run_topic_words",
        SEE,
        example=NUMBER,
    ),
    *page(
        f"{RUN}/topics/<int:number>/words/<str:word>",
        topics.why,
        "run_topic_word",
        SEE,
        example=NUMBER | WORD,
    ),
    *page(
        f"{RUN}/topics/<int:number>/time",
        topics.times,
        "run_topic_times",
        SEE,
        load=Load.HEAVY,
        example=NUMBER,
    ),
    file(
        f"{RUN}/topics/<int:number>/time.csv",
        topics.times_csv,
        "run_topic_times_csv",
        SEE,
        load=Load.HEAVY,
        example=NUMBER,
    ),
    # Leads to a page about them
    form(f"{RUN}/topics/ticked", curation.look_at_ticked, "topics_ticked", TRY),
    form(f"{RUN}/topics/edit", curation.edit_ticked, "topics_edit", EDIT),
    form(f"{RUN}/topics/<int:number>/edit", curation.edit, "topic_edit", EDIT, example=NUMBER),
    # Documents
    *page(
        f"{RUN}/documents",
        documents.of_run,
        "run_documents",
        SEE,
        tab=Tab("Documents", "g d"),
        states=("", "q=war", "q=zyzzyva"),
    ),
    *page(
        f"{RUN}/documents/<int:number>",
        documents.in_run,
        "run_document",
        SEE,
        example=NUMBER,
        states=("", "topic=1"),
    ),
    *page(
        f"{RUN}/documents/<int:number>/passages/<int:start>-<int:end>",
        documents.passage_in_run,
        "run_passage",
        SEE,
        example=PASSAGE,
    ),
    file(
        f"{RUN}/documents/<int:number>/words/<int:column>.json",
        documents.word,
        "document_word",
        SEE,
        fixed={"as_json": True},
        load=Load.PAGE,
        example=NUMBER | {"column": 0},
    ),
    *page(
        f"{RUN}/wholes/<int:first>",
        documents.whole_in_run,
        "run_whole",
        SEE,
        example={"first": 2},
        under="run_documents",
    ),
    *page(f"{RUN}/try", infer_views.text, "run_try", TRY, tab=Tab("Try a text", menu="Actions")),
    # Time
    *page(
        f"{RUN}/time",
        time.lines,
        "run_time",
        SEE,
        tab=Tab("Time", "g i"),
    ),
    *page(f"{RUN}/time/table", time.table, "run_time_table", SEE),
    *page(
        f"{RUN}/time/compare",
        two_sets.compare,
        "run_time_compare",
        SEE,
        load=Load.HEAVY,
    ),
    *page(
        f"{RUN}/time/compare/words",
        keyness.words,
        "run_keyness",
        SEE,
        load=Load.HEAVY,
        states=("", REST),
    ),
    *page(
        f"{RUN}/time/compare/topic",
        keyness.topic,
        "run_topic_split",
        SEE,
        load=Load.HEAVY,
        states=(f"topic=1&{REST}",),
    ),
    file(
        f"{RUN}/time/compare/words.csv",
        keyness.csv,
        "run_keyness_csv",
        SEE,
        load=Load.HEAVY,
        states=(REST,),
    ),
    file(
        f"{RUN}/time/compare.csv",
        two_sets.csv,
        "run_compare_csv",
        SEE,
        load=Load.HEAVY,
        states=(REST,),
    ),
    file(f"{RUN}/time.csv", time.csv, "run_time_csv", SEE),
    *page(
        f"{RUN}/time/effects",
        effects.effects,
        "run_effects",
        SEE,
        load=Load.HEAVY,
        states=("", "topic=1"),
    ),
    *page(
        f"{RUN}/time/effects/runs",
        effects.claim,
        "run_claim",
        SEE,
        load=Load.HEAVY,
        states=("topic=1",),
    ),
    form(f"{RUN}/time/effects/train", effects.train, "run_variants", EDIT),
    file(f"{RUN}/time/effects.csv", effects.csv, "run_effects_csv", SEE, load=Load.HEAVY),
    # Words. “compare” comes before any word, as a word may be “compare”, too.
    *page(
        f"{RUN}/words",
        words.index,
        "run_words",
        SEE,
        tab=Tab("Words", "g w"),
        states=("", "word=wa", "word=zyzzyva"),
    ),
    *page(
        f"{RUN}/words/compare",
        words.compare,
        "run_compare_words",
        SEE,
    ),
    *page(
        f"{RUN}/words/<str:word>",
        words.detail,
        "run_word",
        SEE,
        example=WORD,
    ),
    *page(
        f"{RUN}/words/<str:word>/collocations",
        collocations.words,
        "run_collocations",
        SEE,
        load=Load.HEAVY,
        example=WORD,
        states=(
            "",
            "left=0&right=2&which=all&order=g2&least=2",
            "topic_a=0&topic_b=1&least=2",
            "from_a=1790",
        ),
    ),
    *page(
        f"{RUN}/words/<str:word>/collocations/network",
        collocations.network,
        "run_network",
        SEE,
        load=Load.HEAVY,
        example=WORD,
        states=("", "left=0&right=2&which=all&order=g2&least=2"),
    ),
    file(
        f"{RUN}/words/<str:word>/collocations.csv",
        collocations.csv,
        "run_collocations_csv",
        SEE,
        load=Load.HEAVY,
        example=WORD,
    ),
    *page(
        f"{RUN}/patterns",
        words.pattern,
        "run_pattern",
        SEE,
        load=Load.HEAVY,
        states=("", "pattern=right%7Crights+~5+labor", "pattern=zyzzyva"),
        under="run_words",
    ),
    # Curation
    *page(
        f"{RUN}/curation",
        curation.index,
        "run_curation",
        SEE,
        tab=Tab("Labels and notes", menu="Actions"),
    ),
    form(
        f"{RUN}/curation/<int:edit_id>/undo",
        curation.undo,
        "edit_undo",
        EDIT,
        example={"edit_id": 1},
    ),
    form(
        f"{RUN}/curation/<int:edit_id>/redo",
        curation.redo,
        "edit_redo",
        EDIT,
        example={"edit_id": 1},
    ),
    form(
        f"{RUN}/curation/<uuid:batch>/undo",
        curation.undo_batch,
        "edits_undo",
        EDIT,
        example={"batch": UUID(int=1)},
    ),
    form(f"{RUN}/curation/table", curation.table, "curation_table", EDIT),
    *page(f"{RUN}/curation/carry", curation.carry, "run_carry", EDIT, load=Load.HEAVY),
    form(f"{RUN}/curation/carry/do", curation.carry_over, "run_carry_over", EDIT),
    # With accounts a reader's name is that of the account
    form("reader", curation.sign, "reader", LOCAL),
    # Steering
    *page(
        f"{RUN}/steer", runs.steer, "run_steer", EDIT, tab=Tab("Steer the topics", menu="Actions")
    ),
    form(f"{RUN}/steer/train", runs.train_steered, "run_steer_train", EDIT),
    # The codebook
    *page(
        f"{RUN}/codebook", codebook.index, "run_codebook", SEE, tab=Tab("Codebook", menu="Actions")
    ),
    form(f"{RUN}/codebook/new", codebook.create, "concept_new", EDIT_BEYOND),
    *page(CONCEPT, codebook.detail, "concept", SEE, example=None),
    form(
        f"{CONCEPT}/change",
        codebook.change,
        "concept_change",
        EDIT_BEYOND,
        example={"concept_id": ABSENT},
    ),
    form(f"{CONCEPT}/join", codebook.join, "concept_join", ANSWER, example={"concept_id": ABSENT}),
    *page(f"{CONCEPT}/agreement", codebook.agree, "concept_agreement", EDIT_BEYOND, example=None),
    *page(
        f"{CONCEPT}/estimates",
        codebook.estimate,
        "concept_estimates",
        SEE,
        load=Load.HEAVY,
        example=None,
    ),
    file(
        f"{CONCEPT}/estimates.csv",
        codebook.csv,
        "concept_estimates_csv",
        SEE,
        load=Load.HEAVY,
        example=None,
    ),
    file(f"{CONCEPT}/codes.<str:form>", codebook.codes, "concept_codes", EDIT_BEYOND, example=None),
    *page(
        "code/<slug:token>", coding_views.code, "code", ANYONE, example=None
    ),  # its token decides
    # Reading. Who may not answer is led to the results.
    *page(
        f"{RUN}/reading",
        intrusion_views.index,
        "run_reading",
        ANSWER,
        tab=Tab("Reading tests", menu="Actions"),
    ),
    *page(
        f"{RUN}/reading/results",
        intrusion_views.results,
        "run_reading_results",
        SEE,
        tab=Tab("Reading tests", menu="Actions"),
    ),
    *page(
        f"{RUN}/reading/passages/<int:number>",
        intrusion_views.passages,
        "reading_passages",
        ANSWER,
        example=NUMBER,
    ),
    form(
        f"{RUN}/reading/passages/<int:number>/answer",
        intrusion_views.answer_passages,
        "reading_passages_answer",
        ANSWER,
        example=NUMBER,
    ),
    *intrusion_test("words"),
    *intrusion_test("topics"),
    # What is taken away
    *page(f"{RUN}/take", exports.index, "run_take", SEE, tab=Tab("Files", menu="Export")),
    *page(f"{RUN}/methods", exports.methods, "run_methods", SEE, tab=Tab("Methods", menu="Export")),
    *page(
        f"{RUN}/deposit", exports.deposit, "run_deposit", ANSWER, tab=Tab("Deposit", menu="Export")
    ),
    file(f"{RUN}/methods.bib", exports.bib, "run_bib", SEE, load=Load.PAGE),
    file(
        f"{RUN}/export/<str:file>",
        exports.file,
        "export",
        SEE,
        example={"file": "document-topics.csv"},
    ),
    form(f"{RUN}/exports/make", exports.make, "export_make", ANSWER),
    form(
        f"{RUN}/exports/<int:export_id>/again",
        exports.make_again,
        "export_again",
        ANSWER,
        example={"export_id": ABSENT},
    ),
    form(
        f"{RUN}/exports/<int:export_id>/delete",
        exports.delete,
        "export_delete",
        ANSWER,
        example={"export_id": ABSENT},
    ),
    file(
        f"{RUN}/exports/<int:export_id>/<str:name>",
        exports.download,
        "export_kept",
        SEE,
        example=None,
    ),
    # Simulated texts: only a run on such has it.
    *page(
        f"{RUN}/truth",
        simulate.compare_truth,
        "run_truth",
        SEE,
        load=Load.HEAVY,
        example=None,
        under="run",
    ),
    # A chart in a page of another site: its view decides by the address alone, without a session.
    *page(
        "embed/runs/<int:run_id>/<slug:chart>",
        embedding.embedded,
        "embed",
        ANYONE,
        load=Load.HEAVY,
        example={"chart": "time"},
    ),
    file("oembed.json", embedding.oembed, "oembed", ANYONE, load=Load.HEAVY, example=None),
    *page(
        f"{RUN}/embed/<slug:chart>",
        embedding.of_run,
        "run_embed",
        SEE,
        load=Load.HEAVY,
        example={"chart": "time"},
        under="run_time",
    ),
    file(
        f"{RUN}/embed/<slug:chart>.<slug:form>",
        embedding.picture,
        "run_picture",
        SEE,
        load=Load.HEAVY,
        example={"chart": "time", "form": "svg"},
    ),
    # Training
    *page(RUN, runs.detail, "run", SEE),
    *page(f"{RUN}/forming", runs.forming, "run_forming", SEE),
    stream(f"{RUN}/events", runs.watch, "run_events", SEE),
    form(f"{RUN}/stop", runs.stop, "run_stop", EDIT),
    form(f"{RUN}/cancel", runs.cancel, "run_cancel", EDIT),
    form(f"{RUN}/seeds", runs.other_seeds, "run_seeds", EDIT),
    *page(f"{RUN}/how-many", how_many.detail, "run_how_many", SEE, load=Load.HEAVY),
    form(f"{RUN}/how-many/train", how_many.train, "run_how_many_train", EDIT),
    file(f"{RUN}/how-many.csv", how_many.csv, "run_how_many_csv", SEE, load=Load.HEAVY),
    form(f"{RUN}/again", runs.train_again, "run_again", EDIT),
    form(f"{RUN}/onward", runs.continue_with, "run_continue", EDIT),
    *page(f"{RUN}/without", runs.without, "run_without", EDIT, load=Load.HEAVY),
    form(f"{RUN}/without/train", runs.train_without, "run_without_train", EDIT),
    *deletion(RUN, "run", EDIT_DELETED, for_good=OWN_DELETED),
    # Notebooks
    *page("notebooks", notebooks.index, "notebooks", USER),
    form("notebooks/new", notebooks.create, "notebook_new", USER),
    form("notebooks/pin", notebooks.pin, "pin", USER),
    form("notebooks/finding", findings.pin, "pin_finding", USER),
    form("notebooks/findings", findings.notebook, "notebook_findings", USER),
    *page("notebooks/<int:notebook_id>", notebooks.detail, "notebook", NOTEBOOK, example=None),
    form(
        "notebooks/<int:notebook_id>/change",
        notebooks.change,
        "notebook_change",
        NOTEBOOK,
        example={"notebook_id": ABSENT},
    ),
    form(
        "notebooks/<int:notebook_id>/pins/<int:pin_id>",
        notebooks.change_pin,
        "notebook_pin",
        NOTEBOOK,
        example={"notebook_id": ABSENT, "pin_id": 1},
    ),
    file(
        "notebooks/<int:notebook_id>.md",
        notebooks.export,
        "notebook_md",
        NOTEBOOK,
        fixed={"form": "md"},
        example=None,
    ),
    file(
        "notebooks/<int:notebook_id>.docx",
        notebooks.export,
        "notebook_docx",
        NOTEBOOK,
        fixed={"form": "docx"},
        example=None,
    ),
    file(
        "notebooks/<int:notebook_id>.bib",
        notebooks.export,
        "notebook_bib",
        NOTEBOOK,
        fixed={"form": "bib"},
        example=None,
    ),
    file(
        "notebooks/<int:notebook_id>.html",
        notebooks.export,
        "notebook_html",
        NOTEBOOK,
        fixed={"form": "html"},
        example=None,
    ),
    *page("shared/<slug:token>", notebooks.shared, "shared", ANYONE, example=None),
    # Classes
    *page("courses", courses.index, "courses", USER),
    *page("courses/<int:course_id>", courses.detail, "course", COURSE, example=None),
    file("courses/<int:course_id>.zip", courses.handed_in, "course_zip", COURSE, example=None),
    *page("join/<slug:token>", courses.join, "join", ANYONE, example=None),  # its token decides
    *page("return", courses.come_back, "come_back", ANYONE, example=None),
    *page("class", courses.own_class, "class", USER, example=None),
    # The API: each address needs what its page needs. What reads needs a reader, a training needs
    # who may train, and what else changes something needs an editor.
    *page("api", api_views.reference, "api_reference", ANYONE),
    file("api/pages.json", api_views.pages, "api_pages", ANYONE, load=Load.PAGE),
    included(
        "api/v1/",
        api.urls,
        of_corpus(Role.READER, Role.EDITOR),
        but={
            "": ANYONE,
            "openapi.json": ANYONE,
            "engines": ANYONE,
            "corpora/": ANYONE,
            "corpora/<int:corpus_id>/runs": of_corpus(Role.READER, Role.TRAINER),
        },
    ),
    # Accounts. The library's views see to themselves who may come in.
    *page(
        "links/<slug:token>",
        sharing_views.follow,
        "share",
        ACCOUNTS_AND_STUDENTS,
        example=None,
    ),  # its token decides
    *page("account", account.own_account, "account", USER),
    # Their views refuse a student, and everybody while accounts are off.
    file("account/own-data.zip", own_data.archive, "own_data", USER, example=None),
    *page("account/leave", own_data.leave, "leave", USER, example=None),
    *page("account/tokens", account.tokens, "tokens", USER),
    form(
        "account/tokens/<int:token_id>/revoke",
        account.revoke,
        "token_revoke",
        TOKEN,
        example={"token_id": ABSENT},
    ),
    included(
        "account/",
        include("allauth.account.urls"),
        ACCOUNTS,
        but={"logout/": ACCOUNTS_AND_STUDENTS},
    ),
    included("account/two-steps/", include("allauth.mfa.urls"), ACCOUNTS),
    included("account/elsewhere/", include("allauth.socialaccount.urls"), ACCOUNTS),
    included("account/", include("allauth.socialaccount.providers.openid_connect.urls"), ACCOUNTS),
]
