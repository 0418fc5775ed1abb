"""Gives the memory of large bodies back to the system as soon as they are let go (glibc; elsewhere nothing is done)."""

import ctypes
import platform

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of <malloc.h>
_LARGE = 128 * 1024
_LEFT_FREE = 1024 * 1024


def give_large_blocks_back() -> bool:
    """From now on blocks of 128 KB and more are mapped one by one; True where this allocator can be told so.

    That is how glibc begins, but with each large block that is freed it raises its limit, up to 32 MB: pages of a
    megabyte then come to lie between small objects, which keep their memory from being given back. Two workers at a
    list with bombs and endless pages held 251 MB so, and 212 MB with the limit where it was (malloc's manual,
    M_MMAP_THRESHOLD). For a whole process; twice is safe.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGE)) and bool(mallopt(_M_TRIM_THRESHOLD, _LEFT_FREE))
