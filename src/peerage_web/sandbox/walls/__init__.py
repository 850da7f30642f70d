"""Walls around a process that reads strangers' files: what it can still reach once a file has taken it over.

Each wall is a module: `user` (another uid), `namespaces` (no network), `landlock` (no files but its own),
`seccomp` (no shell, no sockets, no signals, no other process). `build` puts them up, in the child, for good.
What the kernel does not offer is left out and told by `trial`, which the start of the service shows; what it
offers and refuses all the same is an error, and nothing is read.
"""

from peerage_web.sandbox.walls.build import Wall, build, readable, trial
from peerage_web.sandbox.walls.dumps import deny_dumps

__all__ = ["Wall", "build", "deny_dumps", "readable", "trial"]
