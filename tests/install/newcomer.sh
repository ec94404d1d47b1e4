#!/bin/bash
# A newcomer's path on a bare Debian 12 or 13, which has git and make: the commands of the documents as they stand, from
# a clone of this repository's HEAD. Prints how long each part takes. Needs what cmake/debian.sh needs, and no build.
# usage: tests/install/newcomer.sh RELEASE
set -euo pipefail
if [ "${1:-}" != inside ]; then
  cd "$(dirname "$0")/../.."
  given=$(mktemp -d)
  trap 'rm -rf "$given"' EXIT
  git clone --quiet --bare . "$given/spillway"
  cp tests/install/newcomer.sh "$given"
  cmake/debian.sh "${1:?a release of Debian, 12 or 13}" --fresh "$given" /given/newcomer.sh inside
  exit
fi

# blocks FILE HEADING: the commands of a section.
blocks() {
  awk -v heading="## $2" '/^## /{ here = $0 == heading } /^```/{ inside = here && $0 == "```sh"; next } inside' "$1"
}

# part WORDS: runs the commands that come in, and tells the time that they take, by the clock and of the processors.
part() {
  cat >/tmp/part
  [ -s /tmp/part ] || { echo "newcomer.sh: no commands: $1" >&2; exit 1; }
  TIMEFORMAT='%R %U %S'
  { time bash -euo pipefail /tmp/part >/tmp/said 2>&1 </dev/null; } 2>/tmp/time ||
    { cat /tmp/part; tail -n 40 /tmp/said; exit 1; }
  awk -v part="$1" '{ printf "%8.1f s  processors %8.1f s  %s\n", $1, $2 + $3, part }' /tmp/time | tee -a /tmp/times
}

cd /
part 'git and make' <<'END'
apt-get update && apt-get install --no-install-recommends -y git make
END
part 'clone' <<'END'
git config --global --add safe.directory '*'
git clone /given/spillway spillway
END
cd spillway
echo 'make packages' | part 'set-up: the packages that a build needs'
blocks README.md 'Two commands' | part 'README: built, and the first step simulated'
echo 'make run' | part 'README: make run'
[ -s out/experiment-a/report.html ] || { echo 'newcomer.sh: no picture' >&2; exit 1; }
blocks docs/tutorial.md 'Your images' | part 'tutorial: your images'
blocks docs/tutorial.md 'Which cluster, which layout?' | part 'tutorial: a plan for your model and images'
[ -s out/plans/report.html ] || { echo 'newcomer.sh: no plan' >&2; exit 1; }
blocks docs/run-it.md 'PyTorch' | part "run it: Debian's PyTorch"
blocks docs/run-it.md 'Five commands' | part 'run it: a training step, predicted and run'
[ -s out/trained/trace.csv ] || { echo 'newcomer.sh: no training' >&2; exit 1; }
blocks docs/python.md 'With pip' | part 'Python: pip install .'
echo "on Debian $(cat /etc/debian_version), $(nproc) processors:"
cat /tmp/times
