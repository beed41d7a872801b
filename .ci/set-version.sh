#!/usr/bin/env bash
# Gives all that is released the version that a tag names: .ci/set-version.sh v1.2.0-rc.1 [WORKSPACE]
# Between releases the files have the version of the last one.
set -euo pipefail
tag="${1:-}"
cd "${2:-$(dirname "${BASH_SOURCE[0]}")/..}"
if [[ ! "$tag" =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
  echo "error: ${tag:-no tag}: the tag of a release is v and a version, as in v1.2.0 or v1.2.0-rc.1" >&2
  exit 1
fi
version="${tag#v}"
sed -i.before "s/^version = \".*\"$/version = \"$version\"/" Cargo.toml
# Only packages of the workspace have such names.
sed -i.before "/^name = \"nearfind/{n;s/^version = \".*\"$/version = \"$version\"/;}" Cargo.lock
rm Cargo.toml.before Cargo.lock.before
(cd web && npm version "$version" --no-git-tag-version --allow-same-version >/dev/null)
echo "$version"
