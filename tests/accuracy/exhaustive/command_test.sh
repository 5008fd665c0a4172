#!/usr/bin/env bash
# The command itself: a small run with its result recorded, a stop by SIGTERM, wrong arguments.
# Usage: command_test.sh PATH_OF_EXHAUSTIVE
set -euo pipefail
exhaustive=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "$1" >&2; exit 1; }

"$exhaustive" --activation gelu --mode float64 --inputs 2000 --results "$folder/results"
[[ $(wc -l < "$folder/results") == 3 ]] || fail "not two results: $(cat "$folder/results")"

# Thirty seconds of work at the least, of one thread.
"$exhaustive" --activation gelu --quantity value --threads 1 --resume "$folder/progress" \
  --results "$folder/results" > "$folder/out" &
sleep 2
kill -TERM $!
status=0; wait $! || status=$?
[[ $status == 3 ]] || fail "status $status after SIGTERM"
grep -q "0 wrong.*; stopped" "$folder/out" || fail "$(cat "$folder/out")"
[[ -s $folder/progress ]] || fail "no progress was kept"
[[ $(wc -l < "$folder/results") == 3 ]] || fail "an unfinished result was recorded"

status=0; "$exhaustive" --activation nonsense 2> /dev/null || status=$?
[[ $status == 2 ]] || fail "status $status for an unknown activation"
