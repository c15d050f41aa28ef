import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Returns the name of a file in the login folder of ssh (`createLoginFolder`). */
const name = (kind: string, about: string) => `${kind}-${createHash('sha256').update(about).digest('hex').slice(0, 12)}`;

/** Returns the path of the public key for servers: the infra's, or another one that definitions name. */
export const locatePublicKey = (folder: string, identity?: string): string =>
  join(folder, identity === undefined ? 'id_ed25519.pub' : `${name('id', identity)}.pub`);

/**
 * Returns the path of the socket that signs logins to a server or its jump host. It is short, because a socket's path
 * is limited to about 100 bytes.
 */
export const locateSocket = (folder: string, server: string, jump = false): string => join(folder, name(jump ? 'j' : 's', server));

/**
 * Returns the path of the script that connects to a server through the API. It exists only if commands use an API
 * server.
 */
export const locateConnector = (folder: string): string => join(folder, 'connect');

export const locateKnownHosts = (folder: string): string => join(folder, 'known_hosts');
