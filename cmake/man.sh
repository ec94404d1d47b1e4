#!/bin/sh
# man.sh PROGRAM FOLDER: manual pages of what --help says: spillway.1, spillway-sweep.1, spillway-sweep-export.1.
set -eu
program=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/spillway.1 "$folder"/spillway-*.1

# As text that troff leaves alone.
plain() { sed -e 's/\\/\\e/g' -e 's/^\([.'"'"']\)/\\\&\1/' -e 's/-/\\-/g'; }

# The commands of `spillway WORDS...`.
commands() { "$program" "$@" --help | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p'; }

# pages WORDS...: the page of `spillway WORDS...`, and those of its own commands.
pages() {
  name=$(echo spillway "$@" | tr ' ' -)
  {
    printf '.TH "%s" 1 "" "%s" "Spillway"\n' "$(echo "$name" | tr a-z A-Z)" "spillway $("$program" --version)"
    printf '.SH NAME\n%s \\- ' "$(echo "$name" | plain)"
    "$program" "$@" --help | sed -e '/^Usage:/,$d' -e 's/^Spillway: //' | tr '\n' ' ' | sed 's/ *$//' | plain
    printf '\n.SH USAGE\n.nf\n'
    "$program" "$@" --help | plain
    printf '.fi\n.SH SEE ALSO\n'
    [ "$name" = spillway ] || printf '.BR spillway (1)\n'
    commands "$@" | while read -r command; do printf '.BR %s (1)\n' "$(echo "$name-$command" | plain)"; done
  } >"$folder/$name.1"
  commands "$@" | while read -r command; do pages "$@" "$command"; done
}
pages
