"""The peer's whole job, as its own command line does it: python peer_dgemm.py FILE.f90 OUT.cl (in the peer's venv)."""

import sys

from loopy.cli import main

sys.argv[1:] = [*sys.argv[1:3], "--lang", "fortran", "--target", "opencl"]
main()
