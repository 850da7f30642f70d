"""How good a ranking, a reliability or a probability is, held against what is known to be true.

All scores are arrays with one number per item, larger is better; docs/metrics.md defines every figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.metrics.agreement import bottom_agreement as bottom_agreement
    from peerage.metrics.agreement import pairwise_accuracy as pairwise_accuracy
    from peerage.metrics.agreement import spearman as spearman
    from peerage.metrics.agreement import top_agreement as top_agreement
    from peerage.metrics.calibration import Reliability as Reliability
    from peerage.metrics.calibration import brier_score as brier_score
    from peerage.metrics.calibration import expected_calibration_error as expected_calibration_error
    from peerage.metrics.calibration import log_loss as log_loss
    from peerage.metrics.calibration import pair_outcomes as pair_outcomes
    from peerage.metrics.calibration import reliability_diagram as reliability_diagram
    from peerage.metrics.coding import CrossTable as CrossTable
    from peerage.metrics.coding import cohen_kappa as cohen_kappa
    from peerage.metrics.coding import cross_table as cross_table
    from peerage.metrics.coding import fleiss_kappa as fleiss_kappa
    from peerage.metrics.coding import majority_shares as majority_shares
    from peerage.metrics.consistency import Estimate as Estimate
    from peerage.metrics.consistency import Intraclass as Intraclass
    from peerage.metrics.consistency import intraclass_correlation as intraclass_correlation
    from peerage.metrics.consistency import krippendorff_alpha as krippendorff_alpha
    from peerage.metrics.lazy import equal_evidence_pairs as equal_evidence_pairs
    from peerage.metrics.lazy import lazy_auc as lazy_auc
    from peerage.metrics.lazy import lazy_auc_equal_evidence as lazy_auc_equal_evidence
    from peerage.metrics.lazy import lazy_detection_rate as lazy_detection_rate
    from peerage.metrics.scale import boundary_error as boundary_error
    from peerage.metrics.scale import grade_rmse as grade_rmse
    from peerage.metrics.tau import PairCounts as PairCounts
    from peerage.metrics.tau import count_pairs as count_pairs
    from peerage.metrics.tau import task_tau_errors as task_tau_errors
    from peerage.metrics.tau import tau_error as tau_error
    from peerage.metrics.tau import tau_error_by_task as tau_error_by_task

__all__ = [
    "CrossTable",
    "Estimate",
    "Intraclass",
    "PairCounts",
    "Reliability",
    "bottom_agreement",
    "boundary_error",
    "brier_score",
    "cohen_kappa",
    "count_pairs",
    "cross_table",
    "equal_evidence_pairs",
    "expected_calibration_error",
    "fleiss_kappa",
    "grade_rmse",
    "intraclass_correlation",
    "krippendorff_alpha",
    "lazy_auc",
    "lazy_auc_equal_evidence",
    "lazy_detection_rate",
    "log_loss",
    "majority_shares",
    "pair_outcomes",
    "pairwise_accuracy",
    "reliability_diagram",
    "spearman",
    "task_tau_errors",
    "tau_error",
    "tau_error_by_task",
    "top_agreement",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "CrossTable": "coding",
        "Estimate": "consistency",
        "Intraclass": "consistency",
        "PairCounts": "tau",
        "Reliability": "calibration",
        "bottom_agreement": "agreement",
        "boundary_error": "scale",
        "brier_score": "calibration",
        "cohen_kappa": "coding",
        "count_pairs": "tau",
        "cross_table": "coding",
        "equal_evidence_pairs": "lazy",
        "expected_calibration_error": "calibration",
        "fleiss_kappa": "coding",
        "grade_rmse": "scale",
        "intraclass_correlation": "consistency",
        "krippendorff_alpha": "consistency",
        "lazy_auc": "lazy",
        "lazy_auc_equal_evidence": "lazy",
        "lazy_detection_rate": "lazy",
        "log_loss": "calibration",
        "majority_shares": "coding",
        "pair_outcomes": "calibration",
        "pairwise_accuracy": "agreement",
        "reliability_diagram": "calibration",
        "spearman": "agreement",
        "task_tau_errors": "tau",
        "tau_error": "tau",
        "tau_error_by_task": "tau",
        "top_agreement": "agreement",
    },
)
