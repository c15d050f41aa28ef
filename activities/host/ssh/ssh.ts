import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type ssh2 from 'ssh2';
import { jumpHostAt, jumpKeyName } from '../../../core/definition/jump-host.js';
import { inputError, messageOf } from '../../../core/errors.js';
import type { KeyStore } from '../../../stores/keys.js';
import type { ExecOptions, ExecResult, Target } from '../transport.js';
import { hostKeyCheck } from './host-keys.js';
import { execOn } from './ssh-exec.js';
import { faultOf, tooLate } from './ssh-faults.js';
import { LOGIN_MS, logIn } from './ssh-login.js';

/** sshd allows 10 sessions a connection by default (MaxSessions); two are left for people. */
export const CHANNELS_PER_CONNECTION = 8;

/** One SSH connection. */
export interface SshConnection {
  readonly alive: boolean;
  /** The key of the host, and of the one before it, where nothing was known of it and it was pinned as it was shown. */
  readonly firstSeen?: string;
  exec(script: string, options?: ExecOptions): Promise<ExecResult>;
  close(): void;
}

/** A host that we are logged in to. */
interface Hop {
  client: ssh2.Client;
  /** Fingerprint of its key, where that was pinned as it was shown. */
  pinned?: string;
}

/** Why definitions may not name a private key; nothing if they may. */
type ForbiddenKey = (identity: string) => Promise<{ why: string; hint: string } | undefined>;

/**
 * Connects with the infra's key (or `identity`) and checks the keys of the host, and of the
 * jump host before it, against the pinned ones.
 */
export async function connectSsh(
  target: Target,
  keys: KeyStore,
  { loginMs = LOGIN_MS, forbiddenKey }: { loginMs?: number; forbiddenKey?: ForbiddenKey } = {},
): Promise<SshConnection> {
  const { address, port, user, jump } = target.connection;
  const on = nameOf(target);
  const privateKey = await privateKeyOf(target, keys, on, forbiddenKey);
  const gateway = jump ? await openJump(jump, target, { privateKey, keys, limitMs: loginMs }, on) : undefined;
  let host: Hop;
  try {
    const forget = `provisioning server forget-key ${target.server}`;
    host = await hop({
      address,
      port,
      user,
      privateKey,
      on,
      keys,
      limitMs: loginMs,
      owner: target,
      name: target.server,
      forget,
      through: gateway?.stream,
    });
  } catch (error) {
    gateway?.client.destroy();
    throw error;
  }
  const { client } = host;
  let alive = true;
  client.once('close', () => {
    alive = false;
    gateway?.client.destroy();
  });
  const firstSeen = [host.pinned, gateway?.pinned && `its jump host ${jump}: ${gateway.pinned}`].filter(Boolean).join('; ');
  return {
    get alive() {
      return alive;
    },
    ...(firstSeen ? { firstSeen } : {}),
    exec: (script, options) =>
      // ssh2 throws, rather than calls back, on a connection that was lost a moment ago.
      execOn(client, { on, isRoot: user === 'root' }, script, options).catch((error) => {
        throw options?.signal?.aborted ? error : faultOf(error, on);
      }),
    close() {
      alive = false;
      client.end();
      // Only now: what says good-bye to the host goes through it.
      if (gateway) setTimeout(() => gateway.client.destroy(), 200).unref();
    },
  };
}

/** The server and where it is reached, for errors. */
export const nameOf = ({ server, connection: { user, address, port } }: Target): string => `${server} (${user}@${address}:${port})`;

type Shown = Parameters<typeof hostKeyCheck>[0];
type Login = Parameters<typeof logIn>[0];

/** Logs in to one host, whose key is the pinned one or is pinned now. */
async function hop(to: Omit<Login, 'verify'> & Shown): Promise<Hop> {
  const check = await hostKeyCheck(to);
  const client = await logIn({ ...to, verify: check.verify }).catch((error: unknown) => {
    throw check.refusal() ?? error;
  });
  try {
    const pinned = await check.pinFirst();
    return { client, ...(pinned ? { pinned } : {}) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

/** A definition may be a stranger's: the user decides which keys it may name. */
async function privateKeyOf(
  target: Target,
  keys: KeyStore,
  on: string,
  forbiddenKey: ForbiddenKey = async () => undefined,
): Promise<string | Buffer> {
  const { identity } = target.connection;
  if (!identity) return (await keys.infraKey(target)).private;
  const forbidden = await forbiddenKey(identity);
  if (forbidden)
    throw inputError({ code: 'ssh-key-not-allowed', what: 'read the SSH key', on: `${identity} for ${on}`, ...forbidden });
  try {
    return await readFile(identity);
  } catch (error) {
    throw inputError({ code: 'ssh-key-unreadable', what: 'read the SSH key', on: `${identity} for ${on}`, why: messageOf(error) });
  }
}

type Means = Pick<Parameters<typeof hop>[0], 'privateKey' | 'keys' | 'limitMs'>;

async function openJump(jump: string, target: Target, means: Means, behind: string) {
  const { address, port, user } = target.connection;
  const at = jumpHostAt(jump, user);
  if (!at)
    throw inputError({
      code: 'jump-host-form',
      what: 'read the jump host',
      on: jump,
      why: 'the address does not have the form user@address:port',
    });
  const on = `${jump}, the jump host of ${behind}`;
  const forget = `provisioning server forget-key ${target.server} --jump`;
  const { client, pinned } = await hop({ ...at, ...means, on, owner: target, name: jumpKeyName(at), forget });
  try {
    return { client, pinned, stream: await forward(client, address, port, `${behind} from ${jump}`) };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

function forward(client: ssh2.Client, address: string, port: number, on: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate(on, LOGIN_MS, 'connect by SSH')), LOGIN_MS);
    client.forwardOut('127.0.0.1', 0, address, port, (error, channel) => {
      clearTimeout(timer);
      if (error) return reject(faultOf(error, on));
      channel.on('error', () => {});
      resolve(channel);
    });
  });
}
