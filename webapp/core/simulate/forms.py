"""The form of simulated texts. Each field says in a line what it does."""

from webapp.core.simulate.asked_texts import AskedOnPage
from webapp.core.simulate.truth import MadeSettings
from webapp.platform.pages.asked_forms import AskedForm, SentBox, SentNumber, SentWhole

NOT_FIELDS = frozenset({"csrfmiddlewaretoken"})  # Django sends it with each form
MOST_WORDS = 1_000_000  # of all documents: drawn and written in about two seconds
MOST_ENTRIES = 1_000_000  # topics times vocabulary, and topics times documents, which are kept

SYMBOLS = {  # of the fields that papers have a symbol for
    "documents": "M",
    "length": "ξ",
    "topics": "K",
    "vocabulary": "V",
    "alpha": "α",
    "eta": "η",
}

_DEFAULT = MadeSettings()


class MadeForm(AskedForm):
    """MadeSettings, bounded so that a request answers in seconds; the command has no such
    bounds."""

    schema = AskedOnPage

    documents = SentWhole(
        label="Documents",
        initial=_DEFAULT.documents,
        help_text="How many are drawn.",
    )
    length = SentNumber(
        label="Words in a document",
        initial=_DEFAULT.length,
        help_text=(
            "On average; the number of each is drawn from a Poisson distribution. With fewer than"
            " 50, topics are hard to find."
        ),
    )
    topics = SentWhole(
        label="Topics",
        initial=_DEFAULT.topics,
        help_text="How many known topics the texts are drawn from.",
    )
    vocabulary = SentWhole(
        label="Different words",
        initial=_DEFAULT.vocabulary,
        help_text="The words are invented and mean nothing.",
    )
    alpha = SentNumber(
        label="Topics in a document",
        initial=_DEFAULT.alpha,
        help_text=(
            "The mean of α, the prior of each topic in a document: small values give each document"
            " few topics, large values an even mixture of all."
        ),
    )
    varied = SentBox(
        label="Some topics are more frequent than others",
        required=False,
        initial=_DEFAULT.varied,
        help_text=(
            "Each topic's α is drawn from a Gamma distribution with shape 2, as in Chen and Huang’s"
            " paper; otherwise all have the same α."
        ),
    )
    eta = SentNumber(
        label="Words in a topic",
        initial=_DEFAULT.eta,
        help_text=(
            "Prior η of each word in a topic: small values give each topic few words of its own."
            " The paper’s value, 1, gives nearly flat topics."
        ),
    )
    seed = SentWhole(
        label="Seed",
        initial=_DEFAULT.seed,
        help_text="The same seed and settings give the same texts.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name, symbol in SYMBOLS.items():
            self.fields[name].symbol = symbol  # type: ignore[attr-defined]  # of ours alone
        for name in ("length", "alpha", "eta"):
            self.fields[name].widget.attrs["step"] = "any"

    def clean(self) -> None:
        """Each value may be allowed, and all together too much."""
        super().clean()
        self.check_names(NOT_FIELDS)
        if self.errors:
            return
        values = self.cleaned_data
        words = values["documents"] * values["length"]
        entries = values["topics"] * max(values["documents"], values["vocabulary"])
        if words > MOST_WORDS:
            self.add_error(
                "documents",
                f"{values['documents']:,} documents of {values['length']:,g} words are"
                f" {words:,.0f} words; make at most {MOST_WORDS:,}.",
            )
        elif entries > MOST_ENTRIES:
            self.add_error(
                "topics",
                "Topics times documents, and topics times words, may be at most"
                f" {MOST_ENTRIES:,}; choose fewer topics.",
            )

    def settings(self) -> MadeSettings:
        return MadeSettings(**self.cleaned_data)
