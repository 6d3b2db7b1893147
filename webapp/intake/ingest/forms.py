"""The form of a run's settings. Each field says in a line what it does."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from inference import engines
from inference.engines.contract import About, Seedable, Setting, Truncated, WarmStart
from inference.runtime.memory import usable_memory
from webapp.intake.ingest import estimates, named_topics
from webapp.intake.ingest.named_topics import CountedTopic, NamedTopic
from webapp.models import Corpus, Run, Version
from webapp.platform.pages.page import told_at
from webapp.platform.storage import disk

LONGEST_SEEDS = 60_000  # characters
SEEDS_ROWS = 4  # of the field: two topics and room
SEEDS_EXAMPLE = "Economy: tax, jobs, inflation\nImmigration: immigration, asylum, border"
SEEDS_HELP = (
    "A line for each: a name, a colon, three to twenty words or phrases that the topic should have."
    " They draw the topic throughout the training, beside free topics; one whose words the texts"
    " lack stays empty."
)
OFFERED = 50  # versions of a corpus to train on


@dataclass(frozen=True)
class OfferedEngine:
    """An engine as the form offers it. cost: about what it takes on this corpus with so many topics
    as are proposed. too_large: whether the machine has less memory."""

    name: str
    about: About
    cost: estimates.Cost
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
        if seconds < 90:
            return f"{min((2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 75), key=lambda n: abs(math.log(n / seconds)))} s"
        return estimates.spoken(seconds)


def _offered(corpus: Corpus, topics: int, chosen: str) -> list[OfferedEngine]:
    """Every engine: those that a purpose chooses, then those that are there to do as their papers
    do."""
    there = usable_memory()
    rows = corpus.version.rows if corpus.version else 0
    costs = {
        name: estimates.cost(name, topics, rows, corpus.tokens, corpus.vocabulary)
        for name in engines.ENGINES
    }
    return sorted(
        (
            OfferedEngine(
                name=name,
                about=engine.ABOUT,
                cost=costs[name],
                too_large=there is not None and costs[name].memory > there,
                chosen=name == chosen,
                default=name == engines.DEFAULT,
            )
            for name, engine in engines.ENGINES.items()
        ),
        key=lambda offered: not offered.is_for_purpose,
    )


def _version(corpus: Corpus) -> forms.TypedChoiceField | None:
    """A choice of the versions that can be trained on; None where there is but one."""
    versions = list(
        corpus.versions.filter(status=Version.Status.READY).order_by("-number")[:OFFERED]
    )
    if len(versions) < 2:
        return None
    choices = [
        (v.pk, f"{v.number}: {v.documents:,} documents, {v.vocabulary:,} different words")
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


class _RunForm(forms.Form):
    """What the forms have in common that train runs of a corpus: seed and version."""

    corpus: Corpus

    def _add_seed_and_version(self, label: str) -> None:
        """The last fields of a form. label: of the seed."""
        self.fields["seed"] = forms.IntegerField(
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
        chosen: int | None = self.cleaned_data.get("version", self.corpus.version_id)
        if chosen is None or chosen == self.corpus.version_id:
            return self.corpus.version
        return self.corpus.versions.get(pk=chosen)


class TrainForm(_RunForm):
    """Settings of a run: the fields are the engine's own (inference.engines.fields), so that it
    alone describes them.

    engine: whose settings; by default the one that was posted, else the default. Raises Invalid
    where there is none of that name.
    """

    COMMON = (
        "engine",
        "topics",
        "seed",
        "version",
        "consensus",
        "seeds",
    )  # fields that are not of one engine, or stand above all others

    def __init__(self, *args, corpus: Corpus, engine: str = "", **kwargs):
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        self.engine = engine or self.data.get("engine") or engines.DEFAULT
        self.suggested = suggested = engines.suggest_topics(
            corpus.tokens, self.engine, corpus.vocabulary
        )
        chosen = engines.config(self.engine, topics=suggested).resolve(
            corpus.version.rows if corpus.version else 0, corpus.tokens
        )
        self.fields["engine"] = forms.CharField(
            widget=forms.HiddenInput, initial=self.engine, required=False
        )
        for setting in engines.fields(self.engine):
            self.fields[setting.name] = _of_setting(
                setting, getattr(chosen, setting.name), suggested
            )
        self.fields["topics"].help_text += (
            f" {suggested} is a good start."
            if isinstance(engines.get(self.engine), Truncated)
            else (
                f" For {corpus.tokens:,} counted words, {suggested} topics are a good start; try"
                " half and twice as many."
            )
        )
        if corpus.tokens < engines.FEW_TOKENS:
            self.fields["topics"].help_text += f" {estimates.TOO_SMALL}"
        self._add_seed_and_version("Seed")
        if isinstance(engines.get(self.engine), WarmStart):
            self.fields["consensus"] = forms.BooleanField(required=False)
        if isinstance(engines.get(self.engine), Seedable):
            self.fields["seeds"] = forms.CharField(
                label="Topics that you name",
                required=False,
                max_length=LONGEST_SEEDS,
                widget=forms.Textarea(attrs={"rows": SEEDS_ROWS, "placeholder": SEEDS_EXAMPLE}),
                help_text=SEEDS_HELP,
            )

    @cached_property
    def engines(self) -> list[OfferedEngine]:
        """To choose from, of a corpus that is ready."""
        return _offered(self.corpus, self.suggested, self.engine)

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
        """The engine's own checks become errors of the fields; what was posted for another engine
        is one of the whole form."""
        if not self.errors:
            with told_at(self):
                engines.config(self.engine, **self._settings(), **self._of_other_engines())
                self.named  # noqa: B018 (raises what is wrong with it)

    @cached_property
    def named(self) -> list[NamedTopic]:
        """Topics that are named beforehand. Raises Invalid."""
        return named_topics.read(self.cleaned_data.get("seeds") or "")

    @cached_property
    def counted(self) -> list[CountedTopic]:
        """How often their seeds are in the texts; nothing where they can't be read."""
        version = self.chosen_version() if self.is_bound and not self.errors else None
        return named_topics.count_topics(version, self.named) if version else []

    def _settings(self) -> dict[str, int | float | str | None]:
        return {
            k: self.cleaned_data.get(k)
            for k in self.fields
            if k == "topics" or k not in self.COMMON
        }

    def _of_other_engines(self) -> dict[str, str]:
        """Settings that were posted, and that only other engines have."""
        others = {
            setting.name for name in engines.ENGINES for setting in engines.fields(name)
        } - self.fields.keys()
        return {name: self.data[name] for name in others if self.data.get(name)}

    def settings(self) -> dict[str, Any]:
        """For services.runs.create."""
        return self._settings() | {
            "engine": self.engine,
            "seed": self.cleaned_data["seed"],
            "consensus": self.cleaned_data.get("consensus", False),
            "seeds": self.named,
        }


