#!/bin/sh
# man.sh PROGRAM FOLDER: manual pages of what --help says, spillway.1 and one of each command.
set -eu
program=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/*.1

# As text that troff leaves alone.
plain() { sed -e 's/\\/\\e/g' -e 's/^\([.'"'"']\)/\\\&\1/' -e 's/-/\\-/g'; }

# page NAME DESCRIPTION WORDS...: the help of `spillway WORDS...` as NAME.1
page() {
  name=$1 description=$2
  shift 2
  {
    printf '.TH "%s" 1 "" "%s" "Spillway"\n' "$(echo "$name" | tr a-z A-Z)" "spillway $("$program" --version)"
    printf '.SH NAME\n%s \\- %s\n.SH USAGE\n.nf\n' "$name" "$(echo "$description" | plain)"
    "$program" "$@" --help | plain
    printf '.fi\n'
    [ "$name" = spillway ] || printf '.SH SEE ALSO\n.BR spillway (1)\n'
  } >"$folder/$name.1"
}

page spillway 'simulate pipeline-parallel training schedules on a cluster before you rent it'
"$program" --help | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p' | while read -r command; do
  description=$("$program" "$command" --help | sed '/^Usage:/,$d' | tr '\n' ' ' | sed 's/ *$//')
  page "spillway-$command" "$description" "$command"
done
