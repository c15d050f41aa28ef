import { quote } from '../../../core/host/shell.js';

/** The most bytes that are read of a file that only root can change. */
export const MOST_BYTES = 1024 * 1024;

/**
 * The part of a look that reads files, as `F-INDEX.out` in `$d`. Where only root can
 * change what leads to a file, it is read without starting a process, and `plain` has
 * its path. Any other is read with the rights of whoever can change it (of nobody, where
 * that is more than one user), so that a link shows nothing that its maker cannot see:
 * `R INDEX` says that its output begins with mode, owner and size.
 */
export function fileScript(files: readonly { index: number; path: string }[]): string[] {
  if (files.length === 0) return [];
  const folders = [...new Set(files.flatMap(({ path }) => foldersTo(path)))];
  return [
    FUNCTIONS,
    `look_at_folders ${folders.map(quote).join(' ')}`,
    ...files.map(({ index, path }) => `file ${index} ${quote(path)}`),
    'read_others',
    `[ \${#plain[@]} -eq 0 ] || stat -L -c 'T %a %U:%G %s %n' -- "\${plain[@]}" 2>/dev/null`,
  ];
}

/** `/`, `/etc` and `/etc/redis` for `/etc/redis/redis.conf`. */
function foldersTo(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return ['/', ...names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)];
}

/** `way` sets OWNER to the user who can change what leads to a file, to nothing where only root can; 2 where a link leads there, 3 where nothing does. */
const FUNCTIONS = `declare -A folders=() asked=(); plain=() others=()
look_at_folders() {
  local uid mode folder
  while read -r uid mode folder; do folders[$folder]="$uid $mode"; done < <(stat -c '%u %f %n' -- "$@" 2>/dev/null)
}
way() {
  local rest="\${1#/}/" folder=/ uid mode sticky=
  OWNER=
  while :; do
    [ -n "\${folders[$folder]:-}" ] || return 3
    mode="\${folders[$folder]#* }" uid="\${folders[$folder]%% *}"
    if (( (0x$mode & 0xf000) == 0xa000 )); then
      [ -z "$sticky" ] || { OWNER=65534; return; }
      return 2
    fi
    if (( uid != 0 && uid != EUID )); then OWNER=$uid; return; fi
    if (( (0x$mode & 022) == 0 )); then sticky=
    elif (( 0x$mode & 01000 )); then sticky=1
    else OWNER=65534; return; fi
    while [ "\${rest:0:1}" = / ]; do rest="\${rest:1}"; done
    [ -n "$rest" ] || break
    folder="\${folder%/}/\${rest%%/*}" rest="\${rest#*/}"
  done
  if [ -n "$sticky" ]; then OWNER=65534; fi
}
file() {
  local content= real
  way "\${2%/*}"
  case $? in
    0)
      if [ -n "$OWNER" ]; then read_as "$OWNER" "$1" "$2"; return; fi
      if [ ! -L "$2" ]; then
        if [ -f "$2" ] && [ -r "$2" ]; then IFS= read -r -d '' -n ${MOST_BYTES + 1} content <"$2"; printf %s "$content" >"$d/F-$1.out"; plain+=("$2"); fi
        return
      fi ;;
    2) ;;
    *) return ;;
  esac
  # Root's own link: what it leads to is looked at in the same way.
  real="$(readlink -e -- "$2")" || return
  local -a names=(/); local at= part
  while read -r -d / part; do [ -z "$part" ] || { at="$at/$part"; names+=("$at"); }; done <<<"$real"
  look_at_folders "\${names[@]}"
  way "\${real%/*}" && read_as "\${OWNER:-root}" "$1" "$real"
}
read_as() {
  local who="$1"
  # What several users can change is read file by file: none of them delays another's.
  [ "$1" = 65534 ] && who="65534 $2"
  others[$2]="$3" asked[$who]+=" $2"
}
group_of() {
  local uid
  while IFS=: read -r _ _ uid group _; do [ "$uid" = "$1" ] && return; done </etc/passwd
  group="$(id -g -- "$1" 2>/dev/null)" || group=65534
}
read_others() {
  local who fd fds run args group index
  for who in "\${!asked[@]}"; do
    fds=() args=() run=()
    for index in \${asked[$who]}; do
      exec {fd}>"$d/F-$index.out"
      fds+=("$fd") args+=("$fd" "\${others[index]%/*}/" "\${others[index]##*/}")
      echo "R $index"
    done
    who="\${who% *}"
    if [ "$EUID" = 0 ] && [ "$who" != root ]; then
      group_of "$who"
      run=(setpriv --reuid "$who" --regid "$group" --clear-groups --)
    fi
    ( exec -c timeout -k 1 5 "\${run[@]}" bash -c "$READ" bash "$who" "\${args[@]}" ) >/dev/null 2>&1 </dev/null &
    # Nobody else's reader may hold them.
    for fd in "\${fds[@]}"; do exec {fd}>&-; done
  done
}
# Within one process, but for the question whose it is and how large. A pipe in place of a file ends with the time limit.
READ='PATH=/usr/bin:/bin who=$1; shift
while (( $# )); do
  content=
  cd -P -- "$2" && case "$who" in root | 65534) ;; *) [ -O . ] ;; esac && [ -f "./$3" ] &&
    stat -L -c "%a %U:%G %s" -- "./$3" >&"$1" && { IFS= read -r -d "" -n ${MOST_BYTES + 1} content <"./$3"; printf %s "$content" >&"$1"; }
  shift 3
done'`;
