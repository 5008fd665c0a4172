#!/usr/bin/env bash
# Builds result_digest for arm64 and compares its digests under emulation: on NEON, on SVE with vectors
# of 256 bits and on SVE2 with vectors of 128. Takes a quarter of an hour.
#
#   tests/accuracy/arm64/digest.sh [FOLDER]      # FOLDER: where to work; kept, for another run
#
# Needs g++-aarch64-linux-gnu and qemu-user; fetches the arm64 libraries from the machine's package
# sources, for which arm64 must be a known architecture: dpkg --add-architecture arm64 && apt-get update
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$(mkdir -p "${1:-build/arm64}" && cd "${1:-build/arm64}" && pwd)

if [[ ! -d $folder/root ]]; then
  (cd "$folder" && apt-get download lib{hwy-dev,hwy1,mpfr-dev,mpfr6,gmp-dev,gmp10}:arm64)
  for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/root"; done
fi
libraries=$folder/root/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder/root

compare() { # bits of SVE's vectors or nothing, qemu's CPU
  local build=$folder/build${1:+-sve$1}
  cmake -S tests/accuracy/arm64 -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_FIND_ROOT_PATH="$folder/root" \
    -DCMAKE_CXX_FLAGS="-isystem $folder/root/usr/include/aarch64-linux-gnu -L$libraries" \
    "-DACTIVATION_SVE_BITS=$1"
  cmake --build "$build"
  qemu-aarch64 -cpu "$2" -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries" \
    "$build/result_digest" tests/accuracy/digests.txt
}
compare "" cortex-a72
compare 256 max,sve256=on
compare 128 max,sve128=on
