import { absentError, inputError } from '../../core/errors.js';
import type { AnyTaskserv, HostContext } from '../../core/taskserv/taskserv.js';
import { findDetour } from '../../core/versions/upgrade-path.js';
import type { Machine } from '../host/host.js';

/** Free space below which nothing is begun. */
const NEEDED_MIB = 64;

/** Throws `unsupported-host` where a taskserv does not know the system or the processor of a host. */
export function refuseUnsupported({ name, supports }: AnyTaskserv, host: HostContext): void {
  const { os = ['debian', 'ubuntu'], arch = ['amd64', 'arm64'] } = supports ?? {};
  for (const [what, value, known] of [
    ['OS', host.os, os],
    ['architecture', host.arch, arch],
  ] as const) {
    if (known.includes(value)) continue;
    throw inputError({
      code: 'unsupported-host',
      what: `install ${name}`,
      on: host.name,
      why: `its ${what} is "${value}", supported are ${known.join(', ')}`,
    });
  }
}

/** Throws `version-skipped` or `version-older` where a service cannot go to a version from the one that runs. */
export function refuseDetour({ name, versions }: AnyTaskserv, host: string, from: string | undefined, to: string): void {
  const detour = from === undefined ? undefined : findDetour(from, to, versions);
  if (detour) throw inputError({ ...detour, what: `install ${name} ${to}`, on: host });
}

/** Throws `host-disk-full` if steps are pending and the host has no room for them. */
export function refuseFull(server: string, { freeMiB }: Machine, planned: readonly { steps: readonly unknown[] }[]): void {
  if (freeMiB >= NEEDED_MIB || planned.every(({ steps }) => steps.length === 0)) return;
  throw absentError({
    code: 'host-disk-full',
    what: 'prepare the host',
    on: server,
    why: `only ${freeMiB} MiB are free below /var, ${NEEDED_MIB} MiB are needed`,
    hint: 'free disk space on the host, then run the command again',
  });
}
