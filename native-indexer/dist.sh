#!/usr/bin/env bash
# Builds the program as it is distributed, target/dist/nearfind: profile `dist`, and on Linux what its linker can save.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
flags=()
if [ "$(uname -s)" = Linux ]; then
  # Equal functions once, and addresses to be relocated as a bit map, which glibc 2.36 and newer read.
  flags=(-- -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,-O2)
fi
exec cargo rustc --locked --profile dist -p nearfind --bin nearfind ${flags[@]+"${flags[@]}"}
