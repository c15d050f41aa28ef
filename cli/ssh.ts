import { join } from 'node:path';
import { inputError } from '../core/errors.js';
import type { InventoryServer } from '../core/inventory.js';
import { quote } from '../core/shell.js';

interface Around {
  /** With `id_ed25519` and `known_hosts` of the infra (cli/key-folder.ts). */
  keys: string;
  interactive: boolean;
}

/**
 * The program that opens a shell on a server, or runs a command there: one word
 * is a line for the remote shell, several are words that arrive as they are.
 *
 * @throws an input error for a server without a machine
 */
export function shellOn(
  { name, connection }: Pick<InventoryServer, 'name' | 'connection'>,
  { keys, interactive }: Around,
  words: readonly string[],
): { program: string; args: string[] } {
  const line = words.length === 1 ? words : words.length === 0 ? [] : [words.map(quote).join(' ')];
  if (connection.kind === 'demo') {
    const why = 'servers of the provider "demo" are no machines';
    throw inputError({ code: 'no-machine', what: 'open a shell', on: name, why });
  }
  if (connection.kind === 'this') {
    return { program: 'bash', args: line.length > 0 ? ['-c', ...line] : ['-l'] };
  }
  const { address, port, user, identity, jump } = connection;
  const options = {
    IdentitiesOnly: 'yes',
    UserKnownHostsFile: join(keys, 'known_hosts'),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    HostKeyAlias: name,
    LogLevel: 'ERROR',
    ...(interactive ? {} : { BatchMode: 'yes' }),
  };
  return {
    program: 'ssh',
    args: [
      ...['-i', identity ?? join(keys, 'id_ed25519'), '-p', String(port)],
      ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${/\s/.test(value) ? `"${value}"` : value}`]),
      ...(jump ? ['-J', jump] : []),
      `${user}@${address}`,
      ...(line.length > 0 ? ['--', ...line] : []),
    ],
  };
}
