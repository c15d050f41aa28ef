import type { TaskservSpec } from '../../core/definition/definition.js';
import type { HealthContext, HostContext, Peer } from '../../core/taskserv/taskserv.js';
import type { HostOf, HostRef } from '../host/host.js';
import type { OwnAmong } from './own-modules.js';
import { taskservOf } from './taskserv-of.js';
import { installedUnit } from './units/installed-unit.js';

export interface VerifyInput extends HostRef {
  role: string;
  memoryMiB: number;
  taskserv: TaskservSpec;
  peers: readonly Peer[];
  /** What was made or changed just now, and this service is to use. */
  changed?: HealthContext['changed'];
  /** How long it may take to become healthy, in milliseconds. */
  withinMs: number;
}

export interface Verdict {
  healthy: boolean;
  why?: string;
  installed?: string;
}

/** Waits until a service is healthy, or says why it is not after the time allowed. */
export function createVerify({ ownAmong, hostOf }: { ownAmong: OwnAmong; hostOf: HostOf }) {
  return async function verify(input: VerifyInput): Promise<Verdict> {
    const host = hostOf(input);
    const { name, module } = input.taskserv;
    const taskserv = taskservOf(await ownAmong(input.scope.workspace, [input.taskserv]), name, module);
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
    const unit = installedUnit(taskserv, input.taskserv, { host: context, peers: input.peers, changed: input.changed });
    const { why, installed } = await host.verify(unit, input.withinMs);
    return {
      healthy: why === undefined,
      ...(why === undefined ? {} : { why }),
      installed: installed(taskserv.installed, input.taskserv.version, []),
    };
  };
}
