#!/bin/sh
# Builds these sources and runs their tests on Debian 13, whichever Debian this machine has: `make test` in a root that
# debootstrap makes once in build-debian13/root. The sources are copied there and have a build folder of their own there.
# Needs root, debootstrap and 5 GB on disk. Packages come from where this machine's apt has those of Debian.
# usage: cmake/debian13.sh [COMMAND...], which runs in place of make test
set -eu
cd "$(dirname "$0")/.."
root=$PWD/build-debian13/root
log=build-debian13/debootstrap.log
gigabytes=5

refuse() {
  echo "debian13: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || refuse "needs root, to mount and to change root"
for tool in apt-get debootstrap unshare; do
  command -v $tool >/dev/null || refuse "needs $tool, and there is none here (debootstrap: apt-get install debootstrap)"
done
unshare --mount true 2>/dev/null || refuse "needs the right to mount, and root has none here (unshare --mount)"

# Only a whole root has that folder.
if [ ! -d "$root/spillway" ]; then
  [ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -ge $((gigabytes * 1000000)) ] || refuse "needs $gigabytes GB on disk"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
  [ -n "$mirror" ] || refuse "needs Debian's packages in apt's configuration, and apt-get update to have run"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [ -z "${http_proxy:-}" ] || export http_proxy
  echo "debian13: making $root" >&2
  rm -rf "$root"
  mkdir -p build-debian13
  debootstrap --variant=minbase trixie "$root" "$mirror" >$log 2>&1 || refuse "debootstrap failed: see $log"
  [ -z "${http_proxy:-}" ] || echo "Acquire::http::Proxy \"$http_proxy\";" >"$root/etc/apt/apt.conf.d/proxy"
  cp /etc/hosts "$root/etc/hosts"
  mkdir "$root/spillway" "$root/measured"
fi

# What was deleted here goes there, too. Dates come along, so only what has changed is built again.
find "$root/spillway" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar -c --exclude='./build*' --exclude=./out --exclude=./.git --exclude=./.cache . | tar -x -C "$root/spillway"

# Mounts end with the command.
[ $# -gt 0 ] || set -- make test
export root
exec unshare --mount sh -euc '
  mount --rbind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  measured=
  if [ -d "${SPILLWAY_MEASURED_DATA:-}" ]; then
    mount --bind "$SPILLWAY_MEASURED_DATA" "$root/measured"
    measured=SPILLWAY_MEASURED_DATA=/measured
  fi
  exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 $measured \
    sh -euc "cd /spillway; cmake/setup.sh make git; exec \"\$@\"" sh "$@"
' sh "$@"
