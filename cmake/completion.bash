# Completion of `spillway` for bash: commands and options as --help lists them; everything else is a file, or for what takes
# one the name of what is shipped.
_spillway_options() {
  "$1" "${@:2}" --help 2>/dev/null | sed -n 's/^  \(-[a-z],\)\?\(--[a-z-]*\).*/\2/p'
}

_spillway_commands() {
  "$1" "${@:2}" --help 2>/dev/null | sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p'
}

_spillway() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$(_spillway_commands "$program") --help --version" -- "$word"))
    return
  fi
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(_spillway_options "$program" "$command")" -- "$word"))
    return
  fi
  local shelf names=
  case $command in
    run | derive | explain | synthesize | compare) shelf=workloads/experiments ;;
    plan) shelf=workloads/jobs ;;
    sweep) shelf=workloads/studies ;;
    validate) shelf=workloads/published ;;
    *) shelf= ;;
  esac
  if [ "$command" = sweep ] && [ "$COMP_CWORD" = 2 ]; then names="export merge plot"; fi
  if [ -n "$shelf" ]; then
    names+=" $(cd "${SPILLWAY_DATA:-$(dirname "$(command -v "$program")")/../share/spillway}/$shelf" 2>/dev/null &&
      for file in *.json; do echo "${file%.json}"; done)"
  fi
  COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _spillway spillway
