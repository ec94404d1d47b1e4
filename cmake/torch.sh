#!/bin/sh
# Executes the action lists of `spillway derive --format csv` in PyTorch's own pipeline runtime, and runs the tests of
# the Python runtime, in the PyTorch of Debian 13 (2.6). The root is that of debian13.sh, which says what it needs.
# usage: cmake/torch.sh [RANDOM], the number of random schedules beside those that are always tried
set -eu
cd "$(dirname "$0")/.."
exec cmake/debian13.sh sh -euc 'cmake/setup.sh python3-torch; make build; exec tests/torch/test.sh "$@"' sh "$@"
