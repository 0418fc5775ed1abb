"""`python -m provenance_site.sample --port 8010`: serves the sample publishers until it is stopped."""

import argparse
import signal
import sys
from types import FrameType

from provenance_site.sample.publishers import PUBLISHERS
from provenance_site.sample.server import SampleServer


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    """Serves until SIGTERM or Ctrl-C; port 0 lets the system choose, and the first line says which."""
    parser = argparse.ArgumentParser(prog="python -m provenance_site.sample", description=main.__doc__)
    parser.add_argument("--port", type=int, default=8010)
    port: int = parser.parse_args().port
    signal.signal(signal.SIGTERM, _stop)
    try:
        with SampleServer(port) as server:
            sys.stdout.write(f"Sample publishers: http://{PUBLISHERS[0].host}:{server.port}/\n")
            sys.stdout.flush()
            server.serve_forever(poll_interval=0.2)
    except OSError as error:
        sys.exit(f"The sample publishers cannot listen on port {port}: {error.strerror or error}")
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
