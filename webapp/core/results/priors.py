"""The priors of a run's model."""

from inference import checkpoint, engines
from inference.engines.contract import Priors
from webapp.models import Run
from webapp.platform.storage import files, sealed


def priors(run: Run) -> Priors:
    """The priors as the training left them; where its checkpoint is gone, as they were set."""
    path = files.run_folder(run.pk) / "checkpoint"
    if sealed.exists(path):
        with sealed.hold(path):
            return checkpoint.priors(path)
    config = engines.config(run.engine, **run.settings)
    return engines.get(run.engine).priors(
        config.resolve(run.version.rows, run.version.tokens), None
    )
