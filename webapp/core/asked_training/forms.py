"""The forms of a training: of one run with its engine's settings, of which each field says in a
line what it does, and of several engines beside one another."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from inference import engines
from inference.engines.contract import About, Seedable, Truncated, WarmStart
from inference.engines.settings import Setting
from inference.errors import number_of
from inference.runtime.memory import usable_memory
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import CountedTopic, NamedTopic
from webapp.core.asked_training.schema import AskedTraining, RunSettings
from webapp.intake.ingest import word_estimates
from webapp.models import Corpus, Version
from webapp.platform.pages.asked_forms import (
    SentChoice,
    SentNumber,
    SentSeveral,
    SentText,
    SentWhole,
)
from webapp.platform.pages.page import told_at
from webapp.platform.received import no_field
from webapp.platform.storage import disk

LONGEST_SEEDS = 60_000  # characters
SEEDS_ROWS = 4  # of the field: two topics and room
SEEDS_EXAMPLE = "Economy: tax, jobs, inflation\nImmigration: immigration, asylum, border"
SEEDS_HELP = (
    "A line for each: a name, a colon, three to twenty words or phrases that the topic should have."
    " The training gathers the topic around them; all other topics are free. A topic whose words"
    " the texts lack stays empty."
)
SAID_IN_WORDS = 90  # seconds from which on a time is said as on other pages, in minutes or hours
ROUND_SECONDS = (2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 75)  # of less: about a third apart
_NUMBER_OF_TOPICS = re.compile(r"[1-9][0-9]{0,4}")  # as an address gives it
VERSIONS_OFFERED = 50  # versions of a corpus to train on


@dataclass(frozen=True)
class OfferedEngine:
    """An engine as the form offers it. cost: about what it takes on this corpus with so many topics
    as are proposed. too_large: whether the machine has less memory."""

    name: str
    about: About
    cost: word_estimates.Cost
    too_large: bool
    chosen: bool
    default: bool

    @property
    def is_for_purpose(self) -> bool:
        return bool(self.about.purpose)

    @property
    def spoken(self) -> str:
        """The time, as one says it; of what is quick so that engines can be told apart."""
        seconds = self.cost.seconds
        if seconds >= SAID_IN_WORDS:
            return word_estimates.spoken(seconds)
        nearest = min(ROUND_SECONDS, key=lambda n: abs(math.log(n / seconds)))
        return f"{nearest} s"


def _offered(corpus: Corpus, topics: int, chosen_engine: str) -> list[OfferedEngine]:
    """Every engine: those that a purpose chooses, then those that are there to do as their papers
    do."""
    available = usable_memory()
    rows = corpus.version.rows if corpus.version else 0
    costs = {
        name: word_estimates.cost(name, topics, rows, corpus.tokens, corpus.vocabulary)
        for name in engines.ENGINES
    }
    return sorted(
        (
            OfferedEngine(
                name=name,
                about=engine.ABOUT,
                cost=costs[name],
                too_large=available is not None and costs[name].memory > available,
                chosen=name == chosen_engine,
                default=name == engines.DEFAULT,
            )
            for name, engine in engines.ENGINES.items()
        ),
        key=lambda offered: not offered.is_for_purpose,
    )


def _version(corpus: Corpus) -> forms.TypedChoiceField | None:
    """A choice of the versions that can be trained on; None where there is but one."""
    versions = list(
        corpus.versions.filter(status=Version.Status.READY).order_by("-number")[:VERSIONS_OFFERED]
    )
    if len(versions) < 2:
        return None
    choices = [
        (
            v.pk,
            f"{v.number}: {number_of(v.documents, 'document')}, {number_of(v.vocabulary, 'different word')}",
        )
        for v in versions
    ]
    return forms.TypedChoiceField(
        coerce=int,
        label="Version of the words",
        choices=choices,
        initial=corpus.version_id,
        required=False,
        empty_value=corpus.version_id,  # type: ignore[arg-type]  # what coerce would give
    )


# Names of what a form sends beside its fields: Django's own, and the button that counts seeds
NOT_FIELDS = frozenset({"csrfmiddlewaretoken", "count"})


class _RunForm(forms.Form):
    """What the forms have in common that train runs of a corpus: seed and version."""

    corpus: Corpus

    def _add_seed_and_version(self, label: str) -> None:
        """The last fields of a form. label: of the seed."""
        self.fields["seed"] = SentWhole(
            label=label,
            initial=0,
            help_text=(
                "The same seed, settings and corpus give the same topics; another seed gives"
                " others."
            ),
        )
        if (version := _version(self.corpus)) is not None:
            self.fields["version"] = version

    def chosen_version(self) -> Version | None:
        """The version to train on: the newest, if no other was chosen; None where the corpus has
        none yet."""
        version_id: int | None = self.cleaned_data.get("version", self.corpus.version_id)
        if version_id is None or version_id == self.corpus.version_id:
            return self.corpus.version
        return self.corpus.versions.get(pk=version_id)


class TrainForm(_RunForm):
    """Settings of a run: the fields are the engine's own (inference.engines.fields), so that it
    alone describes them.

    engine: whose settings; by default the one that was posted, else the default. Raises Invalid
    where there is none of that name. proposed: topics to be named beforehand, with which the form
    begins.
    """

    # Fields that are not of one engine, or stand above all others
    COMMON = (
        "engine",
        "topics",
        "seed",
        "version",
        "consensus",
        "seeds",
    )

    def __init__(
        self,
        *args,
        corpus: Corpus,
        engine: str = "",
        proposed: Sequence[NamedTopic] = (),
        **kwargs,
    ):
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        self.proposed = proposed
        self.engine = engine or self.data.get("engine") or engines.DEFAULT
        AskedTraining.read({"engine": self.engine})  # raises what is no text
        self.suggested = suggested = engines.suggest_topics(
            corpus.tokens, self.engine, corpus.vocabulary
        )
        resolved = engines.config(self.engine, topics=suggested).resolve(
            corpus.version.rows if corpus.version else 0, corpus.tokens
        )
        self.fields["engine"] = SentText(
            widget=forms.HiddenInput, initial=self.engine, required=False
        )
        for setting in engines.fields(self.engine):
            self.fields[setting.name] = _of_setting(
                setting, getattr(resolved, setting.name), suggested
            )
        self.fields["topics"].help_text += (
            f" {suggested} is a good start."
            if isinstance(engines.get(self.engine), Truncated)
            else (
                f" For {corpus.tokens:,} counted words, {suggested} topics are a good start; try"
                " a third and three times as many."
            )
        )
        if corpus.tokens < engines.FEW_TOKENS:
            self.fields["topics"].help_text += f" {word_estimates.TOO_SMALL}"
        if corpus.version and corpus.version.rows < engines.FEW_DOCUMENTS:
            self.fields["topics"].help_text += f" {word_estimates.TOO_FEW}"
        self._add_seed_and_version("Seed")
        if isinstance(engines.get(self.engine), WarmStart):
            self.fields["consensus"] = forms.BooleanField(required=False)
        if isinstance(engines.get(self.engine), Seedable):
            self.fields["seeds"] = SentText(
                label="Topics that you name",
                required=False,
                max_length=LONGEST_SEEDS,
                widget=forms.Textarea(attrs={"rows": SEEDS_ROWS, "placeholder": SEEDS_EXAMPLE}),
                help_text=SEEDS_HELP,
                initial=named_topics.written(proposed),
            )

    @cached_property
    def engines(self) -> list[OfferedEngine]:
        """To choose from, of a corpus that is ready."""
        return _offered(self.corpus, self.counted_topics, self.engine)

    @property
    def counted_topics(self) -> int:
        """Of how many topics the form says what they take: of those that it shows, or of as many as
        are suggested."""
        asked = str(self["topics"].value())
        return int(asked) if _NUMBER_OF_TOPICS.fullmatch(asked) else self.suggested

    @property
    def chosen(self) -> OfferedEngine:
        return next(offered for offered in self.engines if offered.chosen)

    @property
    def free(self) -> int:
        """Bytes of the disk that a run may take."""
        return disk.free()

    @property
    def too_little_free(self) -> bool:
        return self.chosen.cost.at_work > self.free

    @property
    def advanced(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.COMMON]

    @property
    def advanced_errors(self) -> bool:
        return bool(self.errors.keys() - {*self.COMMON, NON_FIELD_ERRORS})

    def clean(self) -> None:
        """What can't be asked for becomes an error of its field, or of the whole form where it has
        no such field: what was sent for another engine, and what no training has."""
        if not self.errors:
            with told_at(self):
                settings = self.settings()
                topics = self.suggested if settings["topics"] is None else settings["topics"]
                engines.config(self.engine, topics=topics, **settings["engine_settings"])

    def _texts(self) -> dict[str, str]:
        """What was sent but by fields of this form alone, by name."""
        other_fields = {"version", "consensus", "seeds", *NOT_FIELDS}
        return {name: self.data[name] for name in self.data if name not in other_fields}

    @cached_property
    def asked(self) -> AskedTraining:
        """Raises Invalid."""
        seeds = named_topics.read_lines(self.cleaned_data.get("seeds") or "")
        return AskedTraining.of_texts(
            self._texts(), consensus=bool(self.cleaned_data.get("consensus")), seeds=seeds
        )

    @cached_property
    def counted(self) -> list[CountedTopic]:
        """How often their seeds, or those of what is proposed, are in the texts; nothing where they
        can't be read."""
        if not self.is_bound and self.proposed and self.corpus.version:
            return named_topics.count_topics(self.corpus.version, self.proposed)
        version = self.chosen_version() if self.is_bound and not self.errors else None
        return (
            named_topics.count_topics(version, self.settings()["topics_named"]) if version else []
        )

    def settings(self) -> RunSettings:
        """For webapp.core.runs.services.create. Raises Invalid."""
        return self.asked.settings_of_run()


