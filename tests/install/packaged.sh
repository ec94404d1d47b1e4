#!/bin/sh
# Uses Spillway's Debian packages where nothing else is installed, in the root that packages.sh makes: /given has them.
# Each package first stands alone, with what it depends on.
set -eu
fail() { echo "packaged.sh: $*" >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
install() {
  apt-get install --no-install-recommends -y "$@" >/tmp/log 2>&1 || { tail -n 30 /tmp/log; fail "$* not installed"; }
}
apt-get update >/tmp/log 2>&1 || { cat /tmp/log; fail 'no list of packages'; }
mkdir /tmp/empty
cd /tmp/empty

install /given/packages/spillway_*.deb
echo "packaged.sh: spillway brings $(grep -c '^Setting up' /tmp/log) packages" >&2
spillway run first-look --out out >said
grep -q 'mpipe takes 108.0 ms a step' said || { cat said; fail 'run'; }
[ -s out/report.html ] || fail 'no page'
spillway run released-trained-layers >said || { cat said; fail 'flows that share links'; }
spillway plan llama-3-8b --quiet >said
grep -q '^Train on 16 devices of HGX H100' said || { cat said; fail 'plan'; }

install /given/packages/python3-spillway_*.deb
python3 -c '
import spillway
assert abs(spillway.run("first-look")["schedules"][1]["makespan_s"] - 0.108) < 1e-9
import spillway.runtime, spillway.measure' || fail 'python'

# Man, and completion, by bash as it is.
install man-db bash-completion
for page in spillway spillway-run spillway-synthesize spillway-sweep-export spillway.runtime; do
  man --warnings "$page" 2>warned | grep -q -- '--help' || fail "no page of $page"
  [ ! -s warned ] || { cat warned; fail "man warns of $page"; }
done
export SPILLWAY_PROGRAM=/usr/bin/spillway SPILLWAY_SOURCE=/given SPILLWAY_MAN=/usr/share/man/man1 \
  SPILLWAY_COMPLETION=/usr/share/bash-completion/completions/spillway
python3 -B /given/command_words_test.py || fail 'words'
bash -c '. /usr/share/bash-completion/bash_completion
  if type _comp_load >/dev/null 2>&1; then _comp_load spillway; else _completion_loader spillway; fi
  complete -p spillway' | grep -q _spillway || fail 'bash does not find the completion'

# Somebody else's program.
install /given/packages/libspillway-dev_*.deb cmake g++ make
cmake -S /given/consumer -B consumer -DCMAKE_BUILD_TYPE=Release >said 2>&1 && cmake --build consumer >said 2>&1 ||
  { tail -n 30 said; fail 'a consumer does not build'; }
SPILLWAY_DATA=/usr/share/spillway consumer/consumer | grep -q . || fail 'a consumer does not run'
echo "packaged.sh: the packages work on Debian $(cat /etc/debian_version)"
