#!/bin/sh
# Executes the action lists of `spillway derive --format csv` in PyTorch's own pipeline runtime, and runs the tests of
# the Python runtime, in the PyTorch of Debian 13 (2.6). The root is that of debian.sh, which says what it needs. The
# program runs there as it was built here, with the libraries of this machine, so nothing is built twice.
# usage: cmake/torch.sh [RANDOM], the number of random schedules beside those that are always tried
set -eu
cd "$(dirname "$0")/.."
cmake/debian.sh 13 cmake/setup.sh python3-torch

program=build-debian13/root/program
rm -rf $program
mkdir -p $program/libraries
cp build/spillway build/libspillway-simgrid.so $program/libraries
libraries=$(ldd build/spillway build/libspillway-simgrid.so | awk '$2 == "=>" { print $3 }' | sort -u)
loader=$(ldd build/spillway | awk '$1 ~ "^/.*ld-linux" { print $1 }')
cp -L $libraries "$loader" $program/libraries
cat >$program/spillway <<END
#!/bin/sh
exec /program/libraries/${loader##*/} --library-path /program/libraries /program/libraries/spillway "\$@"
END
chmod +x $program/spillway

exec cmake/debian.sh 13 tests/torch/test.sh /program/spillway "$@"
