"""What a file that has taken a child over would try; runs in the child. Each attempt says how it was stopped.

The list stands in docs/explanation/decisions/sandbox.md, and `test_web_walls.py` compares the two.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path


def probe(files, target, names, on_step):
    """Try these; by name what came of it: `SUCCEEDED`, or the error that stopped it."""
    on_step(str(os.getpid()))
    return {name: _tried(ATTEMPTS[name], target) for name in names}


def _tried(function, target):
    try:
        said = function(target)
    except BaseException as error:
        return f"{type(error).__name__}: {getattr(error, 'strerror', None) or error}"
    return "SUCCEEDED" if said is None else f"SUCCEEDED: {said}"


def _call(name, *args):
    from peerage_web.sandbox.walls.seccomp import PROCESSORS
    from peerage_web.sandbox.walls.system import syscall

    return syscall(PROCESSORS[os.uname().machine][1][name], *args)


def _watch(target):
    queue = _call("inotify_init1", 0)
    return _call("inotify_add_watch", queue, os.fsencode(target["jobs"]), 0xFFF)


def _read_mem(target):
    with open(f"/proc/{target['service']}/mem", "rb") as memory:
        memory.seek(target["address"])
        return memory.read(3)


def _process_vm(target):
    there = (ctypes.c_size_t * 2)(target["address"], 8)
    kept = ctypes.create_string_buffer(8)
    here = (ctypes.c_size_t * 2)(ctypes.addressof(kept), 8)
    return _call("process_vm_readv", target["service"], here, 1, there, 1, 0)


def _limits(target):
    import resource

    resource.prlimit(target["service"], resource.RLIMIT_CORE, (0, 0))


def _tcp(target):
    with socket.create_connection(("127.0.0.1", target["port"]), 5):
        return


def _udp(target):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.sendto(b"secret", ("127.0.0.1", target["port"]))


def _unix(target):
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(target["socket"])


def _abstract(target):
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect("\0" + target["abstract"])


def _listen(target):
    with socket.create_server(("127.0.0.1", 0)):
        return


def _fork(target):
    if os.fork() == 0:
        os._exit(0)


def _bomb(target):
    stop, started = threading.Event(), []
    threading.stack_size(1 << 18)  # or the bound on memory would stop it; ARM takes no less than half of it
    try:
        for _ in range(2000):
            one = threading.Thread(target=stop.wait)
            one.start()
            started.append(one)
    finally:
        stop.set()
        for one in started:
            one.join()


def _survive(target):
    from peerage_web.sandbox.walls.system import prctl

    prctl(1, 0)


ATTEMPTS = {
    "read the secret key": lambda target: Path(target["key"]).read_text()[:3],
    "read the database": lambda target: Path(target["database"]).read_bytes()[:3],
    "list the jobs of others": lambda target: os.listdir(target["jobs"]),
    "read a file of another job": lambda target: Path(target["other"]).read_text()[:3],
    "write into another job": lambda target: Path(target["other"]).write_text("taken over"),
    "get out of its folder through a relative path": lambda target: Path(
        "..", "..", Path(target["key"]).name
    ).read_text()[:3],
    "read the users of the machine": lambda target: Path("/etc/passwd").read_text()[:3],
    "write beside the code, to be run by the next server": lambda target: Path(
        target["code"], "planted.py"
    ).write_text("x"),
    "write into the temporary folder": lambda target: Path(target["tmp"], "planted").write_text("x"),
    "cut off the secret key": lambda target: os.truncate(target["key"], 0),
    "open the secret key to everybody": lambda target: os.chmod(target["key"], 0o777),
    "plant a symbolic link for the service to follow": lambda target: os.symlink(target["key"], "link"),
    "plant a hard link": lambda target: os.link(target["key"], "hard"),
    "plant a named pipe for the service to wait at": lambda target: os.mkfifo("pipe"),
    "watch the folder of jobs for names": _watch,
    "read what the service was started with": lambda target: Path(
        f"/proc/{target['service']}/environ"
    ).read_bytes()[:3],
    "read what its own server was started with": lambda target: Path(
        f"/proc/{os.getppid()}/environ"
    ).read_bytes()[:3],
    "read the memory of the service": _read_mem,
    "read the memory of the service by a system call": _process_vm,
    "debug the service": lambda target: _call("ptrace", 0x4206, target["service"], 0, 0),  # PTRACE_SEIZE
    "debug its own server": lambda target: _call("ptrace", 0x4206, os.getppid(), 0, 0),
    "take an open file from the service": lambda target: _call(
        "pidfd_getfd", _call("pidfd_open", target["service"], 0), 0, 0
    ),
    "see which programs run": lambda target: Path(f"/proc/{target['service']}/cmdline").read_bytes()[:3],
    "send a signal to the service": lambda target: os.kill(target["service"], signal.SIGCONT),
    "send a signal to its own server": lambda target: os.kill(os.getppid(), signal.SIGCONT),
    "send a signal to everybody": lambda target: os.kill(-1, signal.SIGCONT),
    "take the limits of the service away": _limits,
    "slow the service down": lambda target: os.setpriority(os.PRIO_PROCESS, target["service"], 19),
    "pin the service to one processor": lambda target: os.sched_setaffinity(target["service"], {0}),
    "open a connection to the network": _tcp,
    "send a datagram": _udp,
    "speak to the database through its socket": _unix,
    "speak to an abstract socket": _abstract,
    "listen for visitors of its own": _listen,
    "run a shell": lambda target: subprocess.run(
        ["/bin/sh", "-c", "id"], check=True, capture_output=True
    ).stdout.decode(),
    "become another program": lambda target: os.execv(
        sys.executable, [sys.executable, "-c", "import os; os.write(3, b'taken over')"]
    ),
    "run a program from memory": lambda target: os.memfd_create("program"),
    "fork": _fork,
    "start threads without end": _bomb,
    "outlive its server": _survive,
    "mount a file system": lambda target: _call("mount", b"none", b"/", b"tmpfs", 0, None),
    "make namespaces of its own": lambda target: _call("unshare", 0x10000000),
    "become root": lambda target: os.setuid(0),
    "load a program into the kernel": lambda target: _call("bpf", 0, None, 0),
    "use io_uring": lambda target: _call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
    "read the keys of the kernel": lambda target: _call("keyctl", 0, -3, 0),
    "share memory beside the bounds": lambda target: _call("shmget", 0, 1 << 20, 0o1600),
}
