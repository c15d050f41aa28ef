import type { ServerSpec } from '../../core/definition/definition.js';
import type { HostContext } from '../../core/taskserv/taskserv.js';
import type { Machine } from '../host/host.js';

/** Part of a server's definition for the plans of taskservs. */
export type PlannedServer = Pick<ServerSpec, 'name' | 'role' | 'plan' | 'provider'> & Pick<HostContext, 'existing'>;

/** Context of a host: its definition, and its machine after a look. */
export function createHostContext(
  { name, role, plan, existing }: PlannedServer,
  privateAddress: string | undefined,
  { os, release, arch, cores, memoryMiB }: Omit<Machine, 'freeMiB'> = { os: 'debian', arch: 'amd64', ...plan },
): HostContext {
  return {
    name,
    role,
    os,
    ...(release !== undefined && { release }),
    arch,
    cores,
    memoryMiB: plan.memoryMiB || memoryMiB,
    ...(privateAddress ? { privateAddress } : {}),
    ...(existing ? { existing: true } : {}),
  };
}
