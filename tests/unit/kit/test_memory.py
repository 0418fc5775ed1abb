"""What large bodies took goes back to the system, whatever small things were made beside them."""

import platform
import subprocess
import sys

import pytest

# A first large block is freed, which raises the limit of an allocator that nobody has told otherwise.
_BODIES = """
from pathlib import Path
from provenance_site.kit.memory import give_large_blocks_back

def held_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

assert give_large_blocks_back()
b"x" * (30 * 2**20)
before, kept = held_mb(), []
for _ in range(40):
    body = bytearray(2**20)
    kept.append(bytearray(600))
    body = None
bodies = [bytearray(b"x" * 2**20) for _ in range(60) if not kept.append(bytearray(60_000))]
bodies = None
print(held_mb() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_memory_between_small_objects_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", _BODIES], capture_output=True, text=True, check=True)
    assert float(told.stdout) < 20
