"""What models are fitted with: Newton's method, profiled reliabilities, small dense algebra, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.solver.dense import dot as dot
    from peerage.models.solver.dense import multiply as multiply
    from peerage.models.solver.newton import Outcome as Outcome
    from peerage.models.solver.newton import minimise as minimise
    from peerage.models.solver.parallel import SMALL as SMALL
    from peerage.models.solver.parallel import each as each
    from peerage.models.solver.parallel import runs as runs
    from peerage.models.solver.parallel import total as total
    from peerage.models.solver.prior import GammaPrior as GammaPrior
    from peerage.models.solver.profile import HIGHEST as HIGHEST
    from peerage.models.solver.profile import LOWEST as LOWEST
    from peerage.models.solver.profile import Fixed as Fixed
    from peerage.models.solver.profile import Profiled as Profiled
    from peerage.models.solver.profile import take_off as take_off

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Fixed": "profile",
        "GammaPrior": "prior",
        "HIGHEST": "profile",
        "LOWEST": "profile",
        "Outcome": "newton",
        "Profiled": "profile",
        "SMALL": "parallel",
        "dot": "dense",
        "each": "parallel",
        "minimise": "newton",
        "multiply": "dense",
        "runs": "parallel",
        "take_off": "profile",
        "total": "parallel",
    },
)
