"""Classes in the browser: people, courses, rosters, assignments, phases, and who may do what in which.

`rules` is the one table of permissions and `phases` the one state machine; neither knows the database.
"""
