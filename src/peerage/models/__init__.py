"""Every method of estimating scores and reliabilities; in rooms by what their mathematics shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.base import Estimator as Estimator
    from peerage.models.base import check_choice as check_choice
    from peerage.models.base import clone as clone
    from peerage.models.base import rough_clone as rough_clone
    from peerage.models.combined import Combined as Combined
    from peerage.models.default import CHOICES as CHOICES
    from peerage.models.default import choose as choose
    from peerage.models.fitting import fit as fit
    from peerage.models.fitting import fit_estimator as fit_estimator
    from peerage.models.leave_out import scores_without as scores_without
    from peerage.models.mallows import Mallows as Mallows
    from peerage.models.mallows import count_reversed as count_reversed
    from peerage.models.mallows import count_sizes as count_sizes
    from peerage.models.mallows import log_normaliser as log_normaliser
    from peerage.models.normal import NormalScores as NormalScores
    from peerage.models.normal import ScoreAverage as ScoreAverage
    from peerage.models.registry import METHODS as METHODS
    from peerage.models.registry import Method as Method
    from peerage.models.registry import check_reliability as check_reliability
    from peerage.models.registry import code_of as code_of
    from peerage.models.registry import codes as codes
    from peerage.models.registry import entry as entry
    from peerage.models.registry import method as method
    from peerage.models.smooth import BradleyTerry as BradleyTerry
    from peerage.models.smooth import ListObjective as ListObjective
    from peerage.models.smooth import PlackettLuce as PlackettLuce
    from peerage.models.smooth import ScoreWeightedMallows as ScoreWeightedMallows
    from peerage.models.smooth import SmoothModel as SmoothModel
    from peerage.models.smooth import Thurstone as Thurstone
    from peerage.models.solver import HIGHEST as HIGHEST
    from peerage.models.solver import LOWEST as LOWEST
    from peerage.models.solver import GammaPrior as GammaPrior
    from peerage.models.solver import Mode as Mode
    from peerage.models.solver import Objective as Objective
    from peerage.models.solver import Tangent as Tangent
    from peerage.models.solver import dot as dot
    from peerage.models.solver import factorise as factorise
    from peerage.models.solver import inverse as inverse
    from peerage.models.solver import multiply as multiply
    from peerage.models.solver import solve_transposed as solve_transposed
    from peerage.models.solver import substitute as substitute
    from peerage.models.solver import substitute_backward as substitute_backward
    from peerage.models.solver import substitute_forward as substitute_forward
    from peerage.models.solver import subtract_schur as subtract_schur
    from peerage.models.tables import dense_ranks as dense_ranks

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BradleyTerry": "smooth",
        "CHOICES": "default",
        "Combined": "combined",
        "Estimator": "base",
        "GammaPrior": "solver",
        "HIGHEST": "solver",
        "LOWEST": "solver",
        "ListObjective": "smooth",
        "METHODS": "registry",
        "Mallows": "mallows",
        "Method": "registry",
        "Mode": "solver",
        "NormalScores": "normal",
        "Objective": "solver",
        "PlackettLuce": "smooth",
        "ScoreAverage": "normal",
        "ScoreWeightedMallows": "smooth",
        "SmoothModel": "smooth",
        "Tangent": "solver",
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
        "dot": "solver",
        "entry": "registry",
        "factorise": "solver",
        "fit": "fitting",
        "fit_estimator": "fitting",
        "inverse": "solver",
        "log_normaliser": "mallows",
        "method": "registry",
        "multiply": "solver",
        "rough_clone": "base",
        "scores_without": "leave_out",
        "solve_transposed": "solver",
        "substitute": "solver",
        "substitute_backward": "solver",
        "substitute_forward": "solver",
        "subtract_schur": "solver",
    },
)
