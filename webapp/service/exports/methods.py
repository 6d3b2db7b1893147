"""How a run was made, in sentences for a paper, and the works that they name
(inference/references.bib)."""

from django.db.models import Avg

from inference import engines, references
from inference.runtime.versions import topograph
from inference.text import LANGUAGES, MAX_LETTERS
from inference.text.sections import LONG
from webapp.core.documents import fields
from webapp.core.results import labels
from webapp.core.runs import queries
from webapp.models import Metric, Run, Topic
from webapp.platform.drawing.numbers import listed
from webapp.service.exports.shapes import MethodsPage


def written(run: Run) -> MethodsPage:
    """The sentences and what they cite."""
    return MethodsPage(paragraphs(run), bibtex(run))


def paragraphs(run: Run) -> list[str]:
    """Plain text. Each says only what holds of this run."""
    written = (_corpus, _words, _model, _counting, _measures, _findings, _readers, _software)
    return [text for write in written if (text := write(run))]


def _corpus(run: Run) -> str:
    corpus, version, files = run.corpus, run.version, run.corpus.files.count()
    dated = fields.dated(run.version)
    years = f", dated from {dated[0].year} to {dated[1].year}," if dated else ""
    source = f" It was read from {files:,} file{'' if files == 1 else 's'}." if files else ""
    return (
        f"The corpus “{corpus.name}” holds {version.documents:,} documents{years} with"
        f" {version.tokens:,} words, {version.vocabulary:,} of them different, after"
        f" preprocessing.{source} The sha256 of its bag of words is"
        f" {version.report.get('digest', 'not recorded')}."
    )


def _words(run: Run) -> str:
    reading = run.version.settings
    languages = [
        LANGUAGES[code]
        for code in dict.fromkeys((reading.get("language", ""), *reading.get("also", [])))
        if code in LANGUAGES
    ]
    own, fewest, share = (
        len(reading.get("extra_stop_words", [])),
        reading["min_documents"],
        reading["max_share"],
    )
    left = [
        "" if reading.get("numbers") else "numbers",
        f"words of fewer than {reading['min_length']} or more than {MAX_LETTERS} letters",
        f"{listed(languages)} stop words" if languages else "",
        f"{own:,} stop words of our own" if own else "",
        f"words in fewer than {fewest:,} documents" if fewest > 1 else "",
        f"words in more than {100 * share:g}% of the documents" if share < 1 else "",
        (
            ""
            if reading.get("spread_evenly", True)
            else (
                "words in more than a tenth of pieces of 400 words whose residual inverse document"
                " frequency is below the median of the 500 most frequent words"
            )
        ),
    ]
    report = run.version.report
    cut = report.get("cut", 0)
    sections = (
        f" {cut:,} documents of more than {LONG * reading['section_words']:,.0f} words were read in"
        f" sections of about {reading['section_words']:,}, cut where paragraphs or sentences end:"
        f" {report['rows']:,} sections in all. The shares of a document are sums over its sections."
        if cut
        else ""
    )
    dropped = report.get("dropped", {}).values()
    kinds, tokens = (sum(pair[i] for pair in dropped) for i in (0, 1))
    return (
        "Texts were set in lower case and in Unicode normal form C. A word is a letter or a digit"
        f" followed by letters, combining marks and digits; {_joined(reading)}. We left out"
        f" {listed(filter(None, left))}: {tokens:,} occurrences of {kinds:,} different words."
        f" {_forms(reading, report.get('phrases_left_out', []))}{sections}"
    )


def _joined(reading: dict) -> str:
    joins = [name for name in ("hyphens", "apostrophes") if reading.get(name) == "join"]
    if len(joins) == 2:
        return "hyphens and apostrophes within a word are a part of it"
    if joins:
        return (
            f"{joins[0]} within a word are a part of it,"
            f" {'apostrophes' if joins == ['hyphens'] else 'hyphens'} end it"
        )
    return "an apostrophe or a hyphen ends a word"


def _forms(reading: dict, left_out: list[str]) -> str:
    """What was made of words as they are written. left_out: phrases that were chosen, and are not
    in the vocabulary."""
    forms = {
        "stems": "Words were reduced to their stems (Snowball).",
        "lemmas": "Words were reduced to their lemmas (simplemma).",
        "written": "Words were not stemmed or lemmatised.",
    }[reading.get("forms", "written")]
    alike = [pair for pair in reading.get("alike", []) if pair[0] not in reading.get("apart", [])]
    if alike:
        forms += (
            f" {len(alike):,} writings count as others of the same word, such as “{alike[0][0]}” as"
            f" “{alike[0][1]}”."
        )
    phrases = [phrase for phrase in reading.get("phrases", []) if phrase not in set(left_out)]
    if len(phrases) == 1:
        return f"{forms} The phrase “{phrases[0]}” counts as one word."
    return forms + (
        f" {len(phrases):,} phrases such as “{phrases[0]}” count as one word each."
        if phrases
        else ""
    )


def _without(run: Run) -> str:
    if not run.dropped:
        return ""
    begun = f" run {run.parent_id}" if run.parent_id else " an earlier run"
    count = f"{len(run.dropped):,} word{'' if len(run.dropped) == 1 else 's'}"
    return (
        f"{count} of the vocabulary"
        f" ({', '.join(run.dropped[:20])}{' …' if len(run.dropped) > 20 else ''}) left out, it"
        f" began with the topics of{begun}. "
    )


