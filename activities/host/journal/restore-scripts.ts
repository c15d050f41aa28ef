import { APT } from '../../../core/host/apt.js';
import { FORMER_STATE_FOLDER, noteKey, scriptInstalledIn } from '../../../core/host/before.js';
import { splitPath } from '../../../core/host/host-paths.js';
import { allowStart, quote } from '../../../core/host/shell.js';
import type { RestoreAction, Thing } from '../../../core/host/step.js';
import { HOST_STATE } from '../paths.js';
import { scriptBeforeStart, scriptCause } from './tell-cause.js';

/** Bash that brings back what was noted. It first saves what is there now as `former`, for the undo; without a note it does nothing. */
export function restoreBody(restore: RestoreAction, former: string): string {
  if (restore.what === 'packages') return packages(restore, former);
  const body = BODIES[restore.what](restore.name, former, restore.ifEmpty);
  return `B=${FORMER_STATE_FOLDER}/${noteKey(restore.what, restore.name)}\n[ -d "$B" ] || return 0\n${body}`;
}

/** Undoes that; packages are undone as those of any step. */
export function restoreUndo(restore: Exclude<RestoreAction, { what: 'packages' }>, former: string): string {
  return UNDOS[restore.what](restore.name, former);
}

/** Bash that says again of a unit what it ran with before it was restored. */
export const scriptKeptReads = (name: string, former: string): string =>
  `[ ! -e ${former}.reads ] || { mkdir -p ${HOST_STATE}/services; cp ${former}.reads ${HOST_STATE}/services/${quote(name)}; }`;

/** The kernel's settings are written in place: nothing can be moved there. */
const isOfKernel = (path: string): boolean => path.startsWith('/proc/sys/');

/** Moves a copy of `from` to a path in one go, with its owner and mode. */
function put(from: string, path: string): string {
  const { folder, name } = splitPath(path);
  if (isOfKernel(path)) return `cat ${from} >${quote(path)}`;
  return `enter_dir ${quote(folder)} make
enter_stage
cp -Pp -- ${from} new
mv -fT -- new ${quote(`../${name}`)}
leave_stage`;
}

/** Removes folders that were missing and are empty, the inner ones first; notes in \`FORMER.folders\` what each was. */
export const removeFolders = (list: string, former: string): string => `while IFS= read -r path; do (
  enter_dir "\${path%/*}/" || exit 0
  shape=$(stat -c '%a %u %g' -- "./\${path##*/}") || exit 0
  rmdir -- "./\${path##*/}" 2>/dev/null || exit 0
  printf '%s %s\\n' "$shape" "$path" >>${former}.folders
) </dev/null; done <${list}`;

const returnFolders = (
  former: string,
): string => `[ ! -e ${former}.folders ] || tac ${former}.folders | while read -r mode uid gid path; do (
  enter_dir "$path" make || exit 1
  chown "$uid:$gid" . && chmod "$mode" .
) </dev/null; done`;

const ONCE = (name: string, body: string): string => `[ -e ${name} ] || { ${body} >${name}.draft; mv ${name}.draft ${name}; }`;

/** Bash that makes an account what it was: \`account FILE NAME\`, with its entry and its groups. */
const SET_ACCOUNT = `set_account() {
  local entry groups uid gid comment home shell one
  { read -r entry; read -r groups; } <"$1"
  IFS=: read -r _ _ uid gid comment home shell <<<"$entry"
  getent group "$gid" >/dev/null || groupadd --gid "$gid" "$2"
  getent passwd "$2" >/dev/null || useradd --uid "$uid" --gid "$gid" --home-dir "$home" --no-create-home --shell "$shell" --comment "$comment" "$2"
  [ "$(getent passwd "$2" | cut -d: -f 6-7)" = "$home:$shell" ] || usermod --home "$home" --shell "$shell" "$2"
  for one in $(id -nG "$2"); do case " $groups " in *" $one "*) ;; *) gpasswd --delete "$2" "$one" >/dev/null || true ;; esac; done
  for one in $groups; do case " $(id -nG "$2") " in *" $one "*) ;; *) ! getent group "$one" >/dev/null || usermod --append --groups "$one" "$2" ;; esac; done
}`;

const ownAccount = (name: string): string => `{ getent passwd ${quote(name)} && id -nG ${quote(name)} || true; }`;

