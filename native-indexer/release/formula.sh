#!/usr/bin/env bash
# Prints the formula of Homebrew for a release:
#   native-indexer/release/formula.sh VERSION ADDRESS SHA256SUMS      ADDRESS is that of the archives
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: native-indexer/release/formula.sh VERSION ADDRESS SHA256SUMS" >&2; exit 2; }
archive() {
  local name="nearfind-$version-$1.tar.gz" hash
  hash="$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\$/\1/p" "$sums")"
  [ -n "$hash" ] || { echo "error: $sums does not have $name" >&2; exit 1; }
  printf '      url "%s/%s"\n      sha256 "%s"\n' "$address" "$name" "$hash"
}
version="$1" address="$2" sums="$3"
cat <<FORMULA
class Nearfind < Formula
  desc "Documentation search that understands what people mean, from static files"
  homepage "${address%/releases/*}"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
$(archive darwin-arm64)
    end
    on_intel do
$(archive darwin-x64)
    end
  end
  on_linux do
    on_arm do
$(archive linux-arm64)
    end
    on_intel do
$(archive linux-x64)
    end
  end

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"nearfind"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/nearfind --version")
  end
end
FORMULA
