import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2';
import { inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import type { KeyStore } from '../stores/keys.js';
import type { ExecOptions, ExecResult, Target } from './transport.js';

/** sshd allows 10 sessions a connection by default (MaxSessions); two are left for people. */
export const CHANNELS_PER_CONNECTION = 8;
const CONNECT_TIMEOUT_MS = 10_000;

export type SshTarget = Target & { connection: { kind: 'ssh' } };

/** One SSH connection. */
export interface SshConnection {
  readonly alive: boolean;
  /** Fingerprint of the host's key, where nothing was known of it and it was pinned as it was shown. */
  readonly firstSeen?: string;
  exec(script: string, options?: ExecOptions): Promise<ExecResult>;
  close(): void;
}

/** Connects with the infra's key (or `identity`) and checks the host's key against the pinned one. */
export async function connectSsh(target: SshTarget, keys: KeyStore): Promise<SshConnection> {
  const { address, port, user, jump } = target.connection;
  const on = `${target.server} (${user}@${address}:${port})`;
  const config = await credentials(target, keys, on);
  const gateway = jump ? await openJump(jump, target, config, on) : undefined;
  const client = new ssh2.Client();
  let offered: Buffer | undefined;
  const pinned = await keys.pinned(target, target.server);
  await new Promise<void>((resolve, reject) => {
    client
      .once('ready', resolve)
      .once('error', (error) =>
        reject(
          offered && pinned && !sameKey(pinned, offered) ? hostKeyChanged(target.server, on, pinned, offered) : faultOf(error, on),
        ),
      )
      .connect({
        ...config,
        ...(gateway ? { sock: gateway.stream } : { host: address, port }),
        username: user,
        readyTimeout: CONNECT_TIMEOUT_MS,
        keepaliveInterval: 5_000,
        keepaliveCountMax: 3,
        hostVerifier: (key: Buffer) => {
          offered = key;
          return pinned === undefined || sameKey(pinned, key);
        },
      });
  });
  // Without a handler a later error of the connection would end the worker.
  client.on('error', () => {});
  const firstSeen = pinned === undefined && offered ? offered : undefined;
  if (firstSeen) await keys.pin(target, target.server, publicText(firstSeen));
  let alive = true;
  client.once('close', () => {
    alive = false;
    gateway?.client.end();
  });
  return {
    get alive() {
      return alive;
    },
    ...(firstSeen ? { firstSeen: fingerprintOf(firstSeen) } : {}),
    exec: (script, options) =>
      // ssh2 throws, rather than calls back, on a connection that was lost a moment ago.
      execOn(client, user === 'root' ? 'bash -s' : 'sudo -n bash -s', script, on, options).catch((error) => {
        throw options?.signal?.aborted ? error : faultOf(error, on);
      }),
    close() {
      alive = false;
      client.end();
      gateway?.client.end();
    },
  };
}

async function credentials(target: SshTarget, keys: KeyStore, on: string): Promise<ConnectConfig> {
  const { identity } = target.connection;
  if (!identity) return { privateKey: (await keys.infraKey(target)).private };
  try {
    return { privateKey: await readFile(identity) };
  } catch (error) {
    throw inputError({ code: 'ssh-key-unreadable', what: 'read the SSH key', on: `${identity} for ${on}`, why: messageOf(error) });
  }
}

async function openJump(jump: string, target: SshTarget, config: ConnectConfig, on: string) {
  const parts = /^(?:([^@]+)@)?([^:]+)(?::(\d+))?$/.exec(jump);
  if (!parts)
    throw inputError({ code: 'jump-host-form', what: 'read the jump host', on: jump, why: 'it is not user@address:port' });
  const [, username = target.connection.user, host = '', port = '22'] = parts;
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client
      .once('ready', resolve)
      .once('error', (error) => reject(faultOf(error, `${jump}, the jump host of ${on}`)))
      .connect({ ...config, host, port: Number(port), username, readyTimeout: CONNECT_TIMEOUT_MS });
  });
  client.on('error', () => {});
  const stream = await new Promise<ClientChannel>((resolve, reject) => {
    client.forwardOut('127.0.0.1', 0, target.connection.address, target.connection.port, (error, channel) =>
      error ? reject(faultOf(error, `${on} from ${jump}`)) : resolve(channel),
    );
  });
  return { client, stream };
}

function execOn(
  client: ssh2.Client,
  command: string,
  script: string,
  on: string,
  { signal, onOutput }: ExecOptions = {},
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    client.exec(command, (error, channel) => {
      if (error) return reject(faultOf(error, on));
      const result: ExecResult = { exit: -1, stdout: '', stderr: '' };
      const stop = () => {
        channel.close();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      // A StringDecoder behind setEncoding keeps characters whole across packets.
      channel.setEncoding('utf8');
      channel.on('data', (chunk: string) => {
        if (onOutput) onOutput(chunk);
        else result.stdout += chunk;
      });
      channel.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        result.stderr = (result.stderr + chunk).slice(-8192);
      });
      channel.once('exit', (code: number | null) => {
        result.exit = code ?? 255;
      });
      channel.once('close', () => {
        signal?.removeEventListener('abort', stop);
        if (/sudo:.*(password|not allowed|sudoers)/.test(result.stderr)) {
          return reject(
            inputError({
              code: 'sudo-refused',
              what: 'become root',
              on,
              why: 'sudo wants a password or does not know the user',
              hint: 'allow sudo without a password for this user',
            }),
          );
        }
        if (result.exit === -1)
          return reject(
            unreachableError({ code: 'connection-lost', what: 'run a script', on, why: 'the connection closed before it ended' }),
          );
        resolve(result);
      });
      channel.end(script);
    });
  });
}

function faultOf(error: Error & { level?: string }, on: string): ProvisioningError {
  if (error instanceof ProvisioningError) return error;
  if (error.level === 'client-authentication') {
    return inputError(
      {
        code: 'ssh-key-refused',
        what: 'log in',
        on,
        why: 'the host refuses the SSH key',
        hint: 'add the infra’s public key (`provisioning server key INFRA`) to authorized_keys, or name another with `identity`',
      },
      { cause: error },
    );
  }
  return unreachableError({ code: 'host-unreachable', what: 'connect by SSH', on, why: messageOf(error) }, { cause: error });
}

const hostKeyChanged = (server: string, on: string, pinned: string, offered: Buffer) =>
  inputError({
    code: 'host-key-changed',
    what: 'check the host key',
    on,
    why: `expected ${fingerprintOf(bufferOf(pinned))}, the host shows ${fingerprintOf(offered)}`,
    hint: `somebody may be in between; if the machine was made anew: provisioning server forget-key ${server}`,
  });

const bufferOf = (publicKey: string) => Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
const sameKey = (pinned: string, offered: Buffer) => bufferOf(pinned).equals(offered);
const fingerprintOf = (key: Buffer) => `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function publicText(key: Buffer): string {
  const parsed = ssh2.utils.parseKey(key);
  if (parsed instanceof Error) throw parsed;
  const [first] = Array.isArray(parsed) ? parsed : [parsed];
  return `${first?.type} ${key.toString('base64')}`;
}
