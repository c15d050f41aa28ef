/**
 * Shell functions (POSIX, for bash and dash) for root's work on files below directories of other users. The owner of a
 * directory can replace anything in it with a symbolic link at any moment. So no function checks a path first and uses
 * it later. A directory is *entered*, one component at a time, and the work is done relative to it.
 *
 * - `enter_dir DIR [make]` enters a directory; 3 if it does not exist. A link is followed only if nobody but root can
 * have placed it. Sets `SHARED` to an empty text if only root can change the content of the directory.
 *
 * - `enter_stage`, `leave_stage`: a directory within this one that only root can enter. A file `new` is made there,
 * complete with owner and mode. Then it is moved to `../NAME` in one call, which follows no link either.
 *
 * - `save_former NAME FORMER` keeps a file as it was, once.
 *
 * Root is the user who runs them: `id -u`. Refusals are printed on standard output.
 */
export const HOST_PATHS = `enter_dir() {
  local rest="$1" name target at links=0 linked
  SHARED=
  cd -P / || return 1
  while [ -n "$rest" ]; do
    name="\${rest%%/*}"
    case "$rest" in */*) rest="\${rest#*/}" ;; *) rest= ;; esac
    case "$name" in '' | .) continue ;; esac
    if [ "$name" = .. ]; then
      [ "$SHARED" != yes ] || { refuse_path "$1" 'it leads upwards from a directory that others can change'; return 1; }
      cd -P .. || return 1
    else
      if [ -z "$SHARED" ] && [ -L "./$name" ]; then
        links=$((links + 1))
        [ $links -le 40 ] || { refuse_path "$1" 'too many symbolic links lead there'; return 1; }
        target="$(readlink -- "./$name")" || return 1
        case "$target" in /*) cd -P / || return 1 ;; esac
        rest="$target/$rest"
        continue
      fi
      if [ ! -e "./$name" ] && [ ! -L "./$name" ]; then
        [ -n "\${2:-}" ] || return 3
        mkdir -m 0755 -- "./$name" || return 1
      fi
      at="$(readlink /proc/self/cwd)" || return 1
      at="\${at%/}/$name"
      cd -P -- "./$name" || return 1
      [ "$(readlink /proc/self/cwd)" = "$at" ] || { refuse_path "$1" "$at is a symbolic link that a user other than root may have placed"; return 1; }
    fi
    who_can_change || return 1
  done
}
who_can_change() {
  [ "$SHARED" != yes ] || return 0
  local seen uid mode
  seen="$(stat -c '%u %a' .)" || return 1
  uid="\${seen% *}" mode="\${seen#* }"
  if [ "$uid" != 0 ] && [ "$uid" != "$(id -u)" ]; then SHARED=yes
  elif [ $((0$mode & 022)) = 0 ]; then SHARED=
  elif [ $((0$mode & 01000)) != 0 ]; then SHARED=sticky
  else SHARED=yes; fi
}
refuse_path() { printf 'cannot use %s: %s\\n' "$1" "$2"; }
enter_stage() {
  local at
  at="$(readlink /proc/self/cwd)" || return 1
  STAGE="$(mktemp -d ./.provisioning.XXXXXX)" || return 1
  cd -P -- "$STAGE" || return 1
  case "$(readlink /proc/self/cwd) $(stat -c '%u %a' .)" in
    "\${at%/}/\${STAGE#./} $(id -u) 700" | "\${at%/}/\${STAGE#./} $(id -u) 2700") trap leave_stage EXIT ;;
    *) refuse_path "$at" 'somebody changes it at the same time'; return 1 ;;
  esac
}
leave_stage() {
  trap - EXIT
  rm -rf -- ./new
  cd -P .. && rmdir -- "$STAGE"
}
save_former() {
  [ ! -e "$2.saved" ] || return 0
  if [ -L "./$1" ] || [ -f "./$1" ]; then
    timeout 60 cp -Pp --remove-destination -- "./$1" "$2.file" || return 1
    [ -L "$2.file" ] || [ -f "$2.file" ] || return 1
  elif [ -e "./$1" ]; then
    refuse_path "$1" 'it is neither a file nor a link'
    return 1
  else touch "$2.absent" || return 1; fi
  touch "$2.saved"
}`;

/** The names of the functions, for those who hand them on to a shell of their own. */
export const HOST_PATH_FUNCTIONS = [...HOST_PATHS.matchAll(/^([a-z_]+)\(\)/gm)].map(([, name]) => name as string);

/** A path in two: the directory, and the name in it. */
export function splitPath(path: string): { folder: string; name: string } {
  const cut = path.lastIndexOf('/');
  return { folder: path.slice(0, cut) || '/', name: path.slice(cut + 1) };
}
