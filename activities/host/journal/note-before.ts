import { FORMER_STATE_FOLDER, noteKey, scriptInstalledIn } from '../../../core/host/before.js';
import { splitPath } from '../../../core/host/host-paths.js';
import { quote } from '../../../core/host/shell.js';
import type { Step, Thing } from '../../../core/host/step.js';
import { removeFolders } from './restore-scripts.js';

/** Result of work on a service: its version and configuration then, or its removal. */
export type Brings = { version: string; config: string } | { removed: true };

/** Maximum size of a copied file, in MiB. */
const LARGEST_MIB = 64;

/** Something that is noted before the first step, and what changes it: a step, or the script of one. */
interface ToNote {
  what: Thing;
  name: string;
  /** Role for the service, if a removal needs it. */
  as?: 'declared' | 'shared';
}

/** Lists the changes of a step to things that the host may have had before. */
export function listChangesToNote(step: Step): ToNote[] {
  if ('file' in step) return [{ what: 'file', name: step.file.path, ...(step.file.shared && { as: 'shared' }) }];
  if ('absent' in step) return [{ what: 'file', name: step.absent.path }];
  if ('directory' in step) return [{ what: 'directory', name: step.directory.path }];
  if ('service' in step) return [{ what: 'unit', name: step.service.name }];
  if (!('run' in step)) return [];
  const { files = [], accounts = [], groups = [], units = [] } = step.changes ?? {};
  const of = (what: Thing, names: string[]) => names.map((name): ToNote => ({ what, name, as: 'declared' }));
  return [...of('file', files), ...of('account', accounts), ...of('group', groups), ...of('unit', units)];
}

/** Steps that may bring packages, or take them away. */
const changesPackages = (step: Step): boolean => 'package' in step || 'run' in step || 'restore' in step;

/**
 * Bash before the first step of a service. On an adopted host it records the things that the steps change, unless they
 * were recorded before. It fails before any change. On other hosts it is a single test. `$J` is the journal.
 */
export function noteBefore(steps: readonly Step[], service: string, brings: Brings | undefined): string {
  const removes = brings !== undefined && 'removed' in brings;
  const all = removes ? [] : steps.flatMap(listChangesToNote);
  // The steps of the removal also name changes of a custom step.
  const things = all.filter(
    ({ what, name, as }, index) =>
      all.findIndex((one) => one.what === what && one.name === name && one.as === as) === index &&
      !(as === 'declared' && all.some((one) => one.what === what && one.name === name && one.as !== as)),
  );
  return `if [ -d ${FORMER_STATE_FOLDER} ] && [ ! -e "$J/former/noted" ]; then
B=${FORMER_STATE_FOLDER} service=${quote(service)}
${NOTE}
${steps.some(changesPackages) ? NOTE_PACKAGES : ''}
${things.map(noteOf).join('\n')}
${brings && !removes ? '[ -e "$B/services/$service" ] || { mkdir -p "$B/services"; echo "services/$service" >>"$J/former/noted.keys"; touch "$B/services/$service"; }' : ''}
sync -f "$B"; touch "$J/former/noted"
fi`;
}

function noteOf({ what, name, as }: ToNote): string {
  const key = noteKey(what, name);
  const { folder, name: last } = splitPath(name);
  const rest = what === 'file' ? ` ${quote(folder)} ${quote(last)}` : '';
  return `[ -e "$B/${key}" ] || { note_begin ${quote(`${what} ${name}`)}${as ? ` ${as}` : ''}; note_${what} ${quote(name)}${rest}; note_end ${key}; }`;
}

/** A note is made aside, and is there whole or not at all. `lacks` names the folders that were missing, the inner ones first. */
const NOTE = `note_begin() { rm -rf "$B/draft"; mkdir -m 0700 "$B/draft"; printf '%s\\n' "$1" >"$B/draft/what"; printf '%s\\n' "$service" >"$B/draft/by"; [ -z "\${2:-}" ] || touch "$B/draft/$2"; }
note_end() { echo "$1" >>"$J/former/noted.keys"; mv -T "$B/draft" "$B/$1"; }
note_lacks() { local at="$1"; while [ -n "$at" ] && [ ! -e "$at" ] && [ ! -L "$at" ]; do printf '%s\\n' "$at"; at="\${at%/*}"; done >"$B/draft/lacks"; }
note_file() {
  local code=0
  (
    enter_dir "$2" || exit $?
    if [ -f "./$3" ] && [ ! -L "./$3" ] && [ "$(stat -c %s "./$3")" -gt ${LARGEST_MIB * 1024 * 1024} ]; then
      refuse_path "$1" 'it was there before, and is larger than the ${LARGEST_MIB} MiB of which a copy is kept: move it away'
      exit 1
    fi
    save_former "$3" "$B/draft/kept" || exit 1
    rm -f "$B/draft/kept.saved" "$B/draft/kept.absent"
    if [ -e "$B/draft/kept.file" ] || [ -L "$B/draft/kept.file" ]; then touch "$B/draft/there"; fi
  ) || code=$?
  case $code in 0) ;; 3) note_lacks "$2" ;; *) exit 1 ;; esac
}
note_directory() { if [ -d "$1" ]; then stat -c '%a %u %g' -- "$1" >"$B/draft/shape"; touch "$B/draft/there"; else note_lacks "$1"; fi; }
note_unit() {
  local active enabled
  active="$(systemctl is-active "$1" 2>/dev/null || true)" enabled="$(systemctl is-enabled "$1" 2>/dev/null || true)"
  printf '%s %s\\n' "\${active:-unknown}" "\${enabled:-none}" >"$B/draft/unit"
  cp /proc/sys/kernel/random/boot_id "$B/draft/boot" 2>/dev/null || true
  case "$enabled" in '' | not-found) ;; *) touch "$B/draft/there" ;; esac
}
note_account() {
  getent passwd "$1" >"$B/draft/account" || return 0
  id -nG "$1" >>"$B/draft/account"
  getent shadow "$1" >"$B/draft/shadow" || true
  touch "$B/draft/there"
}
note_group() { if getent group "$1" >"$B/draft/group"; then touch "$B/draft/there"; fi; }`;

