"""What a file that has taken a child over would try; runs in the child. Each attempt says how it was stopped.

The list stands in docs/explanation/decisions/sandbox.md, and `test_web_walls.py` compares the two.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

ATTEMPTS = {}


def attempt(name):
    def keep(function):
        ATTEMPTS[name] = function
        return function

    return keep


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


@attempt("read the secret key")
def read_key(target):
    return Path(target["key"]).read_text()[:3]


@attempt("read the database")
def read_database(target):
    return Path(target["database"]).read_bytes()[:3]


@attempt("list the jobs of others")
def list_jobs(target):
    return os.listdir(target["jobs"])


@attempt("read a file of another job")
def read_other(target):
    return Path(target["other"]).read_text()[:3]


@attempt("write into another job")
def write_other(target):
    Path(target["other"]).write_text("taken over")


@attempt("get out of its folder through a relative path")
def relative(target):
    return Path("..", "..", Path(target["key"]).name).read_text()[:3]


@attempt("read the users of the machine")
def read_passwd(target):
    return Path("/etc/passwd").read_text()[:3]


@attempt("write beside the code, to be run by the next server")
def write_code(target):
    Path(target["code"], "planted.py").write_text("x")


@attempt("write into the temporary folder")
def write_tmp(target):
    Path(target["tmp"], "planted").write_text("x")


@attempt("cut off the secret key")
def truncate(target):
    os.truncate(target["key"], 0)


@attempt("open the secret key to everybody")
def chmod(target):
    os.chmod(target["key"], 0o777)


@attempt("plant a symbolic link for the service to follow")
def symlink(target):
    os.symlink(target["key"], "link")


@attempt("plant a hard link")
def hard_link(target):
    os.link(target["key"], "hard")


@attempt("plant a named pipe for the service to wait at")
def fifo(target):
    os.mkfifo("pipe")


@attempt("watch the folder of jobs for names")
def watch(target):
    queue = _call("inotify_init1", 0)
    return _call("inotify_add_watch", queue, os.fsencode(target["jobs"]), 0xFFF)


@attempt("read what the service was started with")
def read_environ(target):
    return Path(f"/proc/{target['service']}/environ").read_bytes()[:3]


@attempt("read what its own server was started with")
def read_server_environ(target):
    return Path(f"/proc/{os.getppid()}/environ").read_bytes()[:3]


@attempt("read the memory of the service")
def read_mem(target):
    with open(f"/proc/{target['service']}/mem", "rb") as memory:
        memory.seek(target["address"])
        return memory.read(3)


@attempt("read the memory of the service by a system call")
def process_vm(target):
    there = (ctypes.c_size_t * 2)(target["address"], 8)
    kept = ctypes.create_string_buffer(8)
    here = (ctypes.c_size_t * 2)(ctypes.addressof(kept), 8)
    return _call("process_vm_readv", target["service"], here, 1, there, 1, 0)


@attempt("debug the service")
def trace(target):
    return _call("ptrace", 0x4206, target["service"], 0, 0)  # PTRACE_SEIZE


@attempt("debug its own server")
def trace_server(target):
    return _call("ptrace", 0x4206, os.getppid(), 0, 0)


@attempt("take an open file from the service")
def steal_file(target):
    return _call("pidfd_getfd", _call("pidfd_open", target["service"], 0), 0, 0)


@attempt("see which programs run")
def list_processes(target):
    return Path(f"/proc/{target['service']}/cmdline").read_bytes()[:3]


@attempt("send a signal to the service")
def send_signal(target):
    os.kill(target["service"], signal.SIGCONT)


@attempt("send a signal to its own server")
def signal_server(target):
    os.kill(os.getppid(), signal.SIGCONT)


@attempt("send a signal to everybody")
def signal_all(target):
    os.kill(-1, signal.SIGCONT)


@attempt("take the limits of the service away")
def limits(target):
    import resource

    resource.prlimit(target["service"], resource.RLIMIT_CORE, (0, 0))


@attempt("slow the service down")
def renice(target):
    os.setpriority(os.PRIO_PROCESS, target["service"], 19)


@attempt("pin the service to one processor")
def pin(target):
    os.sched_setaffinity(target["service"], {0})


@attempt("open a connection to the network")
def tcp(target):
    with socket.create_connection(("127.0.0.1", target["port"]), 5):
        return


@attempt("send a datagram")
def udp(target):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.sendto(b"secret", ("127.0.0.1", target["port"]))


@attempt("speak to the database through its socket")
def unix(target):
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(target["socket"])


@attempt("speak to an abstract socket")
def abstract(target):
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect("\0" + target["abstract"])


@attempt("listen for visitors of its own")
def listen(target):
    with socket.create_server(("127.0.0.1", 0)):
        return


@attempt("run a shell")
def shell(target):
    return subprocess.run(["/bin/sh", "-c", "id"], check=True, capture_output=True).stdout.decode()


@attempt("become another program")
def execute(target):
    os.execv(sys.executable, [sys.executable, "-c", "import os; os.write(3, b'taken over')"])


@attempt("run a program from memory")
def from_memory(target):
    return os.memfd_create("program")


@attempt("fork")
def fork(target):
    if os.fork() == 0:
        os._exit(0)


@attempt("start threads without end")
def bomb(target):
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


@attempt("outlive its server")
def survive(target):
    from peerage_web.sandbox.walls.system import prctl

    prctl(1, 0)


@attempt("mount a file system")
def mount(target):
    return _call("mount", b"none", b"/", b"tmpfs", 0, None)


@attempt("make namespaces of its own")
def namespaces(target):
    return _call("unshare", 0x10000000)


@attempt("become root")
def root(target):
    os.setuid(0)


@attempt("load a program into the kernel")
def bpf(target):
    return _call("bpf", 0, None, 0)


@attempt("use io_uring")
def io_uring(target):
    return _call("io_uring_setup", 1, ctypes.create_string_buffer(120))


@attempt("read the keys of the kernel")
def keys(target):
    return _call("keyctl", 0, -3, 0)


@attempt("share memory beside the bounds")
def shared(target):
    return _call("shmget", 0, 1 << 20, 0o1600)
