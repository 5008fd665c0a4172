#!/usr/bin/env bash
# Builds result_digest for arm64 and compares its digests under emulation, on NEON. (Highway's SVE has
# vectors without a size, which number types made of vectors can't hold; SVE machines run NEON.)
#
#   tests/accuracy/arm64_digest.sh [FOLDER]      # FOLDER: where to work; kept, for another run
#
# Needs g++-aarch64-linux-gnu and qemu-user; fetches the arm64 libraries from the machine's package
# sources, for which arm64 must be a known architecture: dpkg --add-architecture arm64 && apt-get update
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mkdir -p "${1:-build/arm64}" && cd "${1:-build/arm64}" && pwd)

if [[ ! -d $folder/root ]]; then
  (cd "$folder" && apt-get download lib{hwy-dev,hwy1,mpfr-dev,mpfr6,gmp-dev,gmp10}:arm64)
  for package in "$folder"/*.deb; do dpkg -x "$package" "$folder/root"; done
fi
libraries=$folder/root/usr/lib/aarch64-linux-gnu

# The architecture is that of Highway's NEON, so that code outside of its targets can inline it.
compile() { # source
  local object
  object=$folder/$(basename "$1" .cc).o
  aarch64-linux-gnu-g++ -march=armv8-a+crypto -std=c++20 -O3 -DNDEBUG -ffp-contract=off -I. -I"$folder/root/usr/include" \
    -I"$folder/root/usr/include/aarch64-linux-gnu" -DHWY_SHARED_DEFINE \
    "-DHWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)" -c "$1" -o "$object"
  objects+=("$object")
}
objects=()
for source in server/engine/*.cc proto/tensor_codec.cc tests/accuracy/digest.cc; do
  echo "compiling $source"
  compile "$source"
done
aarch64-linux-gnu-g++ "${objects[@]}" -L"$libraries" -lhwy "$libraries/libmpfr.a" "$libraries/libgmp.a" \
  -o "$folder/result_digest"
qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries" \
  "$folder/result_digest" tests/accuracy/digests.txt
