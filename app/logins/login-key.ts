import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { inputError, messageOf } from '../../core/errors.js';
import type { Connection } from '../../core/machine/provider.js';
import { findForbiddenKey } from '../../home/identities.js';
import { readSetting, resolveEnvironment } from '../../settings/settings.js';
import { infraComment } from '../../stores/key-pair.js';
import type { KeyOwner } from '../../stores/keys.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';
import { rememberBriefly } from './remember.js';
import { refuseSignature } from './sign-request.js';

export type SshConnection = Extract<Connection, { kind: 'ssh' }>;

/** A key that logs in to a host. The private half stays in here. */
export interface LoginKey {
  /** As SSH writes it. */
  public: Buffer;
  /** As a line of `authorized_keys`. */
  line: string;
  /** Signs with one of the key's algorithms. Answers the signature as SSH writes it. @throws inputError `signature-refused` */
  sign(algorithm: string, data: Buffer): Buffer;
}

/** By algorithm: the type of its key, the hash, and the size in bytes of each number in an ECDSA signature. */
const ALGORITHMS: Readonly<Record<string, { type: string; hash: string | null; size?: number }>> = {
  'ssh-ed25519': { type: 'ssh-ed25519', hash: null },
  'rsa-sha2-256': { type: 'ssh-rsa', hash: 'sha256' },
  'rsa-sha2-512': { type: 'ssh-rsa', hash: 'sha512' },
  'ecdsa-sha2-nistp256': { type: 'ecdsa-sha2-nistp256', hash: 'sha256', size: 32 },
  'ecdsa-sha2-nistp384': { type: 'ecdsa-sha2-nistp384', hash: 'sha384', size: 48 },
  'ecdsa-sha2-nistp521': { type: 'ecdsa-sha2-nistp521', hash: 'sha512', size: 66 },
};

/**
 * Returns the key of a server: the infra's own, or the one that its definition names. Undefined for an infra without a
 * key; this function creates no key.
 *
 * @throws the input errors `ssh-key-not-allowed`, `ssh-key-unreadable`
 */
export async function readLoginKey(
  engine: Engine,
  owner: KeyOwner,
  server: string,
  { identity }: SshConnection,
): Promise<LoginKey | undefined> {
  if (identity !== undefined)
    return parseLoginKey(await readIdentity(engine, identity, server), identity, `${identity} for ${server}`);
  const { keys } = engine.stores;
  const { workspace, infra } = owner;
  const hasKey = await rememberBriefly(engine, ['key', workspace, infra], async () =>
    (await keys.infras(workspace)).includes(infra),
  );
  if (!hasKey) return undefined;
  const pair = await keys.infraKey(owner);
  return parseLoginKey(pair.private, infraComment(owner), `the key of ${owner.workspace}/${owner.infra}`);
}

/** A definition may be a stranger's: the settings of the platform decide which keys it may name. */
async function readIdentity(engine: Engine, identity: string, server: string): Promise<string> {
  const on = `${identity} for ${server}`;
  const what = 'read the SSH key';
  const { home, env } = homeOfEngine(engine);
  const forbidden = await findForbiddenKey(identity, readSetting(await resolveEnvironment(home, env), 'worker.identities'));
  if (forbidden) throw inputError({ code: 'ssh-key-not-allowed', what, on, ...forbidden });
  try {
    return await readFile(identity, 'utf8');
  } catch (error) {
    throw inputError({ code: 'ssh-key-unreadable', what, on, why: messageOf(error) });
  }
}

/** @throws inputError `ssh-key-unreadable` */
export function parseLoginKey(text: string, comment: string, on: string): LoginKey {
  const parsed = ssh2.utils.parseKey(text);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!key || key instanceof Error || !key.isPrivateKey()) {
    const why = key instanceof Error ? key.message : 'it has no private key';
    throw inputError({ code: 'ssh-key-unreadable', what: 'read the SSH key', on, why });
  }
  const blob = key.getPublicSSH();
  const own = createPrivateKey(key.getPrivatePEM());
  return {
    public: blob,
    line: `${key.type} ${blob.toString('base64')} ${comment.replace(/\s+/g, ' ')}`,
    sign(algorithm, data) {
      const how = Object.hasOwn(ALGORITHMS, algorithm) ? ALGORITHMS[algorithm] : undefined;
      if (!how || how.type !== key.type) throw refuseSignature(`the key does not sign by ${algorithm}`);
      const signature = sign(how.hash, data, { key: own, dsaEncoding: 'ieee-p1363' });
      const plain =
        how.size === undefined
          ? signature
          : Buffer.concat([signature.subarray(0, how.size), signature.subarray(how.size)].map((part) => writeNumber(part)));
      return Buffer.concat([writeBytes(Buffer.from(algorithm)), writeBytes(plain)]);
    },
  };
}

/** Bytes as SSH writes them: their count first. */
function writeBytes(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

/** A positive number as SSH writes it: no zero byte first, unless it would be a negative one. */
function writeNumber(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const plain = first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
  return writeBytes((plain[0] ?? 0) < 0x80 ? plain : Buffer.concat([Buffer.alloc(1), plain]));
}
