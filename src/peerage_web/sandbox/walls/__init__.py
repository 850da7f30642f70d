"""Walls around a process that reads strangers' files: what it can still reach once a file has taken it over.

No files but its own (`landlock`), no shell, no sockets, no signals, no other process (`seccomp`), another uid
and no network (`build`). `build` puts them up, in the child, for good. What the kernel does not offer is
left out and told by `try_walls`, which the start of the service shows; what it offers and refuses all the
same is an error, and nothing is read.
"""
