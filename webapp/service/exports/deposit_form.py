"""What is asked of who makes a deposit, and what a deposit takes from their answers."""

import re
from typing import NamedTuple

from django import forms
from django.db.models import Q
from django.http import QueryDict

from webapp.models import Notebook, Pin, Run
from webapp.platform.typed_text import one_line

NOTEBOOKS = 50
LICENCES = {  # by their SPDX names
    "CC-BY-4.0": (
        "Creative Commons Attribution 4.0",
        "https://creativecommons.org/licenses/by/4.0/",
    ),
    "CC0-1.0": (
        "Creative Commons Zero 1.0: no rights reserved",
        "https://creativecommons.org/publicdomain/zero/1.0/",
    ),
    "CC-BY-SA-4.0": (
        "Creative Commons Attribution-ShareAlike 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
    ),
    "CC-BY-NC-4.0": (
        "Creative Commons Attribution-NonCommercial 4.0",
        "https://creativecommons.org/licenses/by-nc/4.0/",
    ),
    "CC-BY-NC-ND-4.0": (
        "Creative Commons Attribution-NonCommercial-NoDerivatives 4.0",
        "https://creativecommons.org/licenses/by-nc-nd/4.0/",
    ),
}
SHARED_LABELS = {
    "bag": (
        "The bag of words: how often each document has each word. Others need it to train the"
        " run again."
    ),
    "quotes": "Passages that the notebooks below quote.",
    "texts": "The texts themselves.",
}
_ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])\)?$")
_BEFORE_ORCID = " \t,;("  # what may part a name and its ORCID


class Creator(NamedTuple):
    """name: as it was written. family, given: of a person, where it has a comma."""

    name: str
    family: str
    given: str
    orcid: str


def valid_orcid(orcid: str) -> bool:
    """Whether its last character is its check digit (ISO 7064, mod 11-2)."""
    total = sum(
        int(digit) << exponent
        for exponent, digit in enumerate(reversed(orcid.replace("-", "")[:-1]), 1)
    )
    return "0123456789X"[(12 - total % 11) % 11] == orcid[-1].upper()


def creator(line: str) -> Creator:
    """The creator that "Family, Given 0000-0002-1825-0097" names. Raises ValidationError."""
    ending = _ORCID.search(line)
    name = line
    orcid = ""
    if ending:
        name = line[: ending.start()].rstrip(_BEFORE_ORCID)
        orcid = ending[1].upper()
    if orcid and not valid_orcid(orcid):
        raise forms.ValidationError(
            f"{orcid} is no ORCID: its last digit does not fit the others. Correct it."
        )
    if not name or re.search(r"\d{4}-\d", name):
        raise forms.ValidationError(
            f"“{line[:80]}” was not understood. Expected: a name, and behind it an ORCID such as"
            " 0000-0002-1825-0097."
        )
    family, _, given_names = name.partition(",") if "," in name else ("", "", "")
    return Creator(name, family.strip(), given_names.strip(), orcid)


class DepositForm(forms.Form):
    """`cleaned_data["creators"]` is a list of Creator."""

    title = forms.CharField(
        label="Title", max_length=200, help_text="Of the deposit, as it will be cited."
    )
    creators = forms.CharField(
        label="Creators",
        max_length=2_000,
        widget=forms.Textarea(
            attrs={"rows": 3, "placeholder": "Family name, given names 0000-0002-1825-0097"}
        ),
        help_text=(
            "One author a line: family name, comma, given names, and the ORCID if there is one. The name"
            " of an organisation has no comma."
        ),
    )
    licence = forms.ChoiceField(
        label="Licence",
        choices=[(name, f"{name}: {title}") for name, (title, _) in LICENCES.items()],
        help_text=(
            "Under which others may use what is in the deposit. Many archives ask for CC-BY-4.0 or"
            " CC0-1.0."
        ),
    )
    share = forms.MultipleChoiceField(
        label="What may be shared",
        choices=SHARED_LABELS.items(),
        initial=["bag", "quotes"],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=(
            "Tick what you have the right to publish. What you leave out is named in the deposit’s"
            " README."
        ),
    )

    def __init__(self, posted: QueryDict | None, run: Run, by: int):
        super().__init__(posted, initial={"title": f"Topics of {run.corpus.name}"[:200]})
        self.sent = posted
        self.own = {str(book.pk): book for book in notebooks(run, by)}
        self.fields["notebooks"] = forms.MultipleChoiceField(
            label="Your notebooks",
            choices=[(key, book.title) for key, book in self.own.items()],
            required=False,
            widget=forms.CheckboxSelectMultiple,
        )

    def clean_creators(self) -> list[Creator]:
        creators = [
            creator(line)
            for line in map(one_line, self.cleaned_data["creators"].splitlines())
            if line
        ]
        if len(orcids := [c.orcid for c in creators if c.orcid]) > len(set(orcids)):
            raise forms.ValidationError(
                "Two creators have the same ORCID. An ORCID is one person’s: correct it."
            )
        return creators

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What was sent, to be read again."""
        return [
            (name, value) for name in self.fields if self.sent for value in self.sent.getlist(name)
        ]


def own_runs(run: Run) -> list[int]:
    """The runs of a run's corpus."""
    return list(run.corpus.runs.values_list("pk", flat=True))


def notebooks(run: Run, by: int) -> list[Notebook]:
    """A user's notebooks that have something of the run's corpus, last used first."""
    pins = Pin.objects.filter(
        Q(source__corpus_id=run.corpus_id) | Q(source__run__in=own_runs(run)),
        removed_at=None,
        notebook__owner=by,
        notebook__removed_at=None,
    )
    return list(
        Notebook.objects.filter(pk__in=pins.values("notebook")).order_by("-used_at", "-pk")[
            :NOTEBOOKS
        ]
    )
