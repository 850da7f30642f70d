"""How good a ranking, a reliability or a probability is, held against what is known to be true.

All scores are arrays with one number per item, larger is better; docs/reference/metrics.md defines
every figure.
"""

from peerage.metrics.accuracy import (
    PairCounts,
    bottom_agreement,
    boundary_error,
    count_pairs,
    grade_rmse,
    pairwise_accuracy,
    spearman,
    task_tau_errors,
    tau_error,
    tau_error_by_task,
    top_agreement,
)
from peerage.metrics.calibration import (
    Reliability,
    brier_score,
    expected_calibration_error,
    log_loss,
    pair_outcomes,
    reliability_diagram,
)
from peerage.metrics.inter_rater import (
    CrossTable,
    Estimate,
    Intraclass,
    cohen_kappa,
    cross_table,
    fleiss_kappa,
    intraclass_correlation,
    krippendorff_alpha,
    majority_shares,
)
from peerage.metrics.lazy import equal_evidence_pairs, lazy_auc, lazy_auc_equal_evidence, lazy_detection_rate

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
