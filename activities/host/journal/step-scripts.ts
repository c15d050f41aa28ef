import {
  APT,
  INSTALLED_PATTERN,
  installPackages,
  mustBeInstalled,
  refuseHeld,
  scriptInstalledAmong,
} from '../../../core/host/apt.js';
import { splitPath } from '../../../core/host/host-paths.js';
import { allowStart, quote } from '../../../core/host/shell.js';
import type { DirectoryAction, ServiceAction, Step } from '../../../core/host/step.js';
import { asVariable, type Text } from '../../../core/taskserv/secret.js';
import { readsHash } from '../look/look-services.js';
import { HOST_STATE } from '../paths.js';
import { artifactBody } from './artifact-scripts.js';
import { restoreBody } from './restore-scripts.js';
import type { Item, Payload } from './runner.js';
import { scriptBeforeStart, scriptCause } from './tell-cause.js';

/** Replaces references with the values of secrets. */
type Reveal = (text: Text) => string;

/**
 * The scripts of steps, and the files they need in the journal. Each script
 * first saves what it is about to change, unless an earlier try already did.
 */
export function createStepScripts(steps: Step[], reveal: Reveal): { items: Item[]; payloads: Payload[] } {
  const items = steps.map((step, index) => ({ index, title: step.title, body: bodyOf(step, index) }));
  return { items, payloads: steps.flatMap((step, index) => payloadsOf(step, index, reveal)) };
}

/** The worker itself does these steps, so no host gets them. */
export const WORKER_STEP_SCRIPT = `{ echo 'records of a zone are not set by a host'; exit 1; }`;

const holdsSecret = (value: Text): boolean => typeof value !== 'string';

export const hasSecretEnv = (step: Step): boolean => 'run' in step && Object.values(step.env ?? {}).some(holdsSecret);

/**
 * Bash that sets the environment of a step. Variables with secrets are in a separate file that can be cleared. `$J` is
 * the journal.
 */
const environmentOf = (step: Step, index: number): string =>
  `. "$J/files/${index}.env"${hasSecretEnv(step) ? `; . "$J/files/${index}.secrets"` : ''}`;

function payloadsOf(step: Step, index: number, reveal: Reveal): Payload[] {
  if ('file' in step) return [{ name: `${index}.content`, content: reveal(step.file.content) }];
  if (!('run' in step)) return [];
  const env = Object.entries(step.env ?? {}).map(([name, value]) => ({
    name,
    value: reveal(asVariable(value)),
    secret: holdsSecret(value),
  }));
  const secrets = env.filter(({ secret }) => secret);
  const exported = (some: typeof env) => some.map(({ name, value }) => `export ${name}=${quote(value)}\n`).join('');
  return [
    { name: `${index}.run`, content: step.run },
    { name: `${index}.env`, content: exported(env.filter(({ secret }) => !secret)) },
    ...(hasSecretEnv(step)
      ? [
          {
            name: `${index}.secrets`,
            content: exported(secrets),
            ...(step.undo === undefined ? {} : { secrets: secrets.map(({ value }) => value) }),
          },
        ]
      : []),
    ...(step.undo === undefined ? [] : [{ name: `${index}.undo`, content: step.undo }]),
    ...(step.stdin === undefined ? [] : [{ name: `${index}.stdin`, content: reveal(step.stdin) }]),
    ...(step.confirm ? [{ name: `${index}.revert`, content: step.confirm.revert }] : []),
  ];
}

