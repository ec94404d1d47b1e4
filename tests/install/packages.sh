#!/bin/sh
# Builds the Debian packages of a release, 12 or 13, in a root of it, and uses them in a new root that has nothing else
# (packaged.sh). They stay in out/packages/debian-RELEASE. Needs what cmake/debian.sh needs.
# usage: tests/install/packages.sh RELEASE
set -eu
cd "$(dirname "$0")/../.."
release=${1:?a release of Debian, 12 or 13}
packages=out/packages/debian-$release
since() { echo "packages.sh: $1 in $(($(date +%s) - began)) s" >&2; began=$(date +%s); }

began=$(date +%s)
cmake/debian.sh "$release" make package
since "built the packages of Debian $release"
rm -rf "$packages"
mkdir -p "$packages"
cp "build-debian$release"/root/spillway/out/packages/*.deb "$packages"
ls -l "$packages"

given=$(mktemp -d)
trap 'rm -rf "$given"' EXIT
cp -r "$packages" "$given/packages"
cp -r tests/install/packaged.sh tests/install/consumer tests/python/command_words_test.py "$given"
cmake/debian.sh "$release" --fresh "$given" /given/packaged.sh
since "used them in a new Debian $release"
