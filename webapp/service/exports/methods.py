"""How a run was made, in sentences for a paper, and the works that they name
(inference/references.bib)."""

from django.db.models import Avg

from inference import engines, references
from inference.errors import number_of
from inference.runtime.versions import topograph
from inference.text import LANGUAGES, MAX_LETTERS
from inference.text.clitics import CLITICS
from inference.text.sections import LONG
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents import corpus_unit, document_days, unit_sentences, unit_words
from webapp.core.results import labels
from webapp.core.runs import queries
from webapp.models import Metric, Run, Topic
from webapp.platform.drawing.numbers import join_names
from webapp.service.exports.shapes import MethodsPage

DROPPED_WORDS = 20  # that are listed
_OF_FORMS = {
    "stems": "Words were reduced to their stems (Snowball).",
    "lemmas": "Words were reduced to their lemmas (simplemma).",
    "written": "Words were not stemmed or lemmatised.",
}
_CITED = {
    "harris2020array",
    "lam2015numba",
    "mimno2011optimizing",
    "bouma2009normalized",
    "wallach2009evaluation",
}
_CITED_WITH_SEEDS = {"jagarlamudi2012incorporating", "eshima2024keyword"}
_CITED_WITH_FINDINGS = {
    "bell2002bias",
    "benjamini1995controlling",
    "benjamini2005false",
    "fieller1954some",
}


def written(run: Run) -> MethodsPage:
    """The sentences and what they cite."""
    return MethodsPage(paragraphs(run), bibtex(run))


def paragraphs(run: Run) -> list[str]:
    """Plain text. Each says only what holds of this run."""
    subjects = (_corpus, _words, _model, _counting, _measures, _findings, _readers, _software)
    texts = [write(run) for write in subjects]
    return [text for text in texts if text]


def _corpus(run: Run) -> str:
    corpus = run.corpus
    version = run.version
    dated = document_days.first_and_last(version)
    years = f", dated from {dated[0].year} to {dated[1].year}," if dated else ""
    files = corpus.files.count()
    source = f" It was read from {number_of(files, 'file')}." if files else ""
    documents = number_of(version.documents, "document")
    words = number_of(version.tokens, "word")
    return (
        f"The corpus “{corpus.name}” holds {documents}{years} with"
        f" {words}, {version.vocabulary:,} of them different, after"
        f" preprocessing.{source} The sha256 of its bag of words is"
        f" {version.report.get('digest', 'not recorded')}."
    )


def _words(run: Run) -> str:
    reading = run.version.settings
    report = run.version.report
    dropped = report.get("dropped", {}).values()  # (different words, occurrences) by reason
    kinds = sum(kinds for kinds, _ in dropped)
    tokens = sum(tokens for _, tokens in dropped)
    occurrences = number_of(tokens, "occurrence")
    different_words = number_of(kinds, "different word")
    return (
        "Texts were set in lower case and in Unicode normal form C. A word is a letter or a digit"
        f" followed by letters, combining marks and digits; {_say_joined(reading)}. We left out"
        f" {join_names(_left_out(reading))}: {occurrences} of {different_words}."
        f" {_forms(reading, report.get('phrases_left_out', []))}{_sections(reading, report)}"
    )


def _left_out(reading: dict) -> list[str]:
    """Which words are not in the vocabulary."""
    kinds = []
    if not reading.get("numbers"):
        kinds.append("numbers")
    kinds.append(f"words of fewer than {reading['min_length']} or more than {MAX_LETTERS} letters")
    codes = dict.fromkeys((reading.get("language", ""), *reading.get("also", [])))  # each once
    languages = [LANGUAGES[code] for code in codes if code in LANGUAGES]
    if languages:
        kinds.append(f"{join_names(languages)} stop words")
    own_stop_words = len(reading.get("extra_stop_words", []))
    if own_stop_words:
        kinds.append(f"{number_of(own_stop_words, 'stop word')} of our own")
    if reading["min_documents"] > 1:
        kinds.append(f"words in fewer than {reading['min_documents']:,} documents")
    if reading["max_share"] < 1:
        kinds.append(f"words in more than {100 * reading['max_share']:g}% of the documents")
    if not reading.get("spread_evenly", True):
        kinds.append(
            "words that are frequent and spread evenly (in pieces of 400 words: those in more than"
            " a tenth of the pieces, with a residual inverse document frequency below the median"
            " of the 500 most frequent words)"
        )
    return kinds


def _sections(reading: dict, report: dict) -> str:
    """How long documents were cut; "" where none was."""
    cut = report.get("cut", 0)
    if not cut:
        return ""
    documents = number_of(cut, "document")
    verb = "was" if cut == 1 else "were"
    return (
        f" {documents} of more than {LONG * reading['section_words']:,.0f} words {verb} read in"
        f" sections of about {reading['section_words']:,}, cut where paragraphs or sentences end:"
        f" {report['rows']:,} sections in all. The counts of a document are sums over its sections."
    )


