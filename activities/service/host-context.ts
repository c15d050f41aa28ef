import type { ServerSpec } from '../../core/definition/definition.js';
import type { HostContext } from '../../core/taskserv/taskserv.js';
import type { Machine } from '../host/host.js';

/** What the definition says of a server that taskservs plan for. */
export type PlannedServer = Pick<ServerSpec, 'name' | 'role' | 'plan' | 'provider'> & Pick<HostContext, 'existing'>;

/** What is known of a host: by its definition, and by the machine once that was looked at. */
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
