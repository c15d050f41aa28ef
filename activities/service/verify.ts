import type { TaskservSpec } from '../../core/definition/definition.js';
import type { AnyTaskserv, HealthContext, HostContext, Peer } from '../../core/taskserv/taskserv.js';
import type { HostOf, HostRef } from '../host/host.js';
import type { OwnAmong } from './own-modules.js';
import { findTaskserv } from './taskserv-of.js';
import { createInstalledUnit } from './units/installed-unit.js';

export interface VerifyInput extends HostRef {
  role: string;
  memoryMiB: number;
  taskserv: TaskservSpec;
  peers: readonly Peer[];
  /** Services that were just created or changed and that this service must use. */
  changed?: HealthContext['changed'];
  /** How long it may take to become healthy, in milliseconds. */
  withinMs: number;
}

export interface Verdict {
  healthy: boolean;
  why?: string;
  installed?: string;
  /** Place with more details about the fault. */
  hint?: string;
}

/** Waits until a service is healthy, or says why it is not after the time allowed. */
export function createVerify({ ownAmong, hostOf }: { ownAmong: OwnAmong; hostOf: HostOf }) {
  return async function verify(input: VerifyInput): Promise<Verdict> {
    const host = hostOf(input);
    const { name, module } = input.taskserv;
    const taskserv = findTaskserv(await ownAmong(input.scope.workspace, [input.taskserv]), name, module);
    const { privateAddress } = host;
    const context: HostContext = {
      name: input.server,
      role: input.role,
      os: 'debian',
      arch: 'amd64',
      cores: 1,
      memoryMiB: input.memoryMiB,
      ...(privateAddress ? { privateAddress } : {}),
    };
    const unit = createInstalledUnit(taskserv, input.taskserv, { host: context, peers: input.peers, changed: input.changed });
    const { why, installed } = await host.verify(unit, input.withinMs);
    const hint = why === undefined ? undefined : logsOf(taskserv, input);
    return {
      healthy: why === undefined,
      ...(why === undefined ? {} : { why }),
      ...(hint === undefined ? {} : { hint }),
      installed: installed(taskserv.installed, input.taskserv.version, []),
    };
  };
}

/** The command that shows the log of an application, which knows what its hosts do not print. */
function logsOf({ release }: Pick<AnyTaskserv, 'release'>, { taskserv, server, scope }: VerifyInput): string | undefined {
  const { name } = (taskserv.config ?? {}) as { name?: unknown };
  return release && typeof name === 'string'
    ? `provisioning app logs ${name} --server ${server} --infra ${scope.infra}`
    : undefined;
}
