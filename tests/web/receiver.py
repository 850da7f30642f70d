"""A real HTTP server that waits for webhook messages, answers as told, and keeps what came."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """`answers` are used up one by one; then it is 200."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes, str]] = field(default_factory=list)
    drips: bool = False
    holds: threading.Event | None = None  # until which nothing is answered


@contextmanager
def receiving() -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.got.append(({name.lower(): value for name, value in self.headers.items()}, body, self.path))
            if kept.holds is not None:
                kept.holds.wait(60)
            while kept.drips:  # a byte now and then, for ever
                try:
                    self.wfile.write(b"H")
                except OSError:
                    return
                time.sleep(0.05)
            self.send_response(kept.answers.pop(0) if kept.answers else 200)
            self.send_header("Location", kept.url + "elsewhere")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    kept.url = f"http://127.0.0.1:{server.server_port}/hook?a=1"
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    try:
        yield kept
    finally:
        kept.drips = False
        server.shutdown()
        server.server_close()
