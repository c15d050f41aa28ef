import { quote, sh } from '../../core/shell.js';
import type { ServiceAction, Step } from '../../core/step.js';
import { readsHash } from './look-script.js';
import { HOST_STATE } from './paths.js';
import type { Item, Payload } from './runner.js';

/** Puts a secret's value in the place of its placeholder. */
type Reveal = (text: string) => string;

const APT =
  'apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0';

/**
 * The scripts of steps, and the files they need in the journal. Each script
 * first saves what it is about to change, unless an earlier try already did.
 */
export function scriptsOf(steps: Step[], reveal: Reveal): { items: Item[]; payloads: Payload[] } {
  const items = steps.map((step, index) => ({ index, title: step.title, body: bodyOf(step, index) }));
  return { items, payloads: steps.flatMap((step, index) => payloadsOf(step, index, reveal)) };
}

function payloadsOf(step: Step, index: number, reveal: Reveal): Payload[] {
  if ('file' in step) return [{ name: `${index}.content`, content: reveal(step.file.content) }];
  if (!('run' in step)) return [];
  const exports = Object.entries(step.env ?? {}).map(([name, value]) => `export ${name}=${quote(reveal(value))}\n`);
  return [
    { name: `${index}.run`, content: step.run },
    { name: `${index}.env`, content: exports.join('') },
    ...(step.undo === undefined ? [] : [{ name: `${index}.undo`, content: step.undo }]),
    ...(step.stdin === undefined ? [] : [{ name: `${index}.stdin`, content: reveal(step.stdin) }]),
    ...(step.confirm ? [{ name: `${index}.revert`, content: step.confirm.revert }] : []),
  ];
}

function bodyOf(step: Step, index: number): string {
  const former = `"$J/former/${index}"`;
  if ('run' in step) {
    const input = step.stdin === undefined ? '' : ` <"$J/files/${index}.stdin"`;
    const run = `( . "$J/files/${index}.env"; exec bash -euo pipefail "$J/files/${index}.run"${input} )`;
    return step.confirm ? confirmed(run, index, step.confirm.seconds) : run;
  }
  if ('file' in step) {
    const { path, mode = '0644', owner = 'root:root' } = step.file;
    // Written beside and moved: a reader never sees half a file.
    return `${save(path, former)}
mkdir -p ${quote(dirOf(path))}
t=$(mktemp ${quote(`${dirOf(path)}/.provisioning.XXXXXX`)})
cat "$J/files/${index}.content" >"$t" && chown ${quote(owner)} "$t" && chmod ${quote(mode)} "$t" && mv -f "$t" ${quote(path)} || { rm -f "$t"; exit 1; }`;
  }
  if ('absent' in step) return `${save(step.absent.path, former)}\n${sh`rm -f -- ${step.absent.path}`}`;
  if ('directory' in step) {
    const { path, mode = '0755', owner = 'root:root' } = step.directory;
    const [user = 'root', group = 'root'] = owner.split(':');
    return `[ -d ${quote(path)} ] || touch ${former}.absent\n${sh`install -d -m ${mode} -o ${user} -g ${group} -- ${path}`}`;
  }
  if ('package' in step) return packageBody(step.package, former);
  return serviceBody(step.service, former);
}

const dirOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';

/** Keeps the file as it was before the first try. */
const save = (path: string, former: string) =>
  `if [ ! -e ${former}.saved ]; then if [ -e ${quote(path)} ]; then cp -a -- ${quote(path)} ${former}.file; else touch ${former}.absent; fi; touch ${former}.saved; fi`;

const LIST_PACKAGES = `dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n' | awk '$2=="ii"{print $1}' | sort`;

/** Services of a package do not start by themselves: what they would read is not written yet. */
const WITHOUT_STARTING = `rc=/usr/sbin/policy-rc.d
if [ ! -e $rc ] || grep -q provisioning $rc; then printf '#!/bin/sh\\n# provisioning\\nexit 101\\n' >$rc; chmod 755 $rc; trap 'rm -f /usr/sbin/policy-rc.d' EXIT; fi`;

function packageBody(
  { name, state, version }: { name: string; state: 'present' | 'absent'; version?: string },
  former: string,
): string {
  const before = `[ -e ${former}.before ] || { ${LIST_PACKAGES} >${former}.draft; mv ${former}.draft ${former}.before; }`;
  if (state === 'absent') return `${before}\n${APT} remove -y ${quote(name)}\n${LIST_PACKAGES} >${former}.after`;
  const wanted = quote(version === undefined ? name : `${name}=${version}`);
  return `${before}
${WITHOUT_STARTING}
install() { ${APT} install -y --no-install-recommends --allow-downgrades ${wanted}; }
install || { dpkg --configure -a; ${APT} update && install; }
${LIST_PACKAGES} >${former}.after`;
}

/** Records the hash of what the service now runs with. */
export const recordReads = ({ name, reads }: Pick<ServiceAction, 'name' | 'reads'>) =>
  reads && reads.length > 0 ? `mkdir -p ${HOST_STATE}/services\n${readsHash(reads)} >${HOST_STATE}/services/${quote(name)}` : ':';

const tellWhy = (name: string) => `{ code=$?; journalctl -q -n 20 --no-pager -o cat -u ${name} || true; exit $code; }`;

function serviceBody(service: ServiceAction, former: string): string {
  const name = quote(service.name);
  const remember = `if [ ! -e ${former}.service ]; then echo "$(systemctl is-active ${name} || true) $(systemctl is-enabled ${name} 2>/dev/null || true)" >${former}.draft; mv ${former}.draft ${former}.service; fi`;
  const enable = `systemctl ${service.enabled ? 'enable' : 'disable'} -q ${name}`;
  if (service.state === 'stopped') return `${remember}\nsystemctl stop ${name}\n${enable}\nrm -f ${HOST_STATE}/services/${name}`;
  const change = service.change === 'reload' ? 'reload-or-restart' : 'restart';
  return `${remember}
systemctl daemon-reload
systemctl reset-failed ${name} 2>/dev/null || true
if systemctl is-active -q ${name}; then systemctl ${change} ${name} || ${tellWhy(name)}; else systemctl start ${name} || ${tellWhy(name)}; fi
${enable}
${recordReads(service)}`;
}

/** Runs a change that may cut us off: it is taken back by the host itself unless a new connection confirms it in time. */
function confirmed(run: string, index: number, seconds: number): string {
  const flag = `"$J/confirmed.${index}"`;
  return `rm -f ${flag} "$J/reverted.${index}"
( sleep ${seconds}; [ -e ${flag} ] || { . "$J/files/${index}.env"; bash "$J/files/${index}.revert"; touch "$J/reverted.${index}"; } ) </dev/null &
guard=$!
${run} || { code=$?; kill $guard; . "$J/files/${index}.env"; bash "$J/files/${index}.revert"; exit $code; }
event confirm ${index}
until [ -e ${flag} ]; do
  if [ -e "$J/reverted.${index}" ]; then echo "no new connection came in within ${seconds} s: the change was taken back"; exit 75; fi
  sleep 0.1
done
kill $guard 2>/dev/null || true`;
}
