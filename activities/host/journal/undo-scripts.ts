import { APT, scriptInstalledAmong } from '../../../core/host/apt.js';
import { splitPath } from '../../../core/host/host-paths.js';
import { allowStart, quote } from '../../../core/host/shell.js';
import { kindOf, type Step } from '../../../core/host/step.js';
import { artifactUndo } from './artifact-scripts.js';
import { RETURN_NOTES } from './note-before.js';
import { restoreUndo, scriptKeptReads } from './restore-scripts.js';
import type { Item } from './runner.js';
import { hasSecretEnv, recordReads, WORKER_STEP_SCRIPT } from './step-scripts.js';

/**
 * Script that walks a journal backwards. It is written into the journal before the first step, so it can run
 * separately at any later time. Services that ran before are started last, when their files are restored.
 *
 * @param keep indices of steps that are not undone
 */
export function undoItems(steps: Step[], keep: readonly number[] = []): Item[] {
  const last = steps.length - 1;
  const backwards = steps.map((_, index) => last - index);
  const items = backwards.map((index, position) => ({
    index: position,
    title: `${keep.includes(index) ? 'Keep' : 'Undo'}: ${steps[index]?.title}`,
    body: `${position === 0 ? `${RETURN_NOTES}\n` : ''}${keep.includes(index) ? ':' : guarded(steps[index] as Step, index, () => filesAfter(steps, index, keep))}`,
  }));
  const services = steps.flatMap((step, index) =>
    'service' in step && !keep.includes(index) ? [{ service: step.service, index }] : [],
  );
  const again = (index: number, name: string, reads: string): string =>
    `if grep -qsx "start ${index}" "$A/steps" && grep -qs '^active' "$A/former/${index}.service"; then systemctl daemon-reload; ${allowStart(quote(name))}; systemctl restart ${quote(name)}; ${reads}; fi`;
  const restart = [
    // The service runs with the former files again. So its record of read files is restored, too: the step may name
    // other files, or none.
    ...services.map(({ service, index }) => {
      const former = `"$A/former/${index}"`;
      return again(
        index,
        service.name,
        `if [ -e ${former}.reads ]; then ${scriptKeptReads(service.name, former)}; else ${recordReads(service)}; fi`,
      );
    }),
    ...steps.flatMap((step, index) => {
      if (!('restore' in step) || step.restore.what !== 'unit' || keep.includes(index)) return [];
      const { name } = step.restore;
      return [again(index, name, scriptKeptReads(name, `"$A/former/${index}"`))];
    }),
  ];
  return restart.length === 0
    ? items
    : [...items, { index: steps.length, title: 'Start the services that ran before', body: restart.join('\n') }];
}

/** Only what was begun is undone; `$A` is the journal of the work that is undone. */
function guarded(step: Step, index: number, filesAgain: () => string): string {
  const former = `"$A/former/${index}"`;
  return `grep -qsx "start ${index}" "$A/steps" || return 0\n${undoOf(step, index, former, filesAgain)}`;
}

/**
 * Bash that brings back once more the files and directories of the steps behind one. They returned before the packages did,
 * whose own scripts give files another owner and mode, or another content.
 */
function filesAfter(steps: readonly Step[], index: number, keep: readonly number[]): string {
  const later = steps.flatMap((step, at) => {
    const isFile = 'file' in step || 'absent' in step || 'directory' in step || ('restore' in step && step.restore.what === 'file');
    if (at <= index || keep.includes(at) || !isFile) return [];
    return [`again() {\n${guarded(step, at, () => '')}\n}\n( again )`];
  });
  return later.reverse().join('\n');
}

/** The journal is sealed, and the caller has not opened it. */
const SEALED = `{ echo 'the journal is sealed: a worker of this release or a later one can undo it'; exit 1; }`;

/** An undo that needs a former file, if there was one. */
const sealedOr = (undo: string, former: string): string =>
  `if [ -e ${former}.sealed ] && [ ! -e ${former}.file ]; then ${SEALED}; fi\n${undo}`;