_APOSTROPHES = {
    "join": "apostrophes within a word are a part of it",
    "clitics": (
        "an apostrophe divides contractions, elisions and possessives (nation’s, l’homme) and is a"
        " part of other words (Qur’an)"
    ),
    "split": "an apostrophe ends a word",
}
_HYPHENS = {"join": "hyphens within a word are a part of it", "split": "a hyphen ends a word"}


def _say_joined(reading: dict) -> str:
    hyphens = reading.get("hyphens", "split")
    apostrophes = _apostrophes(reading)
    if hyphens == apostrophes == "join":
        return "hyphens and apostrophes within a word are a part of it"
    if hyphens == apostrophes == "split":
        return "an apostrophe or a hyphen ends a word"
    return f"{_HYPHENS[hyphens]}, {_APOSTROPHES[apostrophes]}"


def _apostrophes(reading: dict) -> str:
    """How apostrophes act: in a language whose clitics are not known they end words."""
    chosen = reading.get("apostrophes", "split")
    if chosen == "clitics" and reading.get("language", "") not in CLITICS:
        return "split"
    return chosen


def _forms(reading: dict, left_out: list[str]) -> str:
    """What was made of words as they are written. left_out: phrases that were chosen, and are not
    in the vocabulary."""
    sentences = [_OF_FORMS[reading.get("forms", "written")]]
    separate = reading.get("apart", [])
    alike = [pair for pair in reading.get("alike", []) if pair[0] not in separate]
    if alike:
        writing, word = alike[0]
        verb = number_of(len(alike), "spelling counts", "spellings count")
        sentences.append(f"{verb} as another of the same word, such as “{writing}” as “{word}”.")
    phrases = [phrase for phrase in reading.get("phrases", []) if phrase not in set(left_out)]
    if len(phrases) == 1:
        sentences.append(f"The phrase “{phrases[0]}” counts as one word.")
    elif phrases:
        sentences.append(f"{len(phrases):,} phrases such as “{phrases[0]}” count as one word each.")
    return " ".join(sentences)


def _without(run: Run) -> str:
    """What is said of a run that leaves out words of its parent; "" for others."""
    if not run.dropped:
        return ""
    parent = f"run {run.parent_id}" if run.parent_id else "an earlier run"
    words = ", ".join(run.dropped[:DROPPED_WORDS])
    if len(run.dropped) > DROPPED_WORDS:
        words += " …"
    return (
        f"{number_of(len(run.dropped), 'word')} of the vocabulary ({words}) left out, it began with"
        f" the topics of {parent}. "
    )


def _minibatches(settings: dict) -> str:
    """How many documents they have."""
    first = settings["minibatch"]
    later_size = settings.get("minibatch_after", first)
    if later_size == first or not settings.get("warm_up"):
        return number_of(later_size, "document")
    return f"{number_of(first, 'document')}, after the warm-up of {later_size:,},"


def _say_named_topics(run: Run) -> str:
    sentences = named_topics.sentences(run.version, Steering.of_run(run).named)
    if not sentences:
        return ""
    were_named = number_of(len(sentences), "topic was", "topics were")
    return (
        f"{were_named} named before the training, each by words that it"
        " should have; an asymmetric prior of words in topics holds them to these words (compare"
        " Jagarlamudi, Daumé and Udupa 2012; Eshima, Imai and Sasaki 2024):"
        f" {'; '.join(sentences)}. "
    )


def _begun(run: Run) -> str:
    """With which topics it began."""
    return _say_named_topics(run) + _without(run)


def _model(run: Run) -> str:
    """The engine's own words, and what holds of all."""
    settings = run.settings
    snapshot = run.snapshot
    assert snapshot is not None  # of a run that is done
    step = snapshot.step
    passes = queries.passes(run)
    stopped = ""
    if step < run.steps:
        stopped = f", of which {step:,} of {run.steps:,} were made before training was stopped"
    settled = "" if passes == settings["passes"] else "; then the topics had settled"
    in_use = ""
    if run.in_use is not None:
        in_use = f"Of the topics that there can be, {run.in_use:,} are in use. "
    needed = "settings, seed and versions"
    if run.begins:
        needed = "settings, seed, versions and first topics"
    over_corpus = number_of(passes, "pass")
    return (
        f"{engines.get(run.engine).methods(settings).sentence} Training made {over_corpus} over"
        f" the corpus in minibatches of {_minibatches(settings)} ({run.steps:,}"
        f" steps{stopped}{settled}), from the random seed {run.seed}. {in_use}{_begun(run)}The"
        f" same corpus, {needed} give the same topics bit for bit."
    )


