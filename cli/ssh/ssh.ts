import { existsSync } from 'node:fs';
import { HOST_RULE, isHost, parseJumpHost, USER_NAME, USER_NAME_RULE } from '../../core/definition/addresses.js';
import { type JumpHost, jumpHostAt, jumpKeyName } from '../../core/definition/jump-host.js';
import { inputError } from '../../core/errors.js';
import { quote } from '../../core/host/shell.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { clipText } from '../../core/text.js';
import { locateConnector, locateKnownHosts, locatePublicKey, locateSocket } from './login-files.js';

interface Around {
  /** Folder of public keys, pinned host keys and sockets that sign logins (cli/ssh/login-folder.ts). */
  keys: string;
  /** Whether the user can be prompted, such as for the passphrase of a key in their own ssh settings. */
  interactive: boolean;
  /** Attempted action, for errors. Default: opening a shell. */
  what?: string;
  /** Additional options of ssh, before the destination. */
  options?: readonly string[];
  /** Port to forward, in the syntax of `-L`. Nothing else is forwarded. */
  forward?: string;
}

export const OPEN_A_SHELL = 'open a shell';

/**
 * Returns the program that opens a shell on a server or runs a command there. A single word is a line for the remote
 * shell. Several words arrive unchanged.
 *
 * @throws an input error for a server without a machine
 */
export function shellOn(
  { name, connection }: Pick<InventoryServer, 'name' | 'connection'>,
  { keys, interactive, what = OPEN_A_SHELL, options = [], forward }: Around,
  words: readonly string[],
): { program: string; args: string[] } {
  const line = words.length === 1 ? words : words.length === 0 ? [] : [words.map(quote).join(' ')];
  if (connection.kind === 'demo') {
    const why = 'servers of the provider "demo" have no machines';
    throw inputError({ code: 'no-machine', what, on: name, why });
  }
  const connector = locateConnector(keys);
  const isElsewhere = existsSync(connector);
  if (connection.kind === 'this') {
    if (isElsewhere) {
      const why = "the server is the machine of the platform's worker, and has no login";
      throw inputError({ code: 'no-machine', what, on: name, why });
    }
    return { program: 'bash', args: line.length > 0 ? ['-c', ...line] : ['-l'] };
  }
  const { address, port, user, identity, jump } = connection;
  checkLogin({ address, user, jump }, what);
  const key = locatePublicKey(keys, identity);
  const at = jump === undefined ? undefined : jumpHostAt(jump, user);
  const first = isElsewhere ? connectCommand(connector, name) : undefined;
  const through = at ? proxyCommand(at, { address, port }, { key, keys, name, first }) : first;
  const more = { ...(interactive ? {} : { BatchMode: 'yes' }), ...(through ? { ProxyCommand: through } : {}) };
  return {
    program: 'ssh',
    args: [
      ...['-p', String(port)],
      ...formatArguments({ ...optionsOf(keys, name, { key, agent: locateSocket(keys, name) }), ...forwardingOf(forward), ...more }),
      ...options,
      ...(forward === undefined ? [] : ['-L', forward]),
      // Arguments after it are not options, whatever their text: neither the destination nor the line.
      '--',
      `${user}@${address}`,
      ...line,
    ],
  };
}

/** A host gets neither the user's agent nor their X11 display, whatever their ssh settings are. */
export const NO_LENT_FILES: Record<string, string> = {
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ForwardX11Trusted: 'no',
  Tunnel: 'no',
};

/** `ClearAllForwardings` clears `-L` too. With our own tunnel, the forwardings in the user's settings stay. */
const forwardingOf = (forward: string | undefined): Record<string, string> => ({
  ...NO_LENT_FILES,
  ...(forward === undefined ? { ClearAllForwardings: 'yes' } : {}),
});

/** Escapes `%` in a path, which ssh would expand. */
const plain = (path: string) => path.replaceAll('%', '%%');

/** Seconds after which a host that accepts the connection but does not answer is given up. */
const ANSWER_S = 20;

/** Formats a path as the value of an ssh option. */
const pathValue = (path: string) => (/[^\w./%@:+-]/.test(path) ? `"${plain(path)}"` : plain(path));

/**
 * Returns the options of a login. The host's key must be the one that is pinned for `alias`. `agent` has the private
 * key for the public key: the user's agent is not used and gets no key.
 */
const optionsOf = (keys: string, alias: string, { key, agent }: { key: string; agent: string }): Record<string, string> => ({
  // Not `-i`, which tries the path literally first, and then with each `%` expanded.
  IdentityFile: pathValue(key),
  IdentitiesOnly: 'yes',
  IdentityAgent: pathValue(agent),
  AddKeysToAgent: 'no',
  UserKnownHostsFile: pathValue(locateKnownHosts(keys)),
  GlobalKnownHostsFile: '/dev/null',
  StrictHostKeyChecking: 'yes',
  HostKeyAlias: alias,
  ConnectTimeout: String(ANSWER_S),
  ServerAliveInterval: '15',
  LogLevel: 'ERROR',
});

export const formatArguments = (options: Record<string, string>) =>
  Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]);

/** Returns the command that connects through the API server to the first host on the way. ssh expands `%`. */
const connectCommand = (connector: string, name: string): string =>
  ['sh', quote(connector), quote(name)].join(' ').replaceAll('%', '%%');

/**
 * Returns the command that connects through a jump host. `-J` would check the jump host's key against this machine's
 * configuration instead of the pinned key.
 */
function proxyCommand(
  jump: JumpHost,
  { address, port }: { address: string; port: number },
  { key, keys, name, first }: { key: string; keys: string; name: string; first: string | undefined },
): string {
  const means = optionsOf(keys, jumpKeyName(jump), { key, agent: locateSocket(keys, name, true) });
  const options = formatArguments({
    ...means,
    ...forwardingOf(undefined),
    BatchMode: 'yes',
    ...(first !== undefined && { ProxyCommand: first }),
  });
  const way = ['-p', String(jump.port), ...options, '-W', `[${address}]:${port}`];
  // Run by a shell, after ssh has expanded `%`.
  return ['ssh', ...way, '--', `${jump.user}@${jump.address}`].map(quote).join(' ').replaceAll('%', '%%');
}

/**
 * Checks the destination that ssh gets as arguments. An inventory may have a value that an older version accepted or a
 * third-party provider returned.
 *
 * @throws an input error for an invalid user name, host or jump host: `unsafe-login`
 */
export function checkLogin({ address, user, jump }: { address: string; user: string; jump?: string }, what: string): void {
  const refuse = (text: string, why: string) => {
    throw inputError({ code: 'unsafe-login', what, on: clipText(text), why });
  };
  if (!USER_NAME.test(user)) refuse(user, `it is not a user name: ${USER_NAME_RULE}`);
  if (!isHost(address)) refuse(address, `it is not ${HOST_RULE}`);
  if (jump !== undefined && !parseJumpHost(jump)) refuse(jump, 'it is not a jump host: user@address:port');
}
