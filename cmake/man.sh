#!/bin/sh
# man.sh PROGRAM FOLDER: manual pages of what --help says: spillway.1, spillway-sweep.1, spillway-sweep-export.1.
set -eu
program=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/spillway.1 "$folder"/spillway-*.1

# As text that troff leaves alone.
plain() { sed -e 's/\\/\\e/g' -e 's/^\([.'"'"']\)/\\\&\1/' -e 's/-/\\-/g'; }

# Asked once for a page: the program takes longer to start than all else here.
version=$("$program" --version)
help=$(mktemp -d)
trap 'rm -rf "$help"' EXIT

# pages WORDS...: the page of `spillway WORDS...`, and those of its own commands.
pages() {
  name=$(echo spillway "$@" | tr ' ' -)
  "$program" "$@" --help >"$help/$name"
  sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p' "$help/$name" >"$help/$name.commands"
  {
    printf '.TH "%s" 1 "" "%s" "Spillway"\n' "$(echo "$name" | tr a-z A-Z)" "spillway $version"
    printf '.SH NAME\n%s \\- ' "$(echo "$name" | plain)"
    sed -e '/^Usage:/,$d' -e 's/^Spillway: //' "$help/$name" | tr '\n' ' ' | sed 's/ *$//' | plain
    printf '\n.SH USAGE\n.nf\n'
    plain <"$help/$name"
    printf '.fi\n.SH SEE ALSO\n'
    [ "$name" = spillway ] || printf '.BR spillway (1)\n'
    while read -r command; do printf '.BR %s (1)\n' "$(echo "$name-$command" | plain)"; done <"$help/$name.commands"
  } >"$folder/$name.1"
  # The loop's input is opened before its pages change $name.
  while read -r command; do pages "$@" "$command"; done <"$help/$name.commands"
}
pages
