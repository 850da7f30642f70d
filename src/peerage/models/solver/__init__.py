"""What models are fitted with: Newton's method, profile likelihood, dense algebra, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.solver.components import Components as Components
    from peerage.models.solver.components import Forest as Forest
    from peerage.models.solver.components import linked_by_graders as linked_by_graders
    from peerage.models.solver.dense import dot as dot
    from peerage.models.solver.dense import factorise as factorise
    from peerage.models.solver.dense import inverse as inverse
    from peerage.models.solver.dense import multiply as multiply
    from peerage.models.solver.dense import solve_transposed as solve_transposed
    from peerage.models.solver.dense import substitute as substitute
    from peerage.models.solver.dense import substitute_backward as substitute_backward
    from peerage.models.solver.dense import substitute_forward as substitute_forward
    from peerage.models.solver.held_mean import HeldMeanProfile as HeldMeanProfile
    from peerage.models.solver.held_mean import HeldMeans as HeldMeans
    from peerage.models.solver.held_mean import Tangent as Tangent
    from peerage.models.solver.mode import Mode as Mode
    from peerage.models.solver.newton import Outcome as Outcome
    from peerage.models.solver.newton import minimise as minimise
    from peerage.models.solver.objective import Objective as Objective
    from peerage.models.solver.objective import ProfileFunction as ProfileFunction
    from peerage.models.solver.orders import Back as Back
    from peerage.models.solver.orders import Order as Order
    from peerage.models.solver.orders import Part as Part
    from peerage.models.solver.parallel import SMALL as SMALL
    from peerage.models.solver.parallel import each as each
    from peerage.models.solver.parallel import limits as limits
    from peerage.models.solver.parallel import runs as runs
    from peerage.models.solver.parallel import total as total
    from peerage.models.solver.parted import PartedProfile as PartedProfile
    from peerage.models.solver.parted import PartsPosterior as PartsPosterior
    from peerage.models.solver.parted_held import HeldPartedProfile as HeldPartedProfile
    from peerage.models.solver.parts import Threads as Threads
    from peerage.models.solver.points import point_ahead as point_ahead
    from peerage.models.solver.prior import GammaPrior as GammaPrior
    from peerage.models.solver.profile import HIGHEST as HIGHEST
    from peerage.models.solver.profile import LOWEST as LOWEST
    from peerage.models.solver.profile import FixedScales as FixedScales
    from peerage.models.solver.profile import ProfileObjective as ProfileObjective
    from peerage.models.solver.profile import ahead as ahead
    from peerage.models.solver.profile import subtract_schur as subtract_schur

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Back": "orders",
        "Components": "components",
        "FixedScales": "profile",
        "Forest": "components",
        "GammaPrior": "prior",
        "HIGHEST": "profile",
        "HeldMeanProfile": "held_mean",
        "HeldMeans": "held_mean",
        "HeldPartedProfile": "parted_held",
        "LOWEST": "profile",
        "Mode": "mode",
        "Objective": "objective",
        "Order": "orders",
        "Outcome": "newton",
        "Part": "orders",
        "PartedProfile": "parted",
        "PartsPosterior": "parted",
        "ProfileFunction": "objective",
        "ProfileObjective": "profile",
        "SMALL": "parallel",
        "Tangent": "held_mean",
        "Threads": "parts",
        "ahead": "profile",
        "dot": "dense",
        "each": "parallel",
        "factorise": "dense",
        "inverse": "dense",
        "limits": "parallel",
        "linked_by_graders": "components",
        "minimise": "newton",
        "multiply": "dense",
        "point_ahead": "points",
        "runs": "parallel",
        "solve_transposed": "dense",
        "substitute": "dense",
        "substitute_backward": "dense",
        "substitute_forward": "dense",
        "subtract_schur": "profile",
        "total": "parallel",
    },
)