def _counting(run: Run) -> str:
    if not run.final:
        return ""
    return (
        "When training had ended, each word of each document was given, with all of its occurrences"
        " there, to the topic k with the largest posterior probability p(k | w, d), which is"
        " proportional to θ_dk β_kw. All numbers of words and shares that we report are sums of"
        " words given to topics in this way."
    )


def _measures(run: Run) -> str:
    metrics = Metric.objects.filter(run=run).order_by("-step")
    held_out = metrics.values_list("held_out", flat=True).first()
    topics = Topic.objects.filter(snapshot=run.snapshot)
    means = topics.aggregate(umass=Avg("coherence"), npmi=Avg("npmi"))
    sentences = []
    if held_out is not None:
        sentences.append(
            "Of documents that were not trained on, half of the words were predicted from the other"
            f" half, with a log likelihood of {_number(held_out, 3)} nats per word (Wallach et al."
            " 2009)."
        )
    if means["umass"] is not None:
        npmi = ""
        if means["npmi"] is not None:
            npmi = f", their mean NPMI (Bouma 2009) {_number(means['npmi'], 3)}"
        sentences.append(
            "The topics’ mean UMass coherence (Mimno et al. 2011) over their first ten words is"
            f" {_number(means['umass'], 2)}{npmi}."
        )
    return " ".join(sentences)


def _readers(run: Run) -> str:
    """What was done by hand."""
    curated = labels.read(run)
    topics = range(run.topics)
    counts = {
        "labelled": sum(1 for k in topics if curated.label(k)),
        "set aside as junk": sum(1 for k in topics if curated.is_hidden(k)),
        "merged into others": sum(1 for k in topics if curated.is_merged(k)),
    }
    deeds = []
    for deed, count in counts.items():
        if count:
            deeds.append(f"{count:,} {'was' if count == 1 else 'were'} {deed}")
    if not deeds:
        return ""
    return f"Of the topics, {join_names(deeds)} by hand after reading their words and documents."


def _findings(run: Run) -> str:
    """How the overview's sentences are tested (docs/findings.md)."""
    if not run.final:
        return ""
    return (
        "Groups are compared by the difference of their shares. Its error is the larger of a"
        f" cluster-robust one (Bell and McCaffrey 2002) and a pooled one. {_unit(run)} Differences"
        " are tested by Student’s t and, where units are few, also by exchanging units between the"
        " groups, in all ways or in 4,999 at random. Ratios have Fieller’s intervals (Fieller 1954). All intervals of a field"
        " have one level, at which those of the accepted differences do not contain zero (Benjamini"
        " and Yekutieli 2005). Changes over time are tested by permuting periods. The false"
        " discovery rate is held at 5% (Benjamini and Hochberg 1995)."
    )


def _unit(run: Run) -> str:
    """Which texts count as one, and who said it."""
    unit = unit_sentences.about(run.version, corpus_unit.unit_of(run.version))
    who = "as we chose" if unit.chosen_by == "person" else "as was found from how alike texts are"
    if not unit.column:
        return f"Documents were taken as independent of each other, {who}."
    column = unit_words.column(unit.column)
    return f"Texts with the same {column} ({unit.count:,} of them) count as one unit, {who}."


def _software(run: Run) -> str:
    if not run.versions:
        return (
            f"We used Topograph {topograph()}, which trains with NumPy (Harris et al. 2020) and"
            " Numba (Lam, Pitrou and Seibert 2015)."
        )
    of = run.versions
    return (
        f"We used Topograph {of['topograph']} with Python {of['python']}, NumPy {of['numpy']}"
        f" (Harris et al. 2020), Numba {of['numba']} (Lam, Pitrou and Seibert 2015) and SciPy"
        f" {of['scipy']} (Virtanen et al. 2020) on {of['machine']}."
    )


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def keys(run: Run) -> list[str]:
    """The works that the paragraphs name: the engine's own, then those of the file in its order."""
    cited = {*_CITED, *engines.get(run.engine).methods(run.settings).citations}
    if run.final:
        cited |= _CITED_WITH_FINDINGS
    if Steering.of_run(run).named:
        cited |= _CITED_WITH_SEEDS
    if run.versions:
        cited.add("virtanen2020scipy")
    return [key for key in _entries(run) if key in cited]


def bibtex(run: Run) -> str:
    """The entries of `keys`, LDAvis's for those who take its file, and Topograph itself."""
    cited = {*keys(run), "sievert2014ldavis"}
    entries = [text for key, text in _entries(run).items() if key in cited]
    version = run.versions.get("topograph", topograph())
    ours = f"@software{{topograph,\n  title = {{Topograph}},\n  version = {{{version}}}\n}}\n"
    return "\n".join([*entries, ours])


def _entries(run: Run) -> dict[str, str]:
    """BibTeX by key: the engine's own, and all others."""
    return {**engines.get(run.engine).ABOUT.papers, **references.all_entries()}
