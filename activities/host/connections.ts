import { inputError } from '../../core/errors.js';
import type { KeyStore } from '../stores/keys.js';
import { CHANNELS_PER_CONNECTION, connectSsh, type SshConnection, type SshTarget } from './ssh.js';
import { thisMachine } from './this-machine.js';
import type { ExecOptions, ExecResult, Target, Transports } from './transport.js';

/** Keeps SSH connections for the life of the worker; a full one (8 channels) is joined by a second. */
export function openConnections(keys: KeyStore): Transports {
  const pools = new Map<string, Promise<SshConnection>[]>();

  async function exec(target: SshTarget, script: string, options?: ExecOptions): Promise<ExecResult> {
    const key = keyOf(target);
    const pool = pools.get(key) ?? [];
    pools.set(key, pool);
    for (const entry of [...pool]) {
      const connection = await entry.catch(() => undefined);
      if (!connection?.alive) remove(pool, entry);
      else if (connection.channels < CHANNELS_PER_CONNECTION) return connection.exec(script, options);
    }
    const entry = connectSsh(target, keys);
    pool.push(entry);
    entry.catch(() => remove(pool, entry));
    return (await entry).exec(script, options);
  }

  const forget = (target: Target) => {
    const key = keyOf(target);
    for (const entry of pools.get(key) ?? []) entry.then((connection) => connection.close()).catch(() => {});
    pools.delete(key);
  };

  return {
    async open(target, { fresh = false } = {}) {
      if (target.connection.kind === 'this') return thisMachine;
      if (target.connection.kind === 'demo') {
        throw inputError({
          code: 'demo-host',
          what: 'open a connection',
          on: target.server,
          why: 'a demo server has no machine behind it',
        });
      }
      const sshTarget = target as SshTarget;
      if (!fresh) {
        return { exec: (script, options) => exec(sshTarget, script, options), close() {} };
      }
      return connectSsh(sshTarget, keys);
    },
    forget,
    close() {
      for (const pool of pools.values()) for (const entry of pool) entry.then((connection) => connection.close()).catch(() => {});
      pools.clear();
    },
  };
}

function keyOf({ workspace, infra, server, connection }: Target): string {
  return JSON.stringify([workspace, infra, server, connection]);
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}