/** dpkg's list of packages before the first step. dpkg replaces the file, so a hard link is enough. */
const NOTE_PACKAGES = `if [ ! -e "$J/former/dpkg" ]; then
  for one in added gone; do [ ! -e "$B/packages/$service.$one" ] || cp "$B/packages/$service.$one" "$J/former/packages.$one"; done
  ln /var/lib/dpkg/status "$J/former/dpkg" 2>/dev/null || cp /var/lib/dpkg/status "$J/former/dpkg"
fi`;

const STATUS = '/var/lib/dpkg/status';

/** Bash however the work ends: notes which packages the service brought, and which went when it came. `$J` is the journal. */
export const notePackages = (
  service: string,
): string => `if [ -d ${FORMER_STATE_FOLDER} ] && [ -e "$J/former/dpkg" ] && ! [ "$J/former/dpkg" -ef ${STATUS} ]; then (
  export LC_ALL=C; P=${FORMER_STATE_FOLDER}/packages; mkdir -p "$P"; cd "$P" || exit
  was=$(${scriptInstalledIn('"$J/former/dpkg"')}) is=$(${scriptInstalledIn(STATUS)}) service=${quote(service)}
  brought=$(cat *.added 2>/dev/null | sort -u)
  { comm -13 <(echo "$was") <(echo "$is"); cat "$service.added" 2>/dev/null; } | sort -u | comm -12 - <(echo "$is") >"$service.draft" && mv "$service.draft" "$service.added"
  { comm -23 <(echo "$was") <(echo "$is") | comm -23 - <(echo "$brought"); cat "$service.gone" 2>/dev/null; } | sort -u | comm -23 - <(echo "$is") >"$service.draft" && mv "$service.draft" "$service.gone"
); fi`;

/** Bash once a service is removed: what is left of its notes goes into the journal, for an undo. */
export const dropNotes = (service: string): string => `if [ -d ${FORMER_STATE_FOLDER} ]; then
  mkdir -p "$J/former/notes/services"
  for note in ${FORMER_STATE_FOLDER}/[0-9a-f]*/; do
    by=; read -r by <"\${note}by" 2>/dev/null
    [ "$by" != ${quote(service)} ] || { note=\${note%/}; mv -T "$note" "$J/former/notes/\${note##*/}"; }
  done
  [ ! -e ${FORMER_STATE_FOLDER}/services/${quote(service)} ] || mv ${FORMER_STATE_FOLDER}/services/${quote(service)} "$J/former/notes/services/"
fi`;

/** Bash before anything is undone: the notes are back. `$A` is the journal of what is undone. */
export const RETURN_NOTES = `if [ -d "$A/former/notes" ] && [ -d ${FORMER_STATE_FOLDER} ]; then
  for note in "$A"/former/notes/[0-9a-f]*; do [ ! -d "$note" ] || mv -T "$note" "${FORMER_STATE_FOLDER}/\${note##*/}"; done
  for one in "$A"/former/notes/services/*; do [ ! -e "$one" ] || { mkdir -p ${FORMER_STATE_FOLDER}/services; mv "$one" ${FORMER_STATE_FOLDER}/services/; }; done
fi`;

/**
 * Bash once all is undone: the notes go that the work made, since all is as it was before.
 *
 * @param keep the positions of steps that stay done, and what they changed stays noted
 */
export function undoNotes(service: string, steps: readonly Step[], keep: readonly number[]): string {
  const kept = keep
    .flatMap((index) => (steps[index] ? listChangesToNote(steps[index]) : []))
    .map(({ what, name }) => noteKey(what, name));
  const stays = [...kept, ...(keep.length > 0 ? ['services/*'] : [])];
  return `if [ -d ${FORMER_STATE_FOLDER} ]; then
  [ ! -e "$A/former/noted.keys" ] || while IFS= read -r key; do case "$key" in ''${stays.map((key) => ` | ${key}`).join('')}) ;; *)
    [ ! -e "${FORMER_STATE_FOLDER}/$key/lacks" ] || ${removeFolders(`"${FORMER_STATE_FOLDER}/$key/lacks"`, '"$A/former/undone"')}
    rm -rf "${FORMER_STATE_FOLDER}/$key" ;;
  esac; done <"$A/former/noted.keys"
  if [ -e "$A/former/dpkg" ]; then (
    export LC_ALL=C; cd ${FORMER_STATE_FOLDER}/packages 2>/dev/null || exit
    is=$(${scriptInstalledIn(STATUS)}) service=${quote(service)}
    ${keep.length > 0 ? ': some stay' : 'rm -f "$service.added" "$service.gone"; for one in added gone; do [ ! -e "$A/former/packages.$one" ] || cp "$A/former/packages.$one" "$service.$one"; done'}
    for one in added gone; do [ ! -e "$service.$one" ] || { if [ $one = added ]; then comm -12 "$service.$one" <(echo "$is"); else comm -23 "$service.$one" <(echo "$is"); fi >"$service.draft"; mv "$service.draft" "$service.$one"; }; done
  ); fi
fi`;
}
