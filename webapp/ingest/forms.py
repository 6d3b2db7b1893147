"""The form of a run's settings. Each field says in a line what it does."""

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from inference import engines
from inference.engines.contract import Truncated
from inference.engines.settings import Setting
from inference.errors import Invalid
from webapp.models import Corpus, Run, Version

OFFERED = 50  # versions of a corpus to train on


class TrainForm(forms.Form):
    """Settings of a run: the fields are the engine's own (inference.engines.fields), so that it alone describes them.

    engine: whose settings; by default the one that was posted, else the default. Raises Invalid where there is none of
    that name.
    """

    COMMON = ("engine", "topics", "seed", "version")  # fields that are not of one engine, or stand above all others

    def __init__(self, *args, corpus: Corpus, engine: str = "", **kwargs):
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        self.engine = engine or self.data.get("engine") or engines.DEFAULT
        self.engines = [
            {"name": name, "label": known.LABEL, "help": known.HELP, "chosen": name == self.engine}
            for name, known in engines.ENGINES.items()
        ]
        self.suggested = suggested = min(
            engines.suggest_topics(corpus.documents, self.engine), max(1, corpus.vocabulary)
        )
        chosen = engines.config(self.engine, topics=suggested).resolve(corpus.documents, corpus.tokens)
        self.fields["engine"] = forms.CharField(widget=forms.HiddenInput, initial=self.engine, required=False)
        for setting in engines.fields(self.engine):
            self.fields[setting.name] = _of_setting(setting, getattr(chosen, setting.name), suggested)
        self.fields["topics"].help_text += (
            f" {suggested} is a number to begin with."
            if isinstance(engines.get(self.engine), Truncated)
            else f" For {corpus.documents:,} documents {suggested} is a number to begin with; try half and twice as many."
        )
        self.fields["seed"] = forms.IntegerField(
            label="Seed",
            initial=0,
            help_text="The same seed, settings and corpus give the same topics; another seed gives others.",
        )
        versions = list(corpus.versions.filter(status=Version.Status.READY).order_by("-number")[:OFFERED])
        if len(versions) > 1:
            choices = [
                (v.pk, f"{v.number}: {v.documents:,} documents, {v.vocabulary:,} different words") for v in versions
            ]
            self.fields["version"] = forms.TypedChoiceField(
                coerce=int,
                label="Version of the words",
                choices=choices,
                initial=corpus.version_id,
                required=False,
                empty_value=corpus.version_id,
            )

    @property
    def advanced(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.COMMON]

    @property
    def advanced_errors(self) -> bool:
        return bool(self.errors.keys() - {*self.COMMON, NON_FIELD_ERRORS})

    def clean(self) -> dict:
        """The engine's own checks become errors of the fields; what was posted for another engine is one of the whole
        form."""
        if not self.errors:
            try:
                engines.config(self.engine, **self._settings(), **self._strange())
            except Invalid as error:
                self.add_error(error.field if error.field in self.fields else None, error.message)
        return self.cleaned_data

    def _settings(self) -> dict:
        return {name: self.cleaned_data.get(name) for name in self.fields if name not in ("engine", "seed", "version")}

    def _strange(self) -> dict:
        """Settings that were posted, and that only other engines have."""
        others = {setting.name for name in engines.ENGINES for setting in engines.fields(name)} - self.fields.keys()
        return {name: self.data[name] for name in others if self.data.get(name)}

    def settings(self) -> dict:
        """For services.runs.create."""
        return self._settings() | {"engine": self.engine, "seed": self.cleaned_data["seed"]}

    def chosen_version(self) -> Version:
        """That is trained on: the newest, if no other was chosen."""
        chosen = self.cleaned_data.get("version", self.corpus.version_id)
        return self.corpus.version if chosen == self.corpus.version_id else self.corpus.versions.get(pk=chosen)


def _of_setting(setting: Setting, chosen: object, topics: int) -> forms.Field:
    """The field for an engine's setting. chosen: its value where it is left open, shown in grey; topics: the number to
    begin with."""
    initial = topics if setting.name == "topics" else setting.default
    common = {"label": setting.label, "help_text": setting.help, "initial": initial, "required": initial is not None}
    if setting.choices:
        made = forms.ChoiceField(choices=[(choice, choice) for choice in setting.choices], **common)
    elif setting.type is int:
        made = forms.IntegerField(**common)
    else:
        made = forms.FloatField(**common)
        made.widget.attrs["step"] = "any"
    if initial is None:
        made.widget.attrs["placeholder"] = f"{chosen:g}"
    made.symbol, made.default = setting.symbol, "" if setting.name == "topics" or initial is None else str(initial)
    return made


def described(run: Run) -> list[tuple[str, str, str, str]]:
    """A run's settings as (name, label, symbol, value), for its page."""
    fields = [f for f in engines.fields(run.engine) if f.name in run.settings]  # a run of an older version lacks some
    values = [(f.name, f.label, f.symbol, str(run.settings[f.name])) for f in fields]
    return [("engine", "Engine", "", engines.get(run.engine).LABEL), *values, ("seed", "Seed", "", str(run.seed))]
