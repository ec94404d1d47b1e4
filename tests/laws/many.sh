#!/bin/sh
# many.sh N [FIRST]: N jobs from FIRST on held against the laws, 500 to a process, as many processes as cores;
# every break with the way to see it again, then one table. Exits 1 where a law is broken.
set -eu
n=$1 first=${2:-0} each=500
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
seq "$first" "$each" $((first + n - 1)) | xargs -P "$(nproc)" -I{} sh -c '
  count=$(('"$first + $n"' - {})); [ "$count" -le '"$each"' ] || count='"$each"'
  build/laws {} "$count" >"'"$results"'/{}" || echo "{}" >>"'"$results"'/failed"
  grep -q "^[a-z-]* *held" "'"$results"'/{}" || echo "jobs {} to $(({} + count - 1)): ended without a table"
  grep -v "^[a-z-]* *held" "'"$results"'/{}" || true'
awk '/^[a-z-]+ +held/ { gsub(",", ""); if (!($1 in held)) laws[++count] = $1
       held[$1] += $3; nothing[$1] += $6; broken[$1] += $8 }
     END { for (i = 1; i <= count; ++i)
       printf "%-22s held %7d, said nothing %7d, broken %7d\n", laws[i], held[laws[i]], nothing[laws[i]], broken[laws[i]] }' \
  "$results"/[0-9]*
[ ! -e "$results/failed" ]
