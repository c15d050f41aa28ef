import { FORMER_MARK } from '../../../core/host/artifact-marks.js';
import { quote } from '../../../core/host/shell.js';
import { LIMITS } from '../../../core/limits.js';

/**
 * User and group that unpack. Debian reserves 65000 to 65533, and systemd's dynamic users end at 65519. So nothing
 * else runs as it or owns a file, and no account is needed.
 */
const UNPACKER = 65530;

/** Links that are followed from one link; the kernel has the same bound. */
const MOST_LINKS = 40;

/**
 * Bash that unpacks the archive `$part` into the folder `new` of a stage. An archive is not trusted. It is unpacked
 * with rights to only that folder. Root keeps the result only if it has just files, folders, and links to places
 * within it. Anything else ends the step with the name of the entry, and leaves neither the folder nor the archive.
 *
 * @param url name of the archive in errors
 */
export function unpackBody(url: string, strip: number): string {
  return `refuse_entry() {
  local entry
  printf -v entry %q "$1"
  rm -f -- "$part" "$part.sha256"
  printf 'cannot unpack "%s": the entry %s %s\\n' ${quote(url)} "$entry" "$2"
  exit 1
}
# Only root enters the folder of the archive; the unpacking user opens what it got.
chmod 0644 -- "$part"
unpacker() { ( cd -P -- ./new && exec setpriv --reuid=${UNPACKER} --regid=${UNPACKER} --clear-groups --no-new-privs "$@" ) <"$part"; }
chown ${UNPACKER}:${UNPACKER} new
chmod 0700 new
${LISTED}
if ! said=$(unpacker tar -xf /dev/stdin --no-same-owner --no-same-permissions --strip-components=${strip} 2>&1); then
  rm -f -- "$part" "$part.sha256"
  printf '%s\\n' "$said" | tail -n 5
  printf 'cannot unpack "%s": tar failed\\n' ${quote(url)}
  exit 1
fi
${WALKED}
chown -hR -P root:root new
chmod -R ug-s,o-t,u+rwX,go+rX,go-w new`;
}

/** Reads the table of the archive before anything is written: kinds, names, and how much it becomes. */
const LISTED = `bad=$(unpacker tar -tvPf /dev/stdin --quoting-style=escape --numeric-owner 2>/dev/null | awk '
  function no(why) { print name "\\t" why; exit }
  {
    kind = substr($0, 1, 1)
    size = $3
    name = $0
    sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ /, "", name)
    if (kind == "b" || kind == "c") { sub(/^[^ ]+ +[^ ]+ +[0-9]+, *[0-9]+ +[^ ]+ +[^ ]+ /, "", name); no("is a device") }
    if (kind == "l") sub(/ -> .*$/, "", name)
    if (kind == "h") sub(/ link to .*$/, "", name)
    if (kind == "p") no("is a named pipe")
    if (kind !~ /[-dlh]/) no("is neither a file nor a folder nor a link")
    if (name ~ /^\\//) no("has an absolute name")
    if (name ~ /(^|\\/)\\.\\.(\\/|$)/) no("has a name with .. in it")
    if (kind == "-") bytes += size
    if (bytes > ${LIMITS.artifactFiles}) no("makes it more than ${LIMITS.artifactFiles} bytes")
    if (++entries > ${LIMITS.artifactEntries}) no("makes it more than ${LIMITS.artifactEntries} entries")
  }') || true
[ -z "$bad" ] || refuse_entry "\${bad%$'\\t'*}" "\${bad##*$'\\t'}"`;

/** Looks at what was unpacked without following a link, and resolves each link step by step, as if the folder were the root. */
const WALKED = `[ ! -e new/${FORMER_MARK} ] && [ ! -L new/${FORMER_MARK} ] || refuse_entry ${FORMER_MARK} 'has a name that is reserved'
declare -A links=()
while IFS= read -r -d '' kind && IFS= read -r -d '' path && IFS= read -r -d '' target; do
  case "$kind" in
    f | d) ;;
    l) links[$path]=$target ;;
    *) refuse_entry "$path" 'is neither a file nor a folder nor a link' ;;
  esac
done < <(find -P new -mindepth 1 -printf '%y\\0%P\\0%l\\0')
leads_out() {
  local rest="$1" at= name count=0
  while [ -n "$rest" ]; do
    name=\${rest%%/*}
    case "$rest" in */*) rest=\${rest#*/} ;; *) rest= ;; esac
    case "$name" in
      '' | .) continue ;;
      ..) [ -n "$at" ] || return 0; case "$at" in */*) at=\${at%/*} ;; *) at= ;; esac; continue ;;
    esac
    at=\${at:+$at/}$name
    if [ -n "\${links[$at]+x}" ]; then
      count=$((count + 1))
      [ $count -le ${MOST_LINKS} ] || return 0
      case "\${links[$at]}" in /*) return 0 ;; esac
      rest=\${links[$at]}/$rest
      case "$at" in */*) at=\${at%/*} ;; *) at= ;; esac
    fi
  done
  return 1
}
for path in "\${!links[@]}"; do
  if leads_out "$path"; then refuse_entry "$path" "is a link that leads out of the archive, to \${links[$path]@Q}"; fi
done
outside=$(find -P new -type f -links +1 -printf '%i %n %P\\n' | awk '{ seen[$1]++; most[$1] = $2; if (!($1 in name)) { name[$1] = $0; sub(/^[^ ]+ [^ ]+ /, "", name[$1]) } } END { for (one in seen) if (seen[one] < most[one]) { print name[one]; exit } }')
[ -z "$outside" ] || refuse_entry "$outside" 'is a hard link to a file outside of the archive'`;
