#!/usr/bin/env bash
# Runs the benchmarks of a build: tests/bench/run.sh BUILD_DIRECTORY
# bench_transport fails when perfrelay is slower than its bounds against a plain ping-pong, verdicts.py
# when rows are called faster or slower that are not; the codec figures are for reading.
set -euo pipefail
bin=$1/bin
"$bin/bench_codecs" --benchmark_min_time=0.2
"$bin/bench_transport"
python3 "$(dirname "$0")/verdicts.py" "$bin/planted_speeds"