function bodyOf(step: Step, index: number): string {
  const former = `"$J/former/${index}"`;
  if ('run' in step) {
    const input = step.stdin === undefined ? '' : ` <"$J/files/${index}.stdin"`;
    const run = `( ${environmentOf(step, index)}; exec bash -euo pipefail "$J/files/${index}.run"${input} )`;
    return step.confirm ? confirmed(run, index, step.confirm.seconds, environmentOf(step, index)) : run;
  }
  if ('file' in step) {
    const { path, mode = '0644', owner = 'root:root', base64 } = step.file;
    const { folder, name } = splitPath(path);
    // Made beside and moved: a reader never sees half a file, and no link in its place is followed.
    return `enter_dir ${quote(folder)} make
save_former ${quote(name)} ${former}
enter_stage
${base64 ? 'base64 -d' : 'cat'} "$J/files/${index}.content" >new
chown -h ${quote(owner)} new
chmod ${quote(mode)} new
mv -fT -- new ${quote(`../${name}`)}
leave_stage`;
  }
  if ('absent' in step) {
    const { folder, name } = splitPath(step.absent.path);
    return `enter_dir ${quote(folder)} || { [ $? = 3 ] && touch ${former}.absent ${former}.saved && return 0; exit 1; }
save_former ${quote(name)} ${former}
rm -f -- ${quote(`./${name}`)}`;
  }
  if ('directory' in step) return directoryBody(step.directory, former);
  if ('package' in step) return packageBody(step.package, former);
  if ('artifact' in step) return artifactBody(step.artifact, former);
  if ('records' in step) return WORKER_STEP_SCRIPT;
  if ('restore' in step) return restoreBody(step.restore, former);
  return serviceBody(step.service, former);
}

/**
 * A new directory is made complete and then moved into place. One that is there is changed from within, and only in
 * what the step says; where others could have put any directory in its place, it must be its owner's already.
 */
function directoryBody({ path, mode, owner, keep }: DirectoryAction, former: string) {
  const { folder, name } = splitPath(path);
  const stays = keep || (mode === undefined && owner === undefined);
  return `enter_dir ${quote(folder)} make
if [ -e ${quote(`./${name}`)} ] || [ -L ${quote(`./${name}`)} ]; then
  ${stays ? `[ -d ${quote(`./${name}`)} ] || { refuse_path ${quote(path)} 'it is no directory'; exit 1; }` : changeDirectory(path, mode, owner, former)}
else
  touch ${former}.absent
  enter_stage
  mkdir -m 0700 new
  chown -h ${quote(owner ?? 'root:root')} new
  chmod ${quote(mode ?? '0755')} new
  mv -fT -- new ${quote(`../${name}`)}
  leave_stage
fi`;
}

function changeDirectory(path: string, mode: string | undefined, owner: string | undefined, former: string): string {
  const [user = 'root'] = owner?.split(':') ?? [];
  return `around=$SHARED
  enter_dir ${quote(path)}
  if [ -n "$around" ] && ! stat -c $'%U\\n%u' . | grep -qxF ${quote(user)}; then
    refuse_path ${quote(path)} "it belongs to $(stat -c %U .), in a directory that others can change"
    exit 1
  fi
  [ -e ${former}.was ] || { stat -c '%a %u:%g' . >${former}.draft; mv ${former}.draft ${former}.was; }${owner === undefined ? '' : `\n  chown ${quote(owner)} .`}${mode === undefined ? '' : `\n  chmod ${quote(mode)} .`}`;
}

const LIST_PACKAGES = `${scriptInstalledAmong()} | sort`;

/** With their versions, for steps that name one. */
const LIST_VERSIONS = `dpkg-query -W -f '\${Package}=\${Version} \${db:Status-Abbrev}\\n' | awk '${INSTALLED_PATTERN}{print $1}' | sort`;

/** Prevents a package from starting its services: their files are not written yet. */
const WITHOUT_STARTING = `rc=/usr/sbin/policy-rc.d
if [ ! -e $rc ] || grep -q provisioning $rc; then printf '#!/bin/sh\\n# provisioning\\nexit 101\\n' >$rc; chmod 755 $rc; trap 'rm -f /usr/sbin/policy-rc.d' EXIT; fi`;

/**
 * APT also removes the packages that depend on a package. They may be in use, and their removal was not requested: the
 * step fails if a unit of such a package runs.
 */
