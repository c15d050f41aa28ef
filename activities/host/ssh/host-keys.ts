import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';
import { inputError, type ProvisioningError } from '../../../core/errors.js';
import { type KeyOwner, type KeyStore, nextKeyName } from '../../../stores/keys.js';

/** Whose key is checked: a server, or the jump host before it. */
export interface KeyCheck {
  keys: KeyStore;
  owner: KeyOwner;
  /** As the key store knows it: the server's name, or `jumpKeyName`. */
  name: string;
  /** Address for errors. */
  on: string;
  /** The command that forgets the key. */
  forget: string;
}

/** Checks of the same host that are at work: the second one to come sees what the first one pinned. */
const pinning = new Map<string, Promise<unknown>>();

/**
 * Checks the key that a host shows against the pinned one, and pins what is seen first
 * once the host has let us in.
 */
export async function hostKeyCheck({ keys, owner, name, on, forget }: KeyCheck) {
  const known = await keys.pinned(owner, name);
  // While a server's key is replaced, both keys are valid: the server may show either.
  const next = known === undefined ? undefined : await keys.pinned(owner, nextKeyName(name));
  let offered: Buffer | undefined;

  async function settle(key: Buffer): Promise<string | undefined> {
    const now = await keys.pinned(owner, name);
    if (now !== undefined) {
      if (sameKey(now, key)) return undefined;
      throw hostKeyChanged(on, forget, now, key);
    }
    await keys.pin(owner, name, publicText(key));
    return fingerprintOf(key);
  }

  return {
    verify(key: Buffer): boolean {
      offered = key;
      return known === undefined || sameKey(known, key) || (next !== undefined && sameKey(next, key));
    },
    /** The error `host-key-changed`, where another key than the pinned one was shown. */
    refusal: (): ProvisioningError | undefined =>
      offered && known !== undefined && !sameKey(known, offered) && !(next && sameKey(next, offered))
        ? hostKeyChanged(on, forget, known, offered)
        : undefined,
    /**
     * Pins the key if none was pinned, and then returns its fingerprint.
     *
     * @throws `host-key-changed` if another key was pinned in the meantime
     */
    async pinFirst(): Promise<string | undefined> {
      const key = offered;
      if (known !== undefined || !key) return undefined;
      const place = JSON.stringify([owner.workspace, owner.infra, name]);
      const turn = (pinning.get(place) ?? Promise.resolve()).catch(() => {}).then(() => settle(key));
      pinning.set(place, turn);
      try {
        return await turn;
      } finally {
        if (pinning.get(place) === turn) pinning.delete(place);
      }
    },
  };
}

const hostKeyChanged = (on: string, forget: string, pinned: string, offered: Buffer) =>
  inputError({
    code: 'host-key-changed',
    what: 'check the host key',
    on,
    why: `expected ${fingerprintOf(bufferOf(pinned))}, the host shows ${fingerprintOf(offered)}`,
    hint: `the connection may be intercepted; if the machine was recreated: ${forget}`,
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
