#!/usr/bin/env bash
set -euo pipefail

LIMIT=10
export NAME="x"

# Says hello.
greet() {
  echo "hello $1"
}

function leave {
  exit 0
}

greet "$NAME"

alias ll='ls -l'
