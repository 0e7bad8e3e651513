#!/bin/sh
# Runs sample programs that are already built in a folder (bin/NAME) on the device that OpenCL finds, with kernel times.
# Usage: benchmarks/run_samples.sh DIR
set -u
for program in "$1"/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    FORTRANCL_TIMING=1 "$program" || echo "FAILED $program"
done
