import { jumpKeyName } from '../../core/definition/jump-host.js';
import type { KeyOwner } from '../../stores/keys.js';
import type { Engine } from '../engine.js';
import { findJumpHost, findSshConnection, readHostKey } from './find-logins.js';
import { readLoginKey } from './login-key.js';
import { parseSignRequest, refuseSignature } from './sign-request.js';

/** Which login is signed. */
export interface AskedLogin extends KeyOwner {
  server: string;
  /** To the jump host before the server. Default: to the server. */
  jump?: true;
}

/**
 * Signs a login to a server, or to the jump host before it: as the user of the inventory, with the key of this server,
 * and for the pinned host key if the request names one.
 *
 * @param data the data to sign, as `parseSignRequest` accepts it
 * @returns the signature in SSH's format
 * @throws inputError `signature-refused`, and as `findSshConnection` and `readLoginKey`
 */
export async function signLogin(engine: Engine, { server, jump, ...owner }: AskedLogin, data: Buffer): Promise<Buffer> {
  const request = parseSignRequest(data);
  const connection = await findSshConnection(engine, owner, server);
  const through = findJumpHost(connection, server);
  const to = jump ? through : connection;
  if (!to) throw refuseSignature(`${server} has no jump host`);
  if (request.user !== to.user) throw refuseSignature(`the user of this login is not "${to.user}"`);
  const name = jump && through ? jumpKeyName(through) : server;
  if (request.hostKey && !(await isPinned(engine, owner, name, request.hostKey)))
    throw refuseSignature('the host does not show the pinned key');
  const key = await readLoginKey(engine, owner, server, connection);
  if (!key?.public.equals(request.key)) throw refuseSignature('it is not for the key of this server');
  return key.sign(request.algorithm, data);
}

async function isPinned(engine: Engine, owner: KeyOwner, name: string, shown: Buffer): Promise<boolean> {
  const [, value] = (await readHostKey(engine, owner, name))?.split(' ') ?? [];
  return value !== undefined && Buffer.from(value, 'base64').equals(shown);
}
