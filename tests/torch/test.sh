#!/bin/sh
# What needs PyTorch 2.6 or later: action lists, executed by torch.distributed.pipelining (run_lists.py), and the tests
# of the Python runtime and of spillway.measure. cmake/torch.sh runs it where there is such a PyTorch.
# usage: tests/torch/test.sh PROGRAM [RANDOM], the number of random schedules beside those that are always tried
set -eu
export SPILLWAY_PROGRAM=$1 PYTHONPATH="$PWD/src/python" SPILLWAY_SOURCE="$PWD" SPILLWAY_DATA="$PWD"
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT
python3 -B tests/torch/write_lists.py "$SPILLWAY_PROGRAM" "$lists/lists" ${2:-200}
python3 -B tests/torch/run_lists.py "$lists/lists"

cd tests/python
for test in runtime*_test.py measure*_test.py; do
  [ -e "$test" ] || continue
  echo "$test in $(python3 -c 'import torch; print("PyTorch", torch.__version__)')"
  python3 -B -m unittest "${test%.py}"
done
