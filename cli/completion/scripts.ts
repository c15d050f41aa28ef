/**
 * Completion scripts that query the program for candidates. They treat its answer as data: it is read line by line
 * into arrays, and never evaluated or expanded.
 */
export const SCRIPTS = {
  bash: `# In ~/.bashrc: eval "$(provisioning completion bash)"
_provisioning_complete() {
  local line answer=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $answer ]]; then
      answer=$line
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(command provisioning __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  if [[ $answer == files ]]; then
    compopt -o default 2>/dev/null
  fi
  return 0
}
complete -o nosort -F _provisioning_complete provisioning 2>/dev/null ||
  complete -F _provisioning_complete provisioning
`,
  zsh: `# In ~/.zshrc: eval "$(provisioning completion zsh)"
_provisioning() {
  local line answer=
  local -a names shown
  while IFS= read -r line; do
    if [[ -z $answer ]]; then
      answer=$line
    elif [[ $line == *$'\\t'* ]]; then
      names+=("\${line%%$'\\t'*}")
      shown+=("\${line%%$'\\t'*}  -- \${line#*$'\\t'}")
    else
      names+=("$line")
      shown+=("$line")
    fi
  done < <(command provisioning __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if [[ $answer == files ]]; then
    _files
  elif (( \${#names} )); then
    compadd -V provisioning -l -d shown -a names
  fi
}
if ! whence compdef >/dev/null; then
  autoload -Uz compinit && compinit -i
fi
compdef _provisioning provisioning
`,
  fish: `# In ~/.config/fish/config.fish: provisioning completion fish | source
function __provisioning_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -e before[1]
    set -l found (command provisioning __complete -- $before "$current" 2>/dev/null </dev/null)
    if test "$found[1]" = files
        __fish_complete_path "$current"
    end
    set -e found[1]
    if set -q found[1]
        printf '%s\\n' $found
    end
end
complete -c provisioning -f -k -a '(__provisioning_complete)'
`,
} as const;
