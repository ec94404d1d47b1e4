#!/bin/sh
# mutants.sh [PATCH...]: are planted faults noticed? Applies each patch to the sources (all of tests/mutants/ unless
# named), builds the test program that its header names (every file by itself, not optimised: the fastest way to build
# what one patch touches), runs the tests named there, and takes the patch back. Prints a table; exits 1 where one lived
# or could not be tried. A patch begins with
#   # breaks: what goes wrong
#   # killed by: PROGRAM --gtest_filter=TESTS
# or, of a fault of the Python package,
#   # killed by: python3 MODULE.CLASS.TEST
# which is run in tests/python with SPILLWAY_PROGRAM, or else the program in build-plain.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- tests/mutants/*.patch
applied=
take_back() { [ -z "$applied" ] || git apply -R -C1 "$applied"; applied=; }
trap take_back EXIT
trap 'exit 130' INT TERM
lived=0

fate_of() {
  program=$1 tests=$2
  ninja -C build-plain "$program" >build-plain/mutant.log 2>&1 || { echo 'does not build'; return; }
  timeout 900 "build-plain/$program" "$tests" >build-plain/mutant.log 2>&1 && status=0 || status=$?
  case $status in
    0) grep -q '^\[==========\] 0 tests' build-plain/mutant.log && echo 'meets no test' || echo LIVED ;;
    124) echo 'timed out' ;;
    *) echo killed ;;
  esac
}

fate_in_python() {
  program=${SPILLWAY_PROGRAM:-}
  if [ -z "$program" ]; then
    program=$PWD/build-plain/spillway
    ninja -C build-plain spillway >build-plain/mutant.log 2>&1 || { echo 'does not build'; return; }
  fi
  mkdir -p build-plain
  (cd tests/python && SPILLWAY_PROGRAM=$program SPILLWAY_SOURCE=$PWD/../.. PYTHONPATH=$PWD/../../src/python \
    timeout 900 /usr/bin/python3 -B -m unittest "$1") >build-plain/mutant.log 2>&1 && status=0 || status=$?
  case $status in
    0) grep -q -e '^Ran 0 tests' -e '^OK (skipped' build-plain/mutant.log && echo 'meets no test' || echo LIVED ;;
    124) echo 'timed out' ;;
    *) grep -q '^FAILED' build-plain/mutant.log && echo killed || echo 'does not run' ;;
  esac
}

for patch in "$@"; do
  breaks=$(sed -n 's/^# breaks: //p' "$patch") killed_by=$(sed -n 's/^# killed by: //p' "$patch")
  if git apply -C1 "$patch" 2>/dev/null; then
    applied=$patch
    case $killed_by in
      python3*) fate=$(fate_in_python "${killed_by#* }") ;;
      *) fate=$(fate_of ${killed_by%% *} "${killed_by#* }") ;;
    esac
    take_back
  else
    fate='does not apply'
  fi
  [ "$fate" = killed ] || lived=1
  printf '%-15s %-40s %-14s %s\n' "$fate" "$(basename "$patch" .patch)" "${killed_by%% *}" "$breaks"
done
exit $lived
