#!/bin/bash
# What bash offers after a few beginnings of a command line.  usage: completion_test.sh BIN_FOLDER
set -eu
folder=$(mktemp -d)
export PATH="$1:$PATH" ACTIVATION_TARGET="unix:$folder/socket"
trap 'rm -rf "$folder"' EXIT
coproc activation-fake-server "$ACTIVATION_TARGET"
read -r ready <&"${COPROC[0]}"
[[ $ready == ready ]]
# shellcheck disable=SC1090  # the script that is tested
source <(activation completion bash)

# expect 'offers' words of the command line; the last one is being completed
expect() {
  local expected="$1"
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _activation
  if [[ "${COMPREPLY[*]}" != "$expected" ]]; then
    echo "after '$*': got '${COMPREPLY[*]}', not '$expected'" >&2
    exit 1
  fi
}
expect 'evaluate' activation ev
expect 'evaluate gradient compare plot report list info health completion --help --version --target --timeout --tls-ca --tls-cert --tls-key' activation ''
expect '--dtype' activation evaluate gelu --d
expect '--target' activation gradient gelu --tar
expect 'float32 float64 float16' activation evaluate gelu --dtype fl
expect 'bfloat16' activation evaluate gelu --output-dtype bf
expect 'npy' activation evaluate gelu --format n
expect 'scale' activation evaluate ''
expect 'scale' activation --timeout 5 compare scale --with s
expect 'zsh' activation completion z
cd "$(dirname "${ACTIVATION_TARGET#unix:}")"
touch values.npy
expect 'values.npy' activation evaluate gelu --input val

# The other shells read their scripts, where they are installed.
for shell in zsh fish; do
  if command -v "$shell" >/dev/null; then activation completion "$shell" | "$shell" -n; fi
done
