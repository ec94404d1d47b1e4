#!/bin/sh
# Runs a command on Debian 12 or 13, whichever Debian this machine has: in a root that debootstrap makes. There the
# sources are at /spillway, with a build folder of their own. Needs root, debootstrap and 5 GB on disk for each release.
# Packages come from where this machine's apt has those of Debian, once: build-debian13/archives keeps them.
# usage: cmake/debian.sh RELEASE [COMMAND...]
#          in build-debian13/root, which is kept, with what builds Spillway; `make test` unless COMMAND says otherwise
#        cmake/debian.sh RELEASE --fresh FOLDER COMMAND...
#          in a new root of Debian's smallest set of packages, which has FOLDER as /given and is removed afterwards
set -eu
cd "$(dirname "$0")/.."
release=${1:-} gigabytes=5

refuse() {
  echo "debian: $*" >&2
  exit 1
}

case $release in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *) refuse "needs a release of Debian, 12 or 13, and got '$release'" ;;
esac
shift
place=$PWD/build-debian$release
[ "$(id -u)" = 0 ] || refuse "needs root, to mount and to change root"
for tool in apt-get debootstrap flock unshare; do
  command -v $tool >/dev/null || refuse "needs $tool, and there is none here (debootstrap: apt-get install debootstrap)"
done
unshare --mount true 2>/dev/null || refuse "needs the right to mount, and root has none here (unshare --mount)"
mkdir -p "$place/archives/partial"
exec 9>"$place/lock"
flock --nonblock 9 || refuse "another run uses $place"

# Debian's smallest set of packages, from which the other roots are copied. Only a whole one has the folder for what
# is given.
base=$place/base
if [ ! -d "$base/given" ]; then
  [ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -ge $((gigabytes * 1000000)) ] || refuse "needs $gigabytes GB on disk"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
  [ -n "$mirror" ] || refuse "needs Debian's packages in apt's configuration, and apt-get update to have run"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [ -z "${http_proxy:-}" ] || export http_proxy
  echo "debian: making $base" >&2
  rm -rf "$base"
  debootstrap --variant=minbase $suite "$base" "$mirror" >"$place/debootstrap.log" 2>&1 ||
    refuse "debootstrap failed: see $place/debootstrap.log"
  [ -z "${http_proxy:-}" ] || echo "Acquire::http::Proxy \"$http_proxy\";" >"$base/etc/apt/apt.conf.d/proxy"
  cp /etc/hosts "$base/etc/hosts"
  rm -f "$base"/var/cache/apt/archives/*.deb
  mkdir "$base/spillway" "$base/measured" "$base/given"
fi

if [ "${1:-}" = --fresh ]; then
  [ $# -gt 2 ] && [ -d "$2" ] || refuse "needs a folder and a command behind --fresh"
  given=$(cd "$2" && pwd) root=$place/fresh start=
  shift 2
  trap 'rm -rf "$root"' EXIT
  rm -rf "$root"
  cp -a "$base" "$root"
else
  given= root=$place/root start='cd /spillway; cmake/setup.sh make git'
  if [ ! -d "$root/given" ]; then
    rm -rf "$root" "$root.new"
    cp -a "$base" "$root.new"
    mv "$root.new" "$root"
  fi
  # What was deleted here goes there, too. Dates come along, so only what has changed is built again.
  find "$root/spillway" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  tar -c --exclude='./build*' --exclude=./out --exclude=./.git --exclude=./.cache . | tar -x -C "$root/spillway"
  [ $# -gt 0 ] || set -- make test
fi

# Mounts end with the command.
export root given start archives="$place/archives"
unshare --mount sh -euc '
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  mount --bind "$archives" "$root/var/cache/apt/archives"
  [ -z "$given" ] || mount --bind "$given" "$root/given"
  measured=
  if [ -d "${SPILLWAY_MEASURED_DATA:-}" ]; then
    mount --bind "$SPILLWAY_MEASURED_DATA" "$root/measured"
    measured=SPILLWAY_MEASURED_DATA=/measured
  fi
  exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 $measured \
    sh -euc "$start
exec \"\$@\"" sh "$@"
' sh "$@"
