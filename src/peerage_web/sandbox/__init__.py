"""Work on visitors' files in a process of its own, with bounds. Nothing in here knows Django or the database.

`contract` is what both sides know: plain data. `work` is what runs in the child. The rest is machinery:
`parent` asks for a child and follows it, `processes` keeps the server of this process, `server` forks
children, `warm` loads what they need before, and `child` is what such a child does.
"""
