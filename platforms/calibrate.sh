#!/bin/sh
# Makes the calibrated platforms of this folder from measurements that are too large to ship.
#
#   platforms/calibrate.sh DATA
#
# DATA holds comm/vidur (microsoft/vidur at 7d475133, data/profiling/network), comm/aiconfigurator
# (ai-dynamo/aiconfigurator at 095f58a5, its NCCL sweep of h100_sxm as CSV; workloads/measured/README.md says
# how) and ascend_910b_pp2 (Ascend/msinsight at 4e16fca1, the profiler folders of its test data). A test holds
# the files to these commands, byte for byte.
set -eu
data=$1
platforms=$(cd "$(dirname "$0")" && pwd)
spillway=$platforms/../build/spillway

calibrate() {
  base=$1 out=$2 source=$3
  shift 3
  "$spillway" calibrate "$@" --platform "$platforms/$base.json" --source "$source" --out "$platforms/$out.json"
}

vidur='microsoft/vidur @7d475133, data/profiling/network'
calibrate hgx-h100 h100-vidur "$vidur" "$data"/comm/vidur/h100_dgx/*.csv
calibrate hgx-a100 a100-vidur "$vidur" "$data"/comm/vidur/a100_dgx/*.csv
calibrate hgx-h100 h100-nccl-2.29 'ai-dynamo/aiconfigurator @095f58a5' \
  "$data"/comm/aiconfigurator/h100_sxm__comm__nccl__2.29.2__nccl_perf.csv
calibrate atlas-800-a2 ascend-910b-msinsight 'Ascend/msinsight @4e16fca1, test data' "$data"/ascend_910b_pp2
