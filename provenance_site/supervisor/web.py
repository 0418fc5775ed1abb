"""The web server of the one-command installation: `python -m provenance_site.supervisor.web --host H --port N`.

Waitress in a process of its own. SIGTERM becomes SystemExit, which Waitress's loop takes as the end: it answers what is
being answered (5 s at most) and leaves. `waitress-serve` would be cut off in the middle.
"""

import argparse
import signal
from types import FrameType

from waitress.server import create_server

from provenance_site.wsgi import application


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    """Serves until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m provenance_site.supervisor.web", description=main.__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--threads", type=int, default=8)
    chosen = parser.parse_args()
    server = create_server(application, host=chosen.host, port=chosen.port, threads=chosen.threads, ident="")
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    server.run()


if __name__ == "__main__":
    main()
