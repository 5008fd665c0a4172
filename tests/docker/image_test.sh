#!/usr/bin/env bash
# Builds the image and checks what it promises: small, numeric non-root user, works read-only with all
# capabilities dropped and without a network, healthy by its own health check, right values, ends with 0.
#
#   tests/docker/image_test.sh [IMAGE]      # IMAGE: an image to check instead of building one
#
# Needs Docker or Podman (ENGINE chooses). BUILD="buildah bud --format docker" builds with another
# program than ENGINE. Exit status: 0 passed, 1 failed, 77 skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."

engine=${ENGINE:-$(command -v docker || command -v podman || true)}
if [[ -z $engine ]]; then
  echo "skipped: neither docker nor podman is installed"
  exit 77
fi
image=${1:-}
name=activation-image-test-$$
max_megabytes=160

fail() {
  echo "FAILED: $*" >&2
  "$engine" logs "$name" >&2 || true
  exit 1
}
check() { # what, actual, expected
  [[ $2 == "$3" ]] || fail "$1 is '$2', not '$3'"
  echo "ok: $1 is $2"
}
inspect() { "$engine" inspect --format "$1" "$2"; }
in_container() { "$engine" exec "$name" "$@"; }

if [[ -z $image ]]; then
  image=activation-image-test
  build=${BUILD:-$engine build}
  [[ $build == *podman\ build ]] && build+=" --format docker" # Otherwise the health check is dropped.
  echo "building $image with: $build"
  $build -t "$image" -f docker/Dockerfile .
fi

check "the user" "$(inspect '{{.Config.User}}' "$image")" 65532:65532
check "the entrypoint" "$(inspect '{{json .Config.Entrypoint}}' "$image")" \
  '["/usr/local/bin/activation-server"]'
megabytes=$(($(inspect '{{.Size}}' "$image") / 1000000))
((megabytes <= max_megabytes)) || fail "the image has $megabytes MB, more than $max_megabytes"
echo "ok: the image has $megabytes MB, at most $max_megabytes"

trap '"$engine" rm -f "$name" >/dev/null' EXIT
"$engine" run -d --name "$name" --network none --read-only --cap-drop ALL \
  --security-opt no-new-privileges "$image" --lame-duck=0s >/dev/null

# The image's own health check, as the engine would run it.
read -ra health <<<"$(inspect '{{join .Config.Healthcheck.Test " "}}' "$name")"
check "the form of the health check" "${health[0]}" CMD
healthy=no
for _ in {1..50}; do
  if in_container "${health[@]:1}" >/dev/null 2>&1; then
    healthy=yes
    break
  fi
  sleep 0.2
done
check "healthy" $healthy yes

check "gelu(-5.5), float32" \
  "$(in_container activation evaluate gelu --dtype float32 --format hex -- -5.5)" -0x1.c093d8p-24
metrics=$(in_container bash -c \
  'exec 3<>/dev/tcp/127.0.0.1/9464; printf "GET /metrics HTTP/1.0\r\n\r\n" >&3; cat <&3')
check "the count of elements" \
  "$(grep '^activation_elements_total.*"gelu".*"float32"' <<<"$metrics" | cut -d' ' -f2)" 1
check "the user id" "$(in_container id -u)" 65532
# shellcheck disable=SC2016  # awk's $2, not the shell's
check "the root file system's first mount option" \
  "$(in_container awk '$2 == "/" { print substr($4, 1, 2) }' /proc/mounts)" ro

"$engine" stop -t 30 "$name" >/dev/null
check "the exit status after a stop" "$(inspect '{{.State.ExitCode}}' "$name")" 0
echo "passed"
