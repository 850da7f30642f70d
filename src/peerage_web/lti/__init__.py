"""LTI 1.3 Advantage: Peerage inside a learning platform. Launches, Deep Linking, rosters, and grades back.

A layer of our own on joserfc (signatures) and urllib3 (calls to the platform);
docs/explanation/decisions/lti.md says why.
"""
