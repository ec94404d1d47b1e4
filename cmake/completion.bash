# Completion of `spillway` for bash: commands and options as --help lists them, names of what is shipped for arguments
# that take one, words that an option's help lists, and files.
_spillway_options() {
  "$@" --help 2>/dev/null | sed -n 's/^  \(-[a-z],\)\?\(--[a-z-]*\).*/\2/p'
}

_spillway_commands() {
  "$@" --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# "schema KIND" lists its kinds: "cases, check or sweep", over several lines.
_spillway_kinds() {
  "$1" schema --help 2>/dev/null | sed -n '/^  KIND /,/^$/ { s/^  KIND [A-Z ]*//; s/,\| or\b/ /g; p }'
}

# _spillway_words PROGRAM COMMAND... OPTION: "format: csv, json or html (a page); or a file" lists csv, json, html.
_spillway_words() {
  case ${*: -1} in --to | --format | --engine | --operation | --rule) ;; *) return ;; esac
  "${@:1:$#-1}" --help 2>/dev/null | awk -v option="${*: -1}" '
    /^  -/ || /^$/ { taken = $1 == option }
    taken { text = text " " $0 }
    END {
      sub(/^ *[^ ]+ +[A-Z]+( \.\.\.)?/, "", text)
      while (gsub(/\([^()]*\)/, "", text)) ;
      sub(/;.*/, "", text); sub(/.*: /, "", text); gsub(/ or /, ",", text); gsub(/ +/, "", text); gsub(/,+/, " ", text)
      print text
    }'
}

# The folders of what is shipped for the value of an option, or for the arguments of a command.
_spillway_shelves() {
  case $1 in
    --platform) echo platforms ;;
    --framework) echo platforms/frameworks ;;
    --architecture | --rule | support) echo workloads/models ;;
    --images) echo workloads/traces ;;
    --workload | import) echo workloads/published/traces ;;
    --experiment | run | derive | explain | synthesize | compare | export) echo workloads/experiments ;;
    plan) echo workloads/jobs ;;
    twin) echo workloads/experiments workloads/jobs ;;
    sweep) echo workloads/studies ;;
    validate | calibrate) echo workloads/published ;;
    images) echo workloads/traces ;;
  esac
}

# _spillway_shipped PROGRAM SHELVES...: names of files without their endings, and of folders with a model's config.json.
_spillway_shipped() {
  local shelf name data=${SPILLWAY_DATA:-$(dirname "$(command -v "$1")")/../share/spillway}
  for shelf in "${@:2}"; do
    for name in "$data/$shelf"/*.json "$data/$shelf"/*.csv "$data/$shelf"/*/config.json; do
      [ -e "$name" ] || continue
      name=${name%/config.json} name=${name##*/} name=${name%.json}
      echo "${name%.csv}"
    done
  done
}

_spillway() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=1 shelves= words= names
  local -a command=("${COMP_WORDS[0]}")
  # A command, and one of its own commands: sweep export.
  while [ "$at" -lt "$COMP_CWORD" ] && _spillway_commands "${command[@]}" | grep -qxF -e "${COMP_WORDS[at]}"; do
    command+=("${COMP_WORDS[at]}") at=$((at + 1))
  done
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(_spillway_options "${command[@]}")" -- "$word"))
    return
  fi
  if [[ $before == --* ]]; then shelves=$(_spillway_shelves "$before"); fi
  words=$(_spillway_words "${command[@]}" "$before")
  if [ -n "$words" ] && [ -z "$shelves" ]; then  # nothing else is meant
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  names=$words\ $(_spillway_shipped "$command" ${shelves:-$(_spillway_shelves "${command[*]:1}")})
  # Names of commands stand where one may stand.
  if [ "$at" = "$COMP_CWORD" ]; then names+=" $(_spillway_commands "${command[@]}")"; fi
  if [ "${command[*]:1}" = schema ]; then names+=" $(_spillway_kinds "$command")"; fi
  COMPREPLY=($(compgen -W "$names" -- "$word"))
  # No file stands in a command's place.
  if [ ${#command[@]} -gt 1 ]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _spillway spillway