const keepDependents = (
  name: string,
): string => `dependents=$(LC_ALL=C ${APT} -s remove ${quote(name)} | awk '$1=="Remv"{print $2}')
for dependent in $dependents; do
  [ "$dependent" != ${quote(name)} ] || continue
  units=$(dpkg-query -L "$dependent" | sed -nE 's,^(/usr)?/lib/systemd/system/([^/@]+[.]service)$,\\2,p')
  for unit in $units; do
    if systemctl is-active -q "$unit"; then
      printf 'the package %s depends on it, and %s runs: remove that one first\\n' "$dependent" "$unit"
      exit 1
    fi
  done
done`;

function packageBody(
  { name, state, version }: { name: string; state: 'present' | 'absent'; version?: string },
  former: string,
): string {
  const before = `[ -e ${former}.before ] || { ${LIST_PACKAGES} >${former}.draft; mv ${former}.draft ${former}.before; }`;
  if (state === 'absent')
    return `${before}\n${refuseHeld(name)}\n${keepDependents(name)}\n${APT} remove ${quote(name)}\n${LIST_PACKAGES} >${former}.after`;
  if (version !== undefined) {
    const versions = `[ -e ${former}.versions ] || { ${LIST_VERSIONS} >${former}.draft; mv ${former}.draft ${former}.versions; }`;
    return `${versions}\n${before}\n${installed(name, `${name}=${version}`, former)}\n${LIST_VERSIONS} >${former}.versions-after`;
  }
  return `${before}\n${installed(name, name, former)}`;
}

const installed = (name: string, asked: string, former: string): string => `${WITHOUT_STARTING}
${installPackages(quote(asked))}
${LIST_PACKAGES} >${former}.after
${mustBeInstalled(name)}`;

/** Records the hash of what the service now runs with. */
export const recordReads = ({ name, reads }: Pick<ServiceAction, 'name' | 'reads'>) =>
  reads && reads.length > 0 ? `mkdir -p ${HOST_STATE}/services\n${readsHash(reads)} >${HOST_STATE}/services/${quote(name)}` : ':';

function serviceBody(service: ServiceAction, former: string): string {
  const name = quote(service.name);
  const remember = `if [ ! -e ${former}.service ]; then echo "$(systemctl is-active ${name} || true) $(systemctl is-enabled ${name} 2>/dev/null || true)" >${former}.draft;
  [ ! -e ${HOST_STATE}/services/${name} ] || cp ${HOST_STATE}/services/${name} ${former}.reads
  mv ${former}.draft ${former}.service
fi`;
  const enable = `systemctl ${service.enabled ? 'enable' : 'disable'} -q ${name}`;
  if (service.state === 'stopped') return `${remember}\nsystemctl stop ${name}\n${enable}\nrm -f ${HOST_STATE}/services/${name}`;
  const change = service.change === 'reload' ? 'reload-or-restart' : 'restart';
  return `${remember}
systemctl daemon-reload
${allowStart(name)}
${scriptBeforeStart()}
start() { if systemctl is-active -q ${name}; then systemctl ${change} ${name}; else systemctl start ${name}; fi; }
start || ${scriptCause(service.name)}
${enable}
${recordReads(service)}`;
}

/** Runs a change that may cut us off: it is undone by the host itself unless a new connection confirms it in time. */
function confirmed(run: string, index: number, seconds: number, environment: string): string {
  const flag = `"$J/confirmed.${index}"`;
  return `rm -f ${flag} "$J/reverted.${index}"
( sleep ${seconds} >/dev/null 2>&1; [ -e ${flag} ] || { ${environment}; bash "$J/files/${index}.revert"; touch "$J/reverted.${index}"; } ) </dev/null &
guard=$!
${run} || { code=$?; kill $guard; ${environment}; bash "$J/files/${index}.revert"; exit $code; }
event confirm ${index}
until [ -e ${flag} ]; do
  if [ -e "$J/reverted.${index}" ]; then echo "no new connection came in within ${seconds} s: the change was taken back"; exit 75; fi
  sleep 0.1
done
kill $guard 2>/dev/null || true`;
}
