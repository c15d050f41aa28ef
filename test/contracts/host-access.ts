import ssh2 from 'ssh2';
import type { Access } from '../../core/provider.js';

export interface TestAccess extends Access {
  /** Private half of `authorizedKey`. */
  privateKey: string;
}

/** Fresh keys for one host: ours to log in with, and its own. */
export function hostAccess(): TestAccess {
  const ours = ssh2.utils.generateKeyPairSync('ed25519');
  const host = ssh2.utils.generateKeyPairSync('ed25519');
  return { privateKey: ours.private, authorizedKey: ours.public, hostKey: host };
}
