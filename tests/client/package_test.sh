#!/bin/bash
# Installs the client to a folder of its own, builds its example there as a stranger would, and runs
# it against the server.
# usage: package_test.sh BUILD_FOLDER EXAMPLE_SOURCE SERVER COMPILER_FLAGS
set -eu
build="$1" example="$2" server="$3" flags="$4"
work=$(mktemp -d)
trap 'kill "$server_pid" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

"$server" --listen="unix:$work/socket" --metrics-listen=off --lame-duck=0s &
server_pid=$!

cmake --install "$build" --component client --prefix "$work/prefix"
mkdir "$work/source"
cp "$example" "$work/source/example.cc"
cat >"$work/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES CXX)
find_package(activation 0.1 REQUIRED)
add_executable(example example.cc)
target_link_libraries(example PRIVATE activation::client)
END
cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$flags"
cmake --build "$work/build"

"$work/prefix/bin/activation" --target "unix:$work/socket" --timeout 20 health
output=$("$work/build/example" "unix:$work/socket")
echo "$output"
grep -q '^x -5.5 *gelu -1.04' <<<"$output"
grep -q '^x 2 .*elu 2$' <<<"$output"
