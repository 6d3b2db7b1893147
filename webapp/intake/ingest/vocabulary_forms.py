"""Forms of which words of a corpus count. Each field says in a line what it does."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields as dataclass_fields

from django import forms

from inference.text import LANGUAGES
from webapp.intake.ingest.asked_reading import AskedWords, NamedWords
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.platform.pages.asked_forms import (
    AskedForm,
    SentBox,
    SentChoice,
    SentNumber,
    SentSeveral,
    SentText,
    SentWhole,
    SentWords,
)
from webapp.platform.pages.page import told_at
from webapp.platform.received import Received

WHOLE_LANGUAGE_SHARE = (
    0.9  # of the letters must be in a language for a corpus that is called of that language
)
LEAST_LANGUAGE_SHARE = 0.03  # a language with less of the letters is rather a mistake
LEAST_TEXTS = 2  # in a language that is said: a single one may be a quotation, or a mistake
BY_NAME = sorted(LANGUAGES.items(), key=lambda item: item[1])  # (code, name) of every language
PERCENT = 100
# What a form of words sends beside its fields: its buttons, and Django's own
BUTTONS = frozenset({"csrfmiddlewaretoken", "preview", "leave_out", "keep", "next"})


def choice_field(form: forms.BaseForm, name: str) -> forms.ChoiceField:
    """A field whose choices are set when its form is made. Raises TypeError for a field of another
    kind."""
    if not isinstance(field := form.fields[name], forms.ChoiceField):
        raise TypeError(f"{name} is not a field of choices")
    return field


@dataclass(frozen=True)
class OfferedLanguage:
    """share: of the letters, 0 where it was not found. chosen: its stop words are left out, too."""

    code: str
    name: str
    share: float
    chosen: bool


@dataclass(frozen=True)
class Languages:
    """sentence: which were found. near: other languages that were found or chosen; others: all the
    rest."""

    sentence: str
    near: list[OfferedLanguage]
    others: list[OfferedLanguage]


class VocabularyForm(AskedForm):
    """Which words of a corpus count: ingest.corpus_settings.VocabularySettings. kept_words and
    apart have no widgets of their own: they stand beside the preview."""

    schema: type[Received] = AskedWords
    unshown = ("kept_words", "apart")
    other_names: Collection[str] = BUTTONS  # that are sent beside the form's fields

    language = SentChoice(
        required=False,
        label="Language",
        help_text=(
            "Its stop words (in English “the”, “of” and the like) are left out, and search finds"
            " all forms of its words."
        ),
    )
    also = SentSeveral(required=False, label="Stop words of other languages")
    min_documents = SentWhole(
        label="Leave out words in fewer documents than",
        help_text="Rare words, including typing errors, help a model little.",
    )
    max_share = SentNumber(
        label="Leave out words in more than this percentage of documents",
        help_text=(
            "100, the usual value, leaves out no word for this reason: a word can be in most of the documents"
            " and still be much of a topic."
        ),
    )
    spread_evenly = SentBox(
        required=False,
        label="Count frequent words that are spread evenly",
        help_text=(
            "Words in more than a tenth of the texts that occur as evenly as by chance (by their"
            " residual idf) tell little about topics. They are left out, up to a tenth of all"
            " words, where documents have 100 words or more."
        ),
    )
    section_words = SentWhole(
        label="Words of a section",
        help_text=(
            "Longer documents (from one and a half times as many words on) are read in sections of"
            " about this length, cut where paragraphs or sentences end. On every page they stay"
            " whole. 0: none is cut."
        ),
    )
    extra_stop_words = SentText(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        label="More stop words",
        help_text="Your own words to leave out, separated by spaces, commas or lines.",
    )
    kept_words = SentWords(required=False, label="Words that count nevertheless")
    min_length = SentWhole(
        label="Shortest word, in letters",
        help_text="Shorter ones are left out.",
    )
    numbers = SentBox(
        required=False,
        label="Numbers count",
        help_text="Years, amounts, “2nd”: everything that begins with a digit.",
    )
    hyphens = SentChoice(
        choices=[("split", "separate words: well · known"), ("join", "join words: well-known")],
        label="Hyphens",
        help_text="What “well-known” counts as.",
    )
    apostrophes = SentChoice(
        choices=[
            ("clitics", "divide what the language ties: l · homme, nation · s, but Qur’an"),
            ("split", "separate all words: l · homme, Qur · an"),
            ("join", "join all words: l’homme"),
        ],
        label="Apostrophes",
        help_text=(
            "What “l’homme” and “Qur’an” count as. The first divides as the second where we don’t"
            " know a language’s small words."
        ),
    )
    variants = SentBox(
        required=False,
        label="Count different spellings of a word as one",
        help_text=(
            "Where the texts have both: co-operation and cooperation, organise and organize, cœur"
            " and coeur. The preview lists them."
        ),
    )
    apart = SentWords(required=False, label="Spellings that count apart")
    phrases = SentText(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        label="Phrases that count as one word",
        help_text="One per line, such as “new york”.",
    )
    duplicates = SentChoice(
        choices=[
            ("keep", "count like others"),
            ("exact", "don’t count where they are the same"),
            ("near", "don’t count where they are nearly the same"),
        ],
        label="Documents that repeat an earlier one",
        help_text="They stay in the corpus and can be read.",
    )
    forms = SentChoice(
        choices=[
            ("written", "as they are written"),
            ("lemmas", "as in a dictionary: went → go"),
            ("stems", "as stems: nation, nations → nation"),
        ],
        label="Words count",
        help_text=(
            "Counting all forms of a word as one helps in languages with many forms. Not every"
            " language has both methods."
        ),
    )

    def __init__(self, *args, words: VocabularySettings, initial: dict | None = None, **kwargs):
        values = asdict(words) | {
            "max_share": f"{100 * words.max_share:g}",
            "extra_stop_words": " ".join(words.extra_stop_words),
            "phrases": "\n".join(words.phrases),
        }
        super().__init__(*args, **kwargs | {"initial": values | (initial or {})})
        choice_field(self, "language").choices = [("", "none, or another"), *BY_NAME]
        choice_field(self, "also").choices = BY_NAME

    def languages(self, shares: dict[str, float] | None) -> Languages:
        """What the page says of languages, and the other languages whose stop words can be left
        out. shares: language -> share of the letters; None where that was not looked for."""
        sentence = "" if shares is None else _say_languages(shares)
        shares = shares or {}
        main = self["language"].value() or ""
        also = set(self["also"].value() or [])
        other_languages = [(code, name) for code, name in BY_NAME if code != main]
        near = [
            (code, name)
            for code, name in other_languages
            if code in also or shares.get(code, 0) >= LEAST_LANGUAGE_SHARE
        ]
        near.sort(key=lambda language: -shares.get(language[0], 0))

        def offered(choices: list) -> list[OfferedLanguage]:
            return [
                OfferedLanguage(code, name, shares.get(code, 0), code in also)
                for code, name in choices
            ]

        return Languages(
            sentence,
            offered(near),
            offered([language for language in other_languages if language not in near]),
        )

    def clean(self) -> None:
        super().clean()
        self.check_names(self.other_names)
        if not self.errors:
            with told_at(self):
                self.words().choice()

    def words(self) -> VocabularySettings:
        names = [
            field.name
            for field in dataclass_fields(VocabularySettings)
            if field.name in self.fields
        ]
        values = {name: self.cleaned_data[name] for name in names}
        values["also"] = sorted(set(values["also"]) - {values["language"]})
        values["max_share"] /= PERCENT
        return VocabularySettings(**values)

    def offer(self, words: VocabularySettings) -> None:
        """Begin with other thresholds and languages than were said at first."""
        self["min_documents"].initial = words.min_documents
        self["max_share"].initial = f"{100 * words.max_share:g}"
        self["language"].initial = words.language
        self["also"].initial = words.also


class NamedVocabularyForm(VocabularyForm):
    """Which words of a corpus count, and its name."""

    schema: type[Received] = NamedWords

    name = SentText(label="Name of the corpus")

    def __init__(
        self, *args, name: str, reading: ReadingSettings, initial: dict | None = None, **kwargs
    ):
        super().__init__(*args, words=reading, initial={"name": name} | (initial or {}), **kwargs)

    def with_options(self, options: dict) -> ReadingSettings:
        """options: how files are read, webapp.intake.file_formats.Options as a dict."""
        return ReadingSettings(options=options, **vars(self.words()))


def several(texts: dict[str, int]) -> dict[str, float]:
    """Languages that hold a share of the texts worth saying, largest first, with their shares of
    the texts whose language is known. texts: by language (ISO 639-1), "" for not known."""
    in_a_language = {code: count for code, count in texts.items() if code}
    total = sum(in_a_language.values())
    shares = {}
    for code in sorted(in_a_language, key=lambda code: -in_a_language[code]):
        count = in_a_language[code]
        if count >= max(LEAST_TEXTS, LEAST_LANGUAGE_SHARE * total):
            shares[code] = count / total
    return shares


def are_said_wrongly(said: dict[str, int], wrong: int) -> bool:
    """Whether more than a few of some texts are in another language than they say. said: texts by
    the language (ISO 639-1) that they say; wrong: how many are in another."""
    return wrong >= max(LEAST_TEXTS, LEAST_LANGUAGE_SHARE * sum(said.values()))


def say_several(texts: dict[str, int]) -> str:
    """ "German 62%, French 30%"; "" where all that is worth saying is in one language."""
    present = several(texts)
    if len(present) < 2:
        return ""
    return ", ".join(f"{LANGUAGES[code]} {PERCENT * present[code]:.0f}%" for code in present)


def _say_languages(shares: dict[str, float]) -> str:
    present = [
        (LANGUAGES[code], share) for code, share in shares.items() if share >= LEAST_LANGUAGE_SHARE
    ]
    if not present:
        return "We can’t tell which language it is."
    if len(present) == 1:
        return (
            f"It seems to be {present[0][0]}."
            if present[0][1] > WHOLE_LANGUAGE_SHARE
            else f"Most of it seems to be {present[0][0]}."
        )
    return (
        "It seems to be in several languages:"
        f" {', '.join(f'{name} {100 * share:.0f}%' for name, share in present)}."
    )
