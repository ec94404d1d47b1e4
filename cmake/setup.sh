#!/bin/sh
# Installs the Debian packages of cmake/packages.txt that are missing, and any named as arguments. Says exactly what to
# install, and stops, where it may not. Silent and without a call to apt when nothing is missing.
set -eu

here=$(dirname "$0")
packages="$(sed 's/#.*//' "$here/packages.txt" | xargs) $*"

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "set-up: not a Debian system, so nothing is installed here; the build needs what these Debian packages hold:" >&2
  echo "  $packages" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null || true)
missing=
for package in $packages; do
  echo "$installed" | grep -qx "$package installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root=sudo
else
  echo "set-up: these packages are missing and this user may not install them. Run, as root:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends -y$missing" >&2
  exit 1
fi

echo "set-up: installing$missing" >&2
$as_root apt-get update >&2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -y $missing >&2
