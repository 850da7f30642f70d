"""Every method of estimating scores and reliabilities; in rooms by what their mathematics shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.base import Estimator as Estimator
    from peerage.models.base import check_choice as check_choice
    from peerage.models.base import clone as clone
    from peerage.models.combined import Combined as Combined
    from peerage.models.combined import Sum as Sum
    from peerage.models.default import CHOICES as CHOICES
    from peerage.models.default import choose as choose
    from peerage.models.fitting import fit as fit
    from peerage.models.mallows import Mallows as Mallows
    from peerage.models.mallows import count_reversed as count_reversed
    from peerage.models.mallows import count_sizes as count_sizes
    from peerage.models.mallows import log_normaliser as log_normaliser
    from peerage.models.normal import NormalScores as NormalScores
    from peerage.models.normal import ScoreAverage as ScoreAverage
    from peerage.models.normal import ScoreLandscape as ScoreLandscape
    from peerage.models.normal import ScoreObjective as ScoreObjective
    from peerage.models.normal import reported_scores as reported_scores
    from peerage.models.normal import reviews_of as reviews_of
    from peerage.models.registry import METHODS as METHODS
    from peerage.models.registry import Method as Method
    from peerage.models.registry import check_reliability as check_reliability
    from peerage.models.registry import code_of as code_of
    from peerage.models.registry import codes as codes
    from peerage.models.registry import entry as entry
    from peerage.models.registry import method as method
    from peerage.models.smooth import Block as Block
    from peerage.models.smooth import BradleyTerry as BradleyTerry
    from peerage.models.smooth import Objective as Objective
    from peerage.models.smooth import PlackettLuce as PlackettLuce
    from peerage.models.smooth import ScoreWeightedMallows as ScoreWeightedMallows
    from peerage.models.smooth import SmoothModel as SmoothModel
    from peerage.models.smooth import Thurstone as Thurstone
    from peerage.models.solver import HIGHEST as HIGHEST
    from peerage.models.solver import LOWEST as LOWEST
    from peerage.models.solver import Fixed as Fixed
    from peerage.models.solver import GammaPrior as GammaPrior
    from peerage.models.solver import Profiled as Profiled
    from peerage.models.solver import each as each
    from peerage.models.solver import total as total
    from peerage.models.tables import dense_ranks as dense_ranks

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Block": "smooth",
        "BradleyTerry": "smooth",
        "CHOICES": "default",
        "Combined": "combined",
        "Estimator": "base",
        "Fixed": "solver",
        "GammaPrior": "solver",
        "HIGHEST": "solver",
        "LOWEST": "solver",
        "METHODS": "registry",
        "Mallows": "mallows",
        "Method": "registry",
        "NormalScores": "normal",
        "Objective": "smooth",
        "PlackettLuce": "smooth",
        "Profiled": "solver",
        "ScoreAverage": "normal",
        "ScoreLandscape": "normal",
        "ScoreObjective": "normal",
        "ScoreWeightedMallows": "smooth",
        "SmoothModel": "smooth",
        "Sum": "combined",
        "Thurstone": "smooth",
        "check_choice": "base",
        "check_reliability": "registry",
        "choose": "default",
        "clone": "base",
        "code_of": "registry",
        "codes": "registry",
        "count_reversed": "mallows",
        "count_sizes": "mallows",
        "dense_ranks": "tables",
        "each": "solver",
        "entry": "registry",
        "fit": "fitting",
        "log_normaliser": "mallows",
        "method": "registry",
        "reported_scores": "normal",
        "reviews_of": "normal",
        "total": "solver",
    },
)
