"""Addresses of the API for what is asked before the term."""

from peerage_web.planning.api import allocate, methods, plan

ROUTERS = (methods.router, allocate.router, plan.router)
