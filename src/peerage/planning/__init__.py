"""How many reviews per student are enough? Answered before the term starts, by simulation."""

from peerage.planning.planner import Plan, plan, workloads

__all__ = ["Plan", "plan", "workloads"]