def _minibatches(settings: dict) -> str:
    """How many documents they have."""
    first, after = settings["minibatch"], settings.get("minibatch_after", settings["minibatch"])
    if after == first or not settings.get("warm_up"):
        return f"{after:,} documents"
    return f"{first:,} documents, after the warm-up of {after:,},"


def _model(run: Run) -> str:
    """The engine's own words, and what holds of all."""
    s, step = run.settings, run.snapshot.step
    ended = (
        f", of which {step:,} of {run.steps:,} were made before training was stopped"
        if step < run.steps
        else ""
    )
    made = queries.passes(run)
    settled = "" if made == s["passes"] else "; then the topics had settled"
    return (
        f"{engines.get(run.engine).methods(s).sentence} Training made {made:,} passes over the"
        f" corpus in minibatches of {_minibatches(s)} ({run.steps:,} steps{ended}{settled}), from"
        f" the random seed {run.seed}."
        f" {'' if run.in_use is None else f'Of the topics that there can be, {run.in_use:,} are in use. '}{_without(run)}The"
        " same corpus, settings, seed and versions give the same topics bit for bit."
    )


def _counting(run: Run) -> str:
    sentence = (
        "When training had ended, each word of each document was given, with all of its occurrences"
        " there, to the topic k with the largest posterior probability p(k | w, d), which is"
        " proportional to θ_dk β_kw. All numbers of words and shares that we report are sums of"
        " words given to topics in this way."
    )
    return sentence if run.final else ""


def _measures(run: Run) -> str:
    held_out = (
        Metric.objects.filter(run=run).order_by("-step").values_list("held_out", flat=True).first()
    )
    means = Topic.objects.filter(snapshot=run.snapshot).aggregate(
        umass=Avg("coherence"), npmi=Avg("npmi")
    )
    sentences = []
    if held_out is not None:
        sentences.append(
            "Documents that were not trained on were completed with a log likelihood of"
            f" {_number(held_out, 3)} nats per word, half of each document observed and half"
            " predicted (Wallach et al. 2009)."
        )
    if means["umass"] is not None:
        npmi = (
            f", their mean NPMI (Bouma 2009) {_number(means['npmi'], 3)}"
            if means["npmi"] is not None
            else ""
        )
        sentences.append(
            "The topics’ mean UMass coherence (Mimno et al. 2011) over their first ten words is"
            f" {_number(means['umass'], 2)}{npmi}."
        )
    return " ".join(sentences)


def _readers(run: Run) -> str:
    given = labels.read(run)
    labelled, hidden = (
        sum(1 for k in range(run.topics) if test(k)) for test in (given.label, given.hidden)
    )
    merged = sum(1 for k in range(run.topics) if given.into[k] != k)
    parts = [(labelled, "labelled"), (hidden, "set aside as junk"), (merged, "merged into others")]
    done = [f"{n:,} {'was' if n == 1 else 'were'} {what}" for n, what in parts if n]
    return (
        f"Of the topics, {listed(done)} by hand after reading their words and documents."
        if done
        else ""
    )


def _findings(run: Run) -> str:
    """How the overview's sentences are tested (docs/findings.md)."""
    sentence = (
        "Shares of topics are compared with 95% confidence intervals whose units are documents, and"
        " periods or blocks of neighbouring documents where those vary more. A rise or fall is the"
        " change between two levels that fits the periods best by least squares; as its place is"
        " chosen, it is tested as the maximum of a standardised Brownian bridge (Csörgő and Horváth"
        " 1997). Of all rises and falls, all topics that mark a group, and all words whose topics"
        " changed, the false discovery rate is held at 5% (Benjamini and Hochberg 1995)."
    )
    return sentence if run.final else ""


def _software(run: Run) -> str:
    if not run.versions:
        return (
            f"We used Topograph {topograph()}, which trains with NumPy (Harris et al. 2020) and"
            " Numba (Lam, Pitrou and Seibert 2015)."
        )
    v = run.versions
    return (
        f"We used Topograph {v['topograph']} with Python {v['python']}, NumPy {v['numpy']} (Harris"
        f" et al. 2020), Numba {v['numba']} (Lam, Pitrou and Seibert 2015) and SciPy {v['scipy']}"
        f" (Virtanen et al. 2020) on {v['machine']}."
    )


def _number(value: float, places: int) -> str:
    return f"{value:.{places}f}".replace("-", "−")


def keys(run: Run) -> list[str]:
    """The works that the paragraphs name: the engine's own, then those of the file in its order."""
    used = {
        *(
            "harris2020array",
            "lam2015numba",
            "mimno2011optimizing",
            "bouma2009normalized",
            "wallach2009evaluation",
        ),
        *(("benjamini1995controlling", "csorgo1997limit") if run.final else ()),
        *engines.get(run.engine).methods(run.settings).citations,
        *(("virtanen2020scipy",) if run.versions else ()),
    }
    return [key for key in _entries(run) if key in used]


def bibtex(run: Run) -> str:
    """The entries of `keys`, LDAvis's for those who take its file, and Topograph itself."""
    wanted = [*keys(run), "sievert2014ldavis"]
    ours = (
        "@software{topograph,\n  title = {Topograph},\n  version ="
        f" {{{run.versions.get('topograph', topograph())}}}\n}}\n"
    )
    return "\n".join([*(text for key, text in _entries(run).items() if key in wanted), ours])


def _entries(run: Run) -> dict[str, str]:
    """BibTeX by key: the engine's own, and all others."""
    return {**engines.get(run.engine).ABOUT.papers, **references.every()}