/** In one go: what was there before may need a package that went, or the one that came in its place. */
const packagesUndo = (former: string, filesAgain: string): string => `[ -e ${former}.before ] || return 0
dpkg --configure -a
${scriptInstalledAmong()} | sort >${former}.now
added=$(comm -13 ${former}.before ${former}.now | { if [ -e ${former}.after ]; then comm -12 - ${former}.after; else cat; fi; })
gone=$(comm -23 ${former}.before ${former}.now)
if [ -n "$gone" ]; then
  ${APT} install --no-install-recommends $gone \${added:+$(printf '%s- ' $added)}
${filesAgain || ':'}
elif [ -n "$added" ]; then ${APT} remove $added; fi
[ -e ${former}.versions-after ] || return 0
changed=$(comm -23 ${former}.versions ${former}.versions-after)
[ -z "$changed" ] || ${APT} install --no-install-recommends --allow-downgrades $changed`;

function undoOf(step: Step, index: number, former: string, filesAgain: () => string): string {
  switch (kindOf(step)) {
    case 'run': {
      const secrets = `"$A/files/${index}.secrets"`;
      const environment = hasSecretEnv(step)
        ? `; [ -e ${secrets} ] || [ ! -e ${secrets}.sealed ] || ${SEALED}; [ ! -e ${secrets} ] || . ${secrets}`
        : '';
      return `if [ -e "$A/files/${index}.undo" ]; then ( . "$A/files/${index}.env"${environment}; exec bash -euo pipefail "$A/files/${index}.undo" ); fi`;
    }
    case 'file':
    case 'absent': {
      const { folder, name } = splitPath('file' in step ? step.file.path : 'absent' in step ? step.absent.path : '');
      return sealedOr(
        `if [ -f ${former}.file ] || [ -L ${former}.file ]; then
  enter_dir ${quote(folder)} make
  enter_stage
  cp -Pp -- ${former}.file new
  mv -fT -- new ${quote(`../${name}`)}
  leave_stage
elif [ -e ${former}.absent ]; then
  enter_dir ${quote(folder)} || { [ $? = 3 ] && return 0; exit 1; }
  rm -f -- ${quote(`./${name}`)}
fi`,
        former,
      );
    }
    case 'directory': {
      const { folder, name } = splitPath('directory' in step ? step.directory.path : '');
      return `if [ -e ${former}.absent ]; then
  enter_dir ${quote(folder)} || { [ $? = 3 ] && return 0; exit 1; }
  rmdir --ignore-fail-on-non-empty -- ${quote(`./${name}`)} 2>/dev/null || true
elif [ -e ${former}.was ]; then
  enter_dir ${quote('directory' in step ? step.directory.path : '')} || { [ $? = 3 ] && return 0; exit 1; }
  read -r mode owner <${former}.was
  chown "$owner" .
  chmod "$mode" .
fi`;
    }
    case 'restore':
      if ('restore' in step && step.restore.what !== 'packages') return sealedOr(restoreUndo(step.restore, former), former);
      return packagesUndo(former, filesAgain());
    case 'package':
      return packagesUndo(former, filesAgain());
    case 'records':
      return WORKER_STEP_SCRIPT;
    case 'artifact':
      return 'artifact' in step ? artifactUndo(step.artifact, former) : ':';
    // A script before may have stopped it, whose own undo starts it with the former files.
    case 'service': {
      const service = 'service' in step ? step.service : undefined;
      const name = quote(service?.name ?? '');
      return `[ -e ${former}.service ] || return 0
read -r active enabled <${former}.service
if [ "$active" != active ]; then
  systemctl stop ${name} 2>/dev/null || true
  ${scriptKeptReads(service?.name ?? '', former)}
fi
case "$enabled" in enabled) systemctl enable -q ${name};; disabled) systemctl disable -q ${name} 2>/dev/null || true;; esac`;
    }
  }
}
