"""Where in a training a step is."""

from dataclasses import dataclass

from inference.engines import from_documents
from inference.engines.contract import TrainingCorpus
from inference.engines.ssi.settings import Resolved
from inference.engines.step_sizes import Falling, rho


@dataclass(frozen=True)
class Phase:
    """Where in a training a step is, which says how the step is made.

    With decay all steps are alike: statistics fade. With memo they fade in the steps of the
    warm-up, by OPE or by sampling; at its end they are counted from what was remembered, and from
    then on a document's counts are replaced.

    step: counted from 1. remembers, learns_by_ope: of the settings. warm_up_steps: of memo, 0
    without a warm-up. steps_of_warm_up_pass, steps_of_pass: in the warm-up, and after it.
    """

    step: int
    remembers: bool
    learns_by_ope: bool
    warm_up_steps: int
    steps_of_warm_up_pass: int
    steps_of_pass: int

    @classmethod
    def of_step(cls, config: Resolved, corpus: TrainingCorpus, step: int) -> "Phase":
        """The phase of a step, counted from 1. corpus: the whole one."""
        return cls(
            step=step,
            remembers=config.remembers,
            learns_by_ope=config.learns_by_ope,
            warm_up_steps=config.warm_up * corpus.steps_per_pass if config.remembers else 0,
            steps_of_warm_up_pass=corpus.steps_per_pass,
            steps_of_pass=corpus.steps_per_later_pass,
        )

    @property
    def is_first(self) -> bool:
        """Whether topics begin with this step."""
        return self.step == 1

    @property
    def is_warm_up(self) -> bool:
        """Whether this is one of the first steps of memo, in which statistics fade."""
        return self.step <= self.warm_up_steps

    @property
    def ends_warm_up(self) -> bool:
        """Whether statistics are counted from what is remembered after this step."""
        return self.step == self.warm_up_steps

    @property
    def fades(self) -> bool:
        """Whether all statistics fade in this step, and none are taken back."""
        return self.is_warm_up or not self.remembers

    @property
    def is_by_ope(self) -> bool:
        """Whether this step is made by OPE, not by sampling."""
        return self.is_warm_up and self.learns_by_ope

    def step_size(self, config: Resolved) -> float:
        """By how much all statistics fade in this step, where they do: by the schedule of OPE, or
        by that of the settings (`step_sizes.rho`)."""
        schedule: Falling = from_documents.StepSizes() if self.is_by_ope else config
        return rho(schedule, self.step)

    @property
    def draws_after_ope(self) -> bool:
        """Whether topics of tokens are drawn from what OPE finds, to be remembered: in its last
        pass."""
        return self.is_by_ope and self.step > self.warm_up_steps - self.steps_of_warm_up_pass

    @property
    def samples_anew(self) -> bool:
        """Whether documents that are remembered are sampled as if they were new: in the pass after
        OPE, so that common words leave topics that they do not belong to."""
        return self.learns_by_ope and self.step <= self.warm_up_steps + self.steps_of_pass

    @property
    def ended_pass(self) -> int:
        """The pass after the warm-up that ends with this step, counted from 1; 0 for none. Of memo
        alone."""
        passes, steps_since = divmod(self.step - self.warm_up_steps, self.steps_of_pass)
        if self.fades or steps_since:
            return 0
        return passes