const BODIES: Record<Thing, (name: string, former: string, ifEmpty?: true) => string> = {
  file(path, former, ifEmpty) {
    const { folder, name } = splitPath(path);
    return `if [ -e "$B/kept.file" ] || [ -L "$B/kept.file" ]; then
  enter_dir ${quote(folder)} make
  save_former ${quote(name)} ${former}
  ${put('"$B/kept.file"', path)}
else
  enter_dir ${quote(folder)} || { [ $? = 3 ] && touch ${former}.absent ${former}.saved && return 0; exit 1; }
  ${ifEmpty ? `[ ! -s ${quote(`./${name}`)} ] || return 0\n  ` : ''}save_former ${quote(name)} ${former}
  rm -f -- ${quote(`./${name}`)}
  cd /
  [ ! -e "$B/lacks" ] || ${removeFolders('"$B/lacks"', former)}
fi`;
  },
  directory: (path, former) => `if [ -e "$B/shape" ]; then
  enter_dir ${quote(path)} || { [ $? = 3 ] && return 0; exit 1; }
  ${ONCE(`${former}.shape-now`, "stat -c '%a %u %g' .")}
  read -r mode uid gid <"$B/shape"
  chown "$uid:$gid" .
  chmod "$mode" .
else
  ${removeFolders('"$B/lacks"', former)}
fi`,
  unit(name, former) {
    const unit = quote(name);
    const reads = `${HOST_STATE}/services/${unit}`;
    return `${ONCE(`${former}.service`, `echo "$(systemctl is-active ${unit} || true) $(systemctl is-enabled ${unit} 2>/dev/null || true)"`)}
[ -e ${former}.reads ] || [ ! -e ${reads} ] || cp ${reads} ${former}.reads
rm -f ${reads}
systemctl daemon-reload
[ "$(systemctl show -p LoadState --value ${unit})" != not-found ] || return 0
read -r active enabled <"$B/unit"
case "$enabled" in
  enabled) systemctl enable -q ${unit} ;;
  masked) systemctl stop ${unit}; systemctl mask -q ${unit} ;;
  # Also one that another unit or a generator starts, or that was not there.
  *) systemctl disable -q ${unit} 2>/dev/null || true ;;
esac
if [ "$active" != active ]; then systemctl stop ${unit}
elif systemctl is-active -q ${unit} && [ "$(systemctl show -p Type --value ${unit})" = oneshot ] && cmp -s "$B/boot" /proc/sys/kernel/random/boot_id; then
  echo 'what it did when the host started is in force still'
else
  ${allowStart(unit)}
  ${scriptBeforeStart()}
  systemctl restart ${unit} || ${scriptCause(name)}
fi`;
  },
  account: (name, former) => `${SET_ACCOUNT}
${ONCE(`${former}.account`, ownAccount(name))}
[ -e "$B/there" ] || return 0
lost=; getent passwd ${quote(name)} >/dev/null || lost=yes
set_account "$B/account" ${quote(name)}
[ -z "$lost" ] || [ ! -s "$B/shadow" ] || { printf '%s:' ${quote(name)}; cut -d: -f2 "$B/shadow"; } | chpasswd -e`,
  group: (name, former) => `${ONCE(`${former}.group`, `{ getent group ${quote(name)} || true; }`)}
[ -e "$B/there" ] || ! getent group ${quote(name)} >/dev/null || groupdel ${quote(name)} || echo 'it stays: an account has it as its own'`,
};

const UNDOS: Record<Thing, (name: string, former: string) => string> = {
  file(path, former) {
    const { folder, name } = splitPath(path);
    return `${returnFolders(former)}
if [ -f ${former}.file ] || [ -L ${former}.file ]; then
  ${put(`${former}.file`, path)}
elif [ -e ${former}.absent ]; then
  enter_dir ${quote(folder)} || { [ $? = 3 ] && return 0; exit 1; }
  rm -f -- ${quote(`./${name}`)}
fi`;
  },
  directory: (path, former) => `${returnFolders(former)}
[ -e ${former}.shape-now ] || return 0
enter_dir ${quote(path)} || { [ $? = 3 ] && return 0; exit 1; }
read -r mode uid gid <${former}.shape-now
chown "$uid:$gid" .
chmod "$mode" .`,
  // A unit that ran before is started once its files are restored.
  unit: (name, former) => `[ -e ${former}.service ] || return 0
read -r active enabled <${former}.service
[ "$(systemctl show -p LoadState --value ${quote(name)})" != masked ] || systemctl unmask -q ${quote(name)}
[ "$active" = active ] || systemctl stop ${quote(name)} 2>/dev/null || true
case "$enabled" in enabled) systemctl enable -q ${quote(name)};; disabled) systemctl disable -q ${quote(name)} 2>/dev/null || true;; esac`,
  account: (name, former) => `${SET_ACCOUNT}
[ -e ${former}.account ] || return 0
if [ -s ${former}.account ]; then set_account ${former}.account ${quote(name)}
elif getent passwd ${quote(name)} >/dev/null; then userdel ${quote(name)}; fi`,
  group: (name, former) => `[ -s ${former}.group ] || return 0
IFS=: read -r _ _ gid members <${former}.group
getent group ${quote(name)} >/dev/null || groupadd --gid "$gid" ${quote(name)}
for one in \${members//,/ }; do gpasswd --add "$one" ${quote(name)} >/dev/null || true; done`,
};

/**
 * Removes packages that came along and that nothing else needs. apt simulates the removal of all first, and of each if
 * others would go. Removed packages are installed again, and start as their package decides.
 */
function packages({ remove, install }: Extract<RestoreAction, { what: 'packages' }>, former: string): string {
  const installed = scriptInstalledIn('/var/lib/dpkg/status');
  const away = `mine=$(printf '%s\\n' ${remove.map(quote).join(' ')} | LC_ALL=C sort -u | LC_ALL=C comm -12 - <(${installed}))
held=
[ -z "$mine" ] || held=$(apt-mark showhold $mine)
for one in $held; do echo "$one stays: it is on hold"; mine=$(grep -vxF -- "$one" <<<"$mine" || true); done
others() { LC_ALL=C apt-get -s remove "$@" | awk '$1=="Remv"{print $2}' | LC_ALL=C sort -u | LC_ALL=C comm -23 - <(echo "$mine"); }
if [ -n "$mine" ] && [ -n "$(others $mine)" ]; then
  changed=yes
  while [ -n "$changed" ]; do
    changed=
    for one in $mine; do
      if [ -n "$(others "$one")" ]; then echo "$one stays: others need it"; mine=$(grep -vxF -- "$one" <<<"$mine" || true); changed=yes; fi
    done
  done
fi
[ -z "$mine" ] || ${APT} remove $mine`;
  return [
    `[ -e ${former}.before ] || { ${installed} >${former}.draft; mv ${former}.draft ${former}.before; }`,
    ...(remove.length > 0 ? [away] : []),
    ...(install.length > 0 ? [`${APT} install --no-install-recommends ${install.map(quote).join(' ')}`] : []),
    `${installed} >${former}.after`,
  ].join('\n');
}