class SeveralForm(_RunForm):
    """Engines that are trained beside one another, with the same topics, seed and version."""

    def __init__(self, *args, corpus: Corpus, **kwargs):
        super().__init__(*args, **kwargs)
        self.auto_id = "several_%s"  # beside the form of one run
        self.corpus = corpus
        self.suggested = engines.suggest_topics(corpus.tokens, most=corpus.vocabulary)
        of_purpose = [name for name, engine in engines.ENGINES.items() if engine.ABOUT.purpose]
        self.fields["engines"] = forms.MultipleChoiceField(
            choices=[(name, engine.ABOUT.label) for name, engine in engines.ENGINES.items()],
            initial=of_purpose if len(of_purpose) > 1 else list(engines.ENGINES),
            error_messages={"required": "Mark two engines or more."},
        )
        self.fields["topics"] = forms.IntegerField(
            label="Topics of each run", initial=self.suggested, min_value=1
        )
        self._add_seed_and_version("Seed of each run")

    @property
    def marked(self) -> list[str]:
        """Engines whose boxes are ticked."""
        return self["engines"].value() or []


def _of_setting(setting: Setting, chosen: object, topics: int) -> forms.Field:
    """The field for an engine's setting. chosen: its value where it is left open, shown in grey or
    as the first choice; topics: the number to begin with."""
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
            [("", f"as suits the corpus: {setting.said(chosen)}")] if initial is None else []
        )
        made: Any = forms.TypedChoiceField(
            choices=left_open + choices, coerce=str, empty_value=None, **common
        )
    elif setting.type is int:
        made = forms.IntegerField(**common)
    else:
        made = forms.FloatField(**common)
        made.widget.attrs["step"] = "any"
    if initial is None and not setting.choices:
        made.widget.attrs["placeholder"] = f"{chosen:g}"
    made.symbol = setting.symbol
    made.default = "" if setting.name == "topics" or initial is None else str(initial)
    return made


def described(run: Run) -> list[tuple[str, str, str, str]]:
    """A run's settings as (name, label, symbol, value), for its page."""
    fields = [
        f for f in engines.fields(run.engine) if f.name in run.settings
    ]  # a run of an older version lacks some
    values = [(f.name, f.label, f.symbol, f.said(run.settings[f.name])) for f in fields]
    return [
        ("engine", "Engine", "", engines.get(run.engine).ABOUT.label),
        *values,
        ("seed", "Seed", "", str(run.seed)),
        *[("seeds", "Named beforehand", "", sentence) for sentence in named_topics.sentences(run)],
    ]
