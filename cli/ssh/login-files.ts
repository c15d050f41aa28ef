import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Names of files in the folder that ssh gets for its logins (`createLoginFolder`). */
const name = (kind: string, about: string) => `${kind}-${createHash('sha256').update(about).digest('hex').slice(0, 12)}`;

/** The public key by which servers are reached: that of the infra, or another one that definitions name. */
export const locatePublicKey = (folder: string, identity?: string): string =>
  join(folder, identity === undefined ? 'id_ed25519.pub' : `${name('id', identity)}.pub`);

/** The socket that signs logins to a server, or to the jump host before it. Short: a path of a socket has about 100 bytes. */
export const locateSocket = (folder: string, server: string, jump = false): string => join(folder, name(jump ? 'j' : 's', server));

/** The script that connects to a server through the API; only in a folder of commands that ask such a server. */
export const locateConnector = (folder: string): string => join(folder, 'connect');

export const locateKnownHosts = (folder: string): string => join(folder, 'known_hosts');
