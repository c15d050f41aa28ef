import type { KeyStore } from '../../../stores/keys.js';
import type { ExecOptions, ExecResult, Target, Transports } from '../transport.js';
import { createSickness } from './sickness.js';
import { CHANNELS_PER_CONNECTION, connectSsh, nameOf, type SshConnection } from './ssh.js';
import { tooLate } from './ssh-faults.js';

/** A connection and how many use it. */
interface Place {
  connection: Promise<SshConnection>;
  /** Set once it is open. */
  open?: SshConnection;
  taken: number;
}

/** Keeps SSH connections for the life of the worker; a full one (8 channels) is joined by a second. */
export function openConnections(keys: KeyStore, login: Parameters<typeof connectSsh>[2] = {}): Transports {
  const pools = new Map<string, Place[]>();
  const firstSeen = new Map<string, string>();
  const sickness = createSickness();

  async function connect(target: Target): Promise<SshConnection> {
    const connection = await sickness.watch(keyOf(target), () => connectSsh(target, keys, login));
    if (connection.firstSeen) firstSeen.set(keyOf(target), connection.firstSeen);
    return connection;
  }

  /** A place on a connection, taken before anything is awaited: all who come at once must count each other. */
  function place(target: Target): Place {
    const key = keyOf(target);
    const pool = (pools.get(key) ?? []).filter(({ open }) => open?.alive !== false);
    pools.set(key, pool);
    const free = pool.find(({ taken }) => taken < CHANNELS_PER_CONNECTION);
    if (free) return free;
    const made: Place = { connection: connect(target), taken: 0 };
    pool.push(made);
    made.connection.then(
      (open) => {
        made.open = open;
      },
      () => {
        const rest = (pools.get(key) ?? []).filter((one) => one !== made);
        if (rest.length > 0) pools.set(key, rest);
        else pools.delete(key);
      },
    );
    return made;
  }

  async function exec(target: Target, script: string, options?: ExecOptions): Promise<ExecResult> {
    const taken = place(target);
    taken.taken++;
    const work = taken.connection.then((open) => open.exec(script, options)).finally(() => taken.taken--);
    return options?.withinMs === undefined ? work : inTime(work, target, options.withinMs);
  }

  const forget = (target: Target) => {
    const key = keyOf(target);
    for (const { connection } of pools.get(key) ?? []) connection.then((open) => open.close()).catch(() => {});
    pools.delete(key);
  };

  return {
    async open(target, { fresh = false } = {}) {
      if (!fresh) {
        return { exec: (script, options) => exec(target, script, options), close() {} };
      }
      return connect(target);
    },
    takeFirstSeen(target) {
      const fingerprint = firstSeen.get(keyOf(target));
      firstSeen.delete(keyOf(target));
      return fingerprint;
    },
    forget,
    close() {
      for (const pool of pools.values()) for (const { connection } of pool) connection.then((open) => open.close()).catch(() => {});
      pools.clear();
    },
  };
}

/** The work, or the error that it took too long. */
function inTime<T>(work: Promise<T>, target: Target, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(nameOf(target), withinMs)), withinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function keyOf({ workspace, infra, server, connection }: Target): string {
  return JSON.stringify([workspace, infra, server, connection]);
}
