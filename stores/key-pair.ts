import ssh2 from 'ssh2';
import type { KeyPair } from './keys.js';

/** Makes an ed25519 pair. ssh2 1.17 drops leading zero bytes of the public key, so that one pair in about 256 cannot be read back: those are thrown away. */
export function makePair(comment: string): KeyPair {
  for (;;) {
    const made = ssh2.utils.generateKeyPairSync('ed25519', { comment });
    if (!(ssh2.utils.parseKey(made.private) instanceof Error)) return made;
  }
}

/** The public half of a private key, as a line of `authorized_keys`. */
export function derivePublicKey(privateKey: string, comment: string): string {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return `${key.type} ${key.getPublicSSH().toString('base64')} ${comment}`;
}

/** Returns the comment of the public half of an infra's key. */
export const infraComment = ({ workspace, infra }: { workspace: string; infra: string }): string =>
  `provisioning ${workspace}/${infra}`;