class SeveralForm(_RunForm):
    """Engines that are trained beside one another, with the same topics, seed and version."""

    def __init__(self, *args, corpus: Corpus, **kwargs):
        super().__init__(*args, **kwargs)
        self.auto_id = "several_%s"  # beside the form of one run
        self.corpus = corpus
        self.suggested = engines.suggest_topics(corpus.tokens, most=corpus.vocabulary)
        of_purpose = [name for name, engine in engines.ENGINES.items() if engine.ABOUT.purpose]
        labels = [(name, engine.ABOUT.label) for name, engine in engines.ENGINES.items()]
        initial = of_purpose if len(of_purpose) > 1 else list(engines.ENGINES)
        self.fields["engines"] = SentSeveral(choices=labels, initial=initial)
        self.fields["topics"] = SentWhole(
            label="Topics of each run", initial=self.suggested, min_value=1
        )
        self._add_seed_and_version("Seed of each run")

    def clean(self) -> None:
        """Checks what TrainForm checks. There are no settings of one engine."""
        if not self.errors:
            with told_at(self):
                if self.asked.settings:
                    raise no_field(min(self.asked.settings))

    @cached_property
    def asked(self) -> AskedTraining:
        """What the runs have in common. Raises Invalid."""
        other_fields = {"engines", "version", *NOT_FIELDS}
        return AskedTraining.of_texts(
            {name: self.data[name] for name in self.data if name not in other_fields}
        )

    @property
    def topics(self) -> int:
        """The number of topics of each run."""
        return self.suggested if self.asked.topics is None else self.asked.topics

    @property
    def marked(self) -> list[str]:
        """Engines whose boxes are ticked."""
        return self["engines"].value() or []


def _of_setting(setting: Setting, chosen_value: object, topics: int) -> forms.Field:
    """The field for an engine's setting. chosen_value: its value where it is left open, shown in
    grey or as the first choice; topics: the number to begin with."""
    initial = topics if setting.name == "topics" else setting.default
    common: dict[str, Any] = {
        "label": setting.label,
        "help_text": setting.help,
        "initial": initial,
        "required": initial is not None,
    }
    if setting.choices:
        choices = [(choice, setting.said(choice)) for choice in setting.choices]
        left_open = (
            [("", f"as suits the corpus: {setting.said(chosen_value)}")] if initial is None else []
        )
        field: Any = SentChoice(choices=left_open + choices, **common)
    elif setting.type is int:
        field = SentWhole(**common)
    else:
        field = SentNumber(**common)
        field.widget.attrs["step"] = "any"
    if initial is None and not setting.choices:
        field.widget.attrs["placeholder"] = f"{chosen_value:g}"
    field.symbol = setting.symbol
    field.default = "" if setting.name == "topics" or initial is None else str(initial)
    return field
