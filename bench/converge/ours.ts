import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { OperationResult } from '../../core/operation/operation.js';
import { homeOf } from '../../home/home.js';
import { cpuOf } from '../batch/cpu.js';
import { HOSTS } from './hosts.js';
import type { Peer } from './peer.js';
import { TASKSERVS } from './work.js';

/** Built checkout. Default: this one. */
export interface Checkout {
  root?: string;
  /** Selects its engine. */
  env?: Record<string, string>;
}

const own = fileURLToPath(new URL('../..', import.meta.url));

/** Creates the peer of a checkout's built command, with its own running engine. */
export function ours(name = 'provisioning', { root = own, env: more = {} }: Checkout = {}): Peer {
  const bin = join(root, 'bin/provisioning.js');
  let home: string | undefined;
  let key = '';
  // Definitions may only name keys that the user lists. The former release does not know this setting.
  const env = () => ({ ...more, PROVISIONING_HOME: home as string, PROVISIONING_WORKER_IDENTITIES: key });
  const run = (...args: string[]) => execa(process.execPath, [bin, ...args], { env: env() });
  return {
    name,

    async prepare({ folder, hosts, access: { identity, hostKey } }) {
      home = join(folder, 'home');
      key = identity;
      const file = join(folder, 'definition.json');
      const servers = hosts.map(({ name, address, port }) => ({ name, host: { address, port, user: 'root', identity, hostKey } }));
      const definition = { infra: 'bench', onFailure: 'keep', servers, taskservs: TASKSERVS.map(({ name }) => name) };
      await writeFile(file, JSON.stringify(definition));
      await run('up');
      return { command: process.execPath, args: [bin, 'apply', file, '--yes', '--json'], env: env() };
    },

    assertIdle({ stdout }) {
      const { status, steps, services } = JSON.parse(stdout) as OperationResult;
      const healthy = services.filter((service) => service.healthy).length;
      if (status !== 'done' || steps.executed !== 0 || healthy !== HOSTS.length * TASKSERVS.length) {
        throw new Error(`apply again: ${status}, ${steps.executed} steps, ${healthy} healthy services`);
      }
    },

    processor: async () => ({ ...(await cpuOf({ home: homeOf(env()) })) }),

    async lasted(runs) {
      const { stdout } = await run('workflow', 'list', '--json');
      const { operations: rows } = JSON.parse(stdout) as { operations: { started: string; ended: string }[] };
      return rows.slice(0, runs).map(({ started, ended }) => Date.parse(ended) - Date.parse(started));
    },

    close: async () => {
      if (home) await run('down');
    },
  };
}
