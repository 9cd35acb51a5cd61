#!/bin/sh
# Runs every fuzz target that is built, each for so many seconds. Exits 1 at the first finding.
#
#   tests/fuzz/run.sh SECONDS [directory of the targets]       default: build/fuzz/bin
#
# Starts from tests/fuzz/corpus/<target>, those that read XML from corpus/xml,
# those of object streams also from the vectors. New inputs and findings go to <build>/fuzz/<target>.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [directory of the targets]}
bin=${2:-$here/../../build/fuzz/bin}

ran=0
for target in "$bin"/fuzz_*; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    found=$bin/../fuzz/$name
    mkdir -p "$found/corpus" "$found/findings"
    seeds=$here/corpus/$name
    [ -d "$seeds" ] || seeds=
    case $name in
        fuzz_xml_*) seeds=$here/corpus/xml ;;
        fuzz_amf3 | fuzz_hessian2) seeds="$seeds $here/../data/objects/${name#fuzz_} $here/../data/objects/bad" ;;
        fuzz_javaser) seeds="$seeds $here/../data/objects/jos $here/../data/objects/bad" ;;
    esac
    echo "$name: $seconds s"
    if ! "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$found/findings/" "$found/corpus" $seeds >"$found/log" 2>&1; then
        tail -n 40 "$found/log"
        echo "$name: a finding, kept in $found/findings; the log is $found/log" >&2
        exit 1
    fi
    grep -E "^Done|stat::" "$found/log" || true
    ran=$((ran + 1))
done
if [ "$ran" -eq 0 ]; then
    echo "no fuzz target in $bin: build them with \"cmake --preset fuzz\" and \"cmake --build --preset fuzz\"" >&2
    exit 1
fi
