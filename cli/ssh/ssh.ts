import { existsSync } from 'node:fs';
import { HOST_RULE, isHost, parseJumpHost, USER_NAME, USER_NAME_RULE } from '../../core/definition/addresses.js';
import { type JumpHost, jumpHostAt, jumpKeyName } from '../../core/definition/jump-host.js';
import { inputError } from '../../core/errors.js';
import { quote } from '../../core/host/shell.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { clipText } from '../../core/text.js';
import { locateConnector, locateKnownHosts, locatePublicKey, locateSocket } from './login-files.js';

interface Around {
  /** The folder of public keys, pinned host keys and sockets that sign logins (cli/ssh/login-folder.ts). */
  keys: string;
  /** Whether a person can be asked, such as for the password of a key in their own ssh settings. */
  interactive: boolean;
  /** What is attempted, for errors. Default: a shell is opened. */
  what?: string;
  /** More options of ssh, before the destination. */
  options?: readonly string[];
  /** A port to forward, as `-L` takes it. Nothing else is forwarded. */
  forward?: string;
}

export const OPEN_A_SHELL = 'open a shell';

/**
 * The program that opens a shell on a server, or runs a command there: one word
 * is a line for the remote shell, several are words that arrive as they are.
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
      // What stands behind it is no option, whatever it says: neither the destination nor the line.
      '--',
      `${user}@${address}`,
      ...line,
    ],
  };
}

/** A host gets neither the agent nor the X11 display of the user, whatever the settings of their ssh say. */
export const NO_LENT_FILES: Record<string, string> = {
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ForwardX11Trusted: 'no',
  Tunnel: 'no',
};

/** `ClearAllForwardings` clears `-L` as well: with a tunnel of our own, the ports of the person's settings stay. */
const forwardingOf = (forward: string | undefined): Record<string, string> => ({
  ...NO_LENT_FILES,
  ...(forward === undefined ? { ClearAllForwardings: 'yes' } : {}),
});

/** A path in which ssh finds nothing to put in for `%`. */
const plain = (path: string) => path.replaceAll('%', '%%');

/** Seconds until a host that takes the connection, and says nothing of use, is given up. */
const ANSWER_S = 20;

/** A path as the value of an option of ssh. */
const pathValue = (path: string) => (/[^\w./%@:+-]/.test(path) ? `"${plain(path)}"` : plain(path));

/**
 * A host's key is the one that is pinned for `alias`, or there is no connection. `agent` has the key that belongs to the public
 * key: no agent of the person is asked, and none gets a key.
 */
const optionsOf = (keys: string, alias: string, { key, agent }: { key: string; agent: string }): Record<string, string> => ({
  // Not `-i`, which first looks for the path as it is, and then for what ssh makes of each `%` in it.
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

/** The command that goes through the server of the API, to the first host on the way. ssh puts in what it knows for `%`. */
const connectCommand = (connector: string, name: string): string =>
  ['sh', quote(connector), quote(name)].join(' ').replaceAll('%', '%%');

/**
 * The command that goes through a jump host. `-J` would check the jump host's key as this
 * machine is set up, and not against the pinned one.
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
  // Run by a shell, and only after ssh has put in what it knows for `%`.
  return ['ssh', ...way, '--', `${jump.user}@${jump.address}`].map(quote).join(' ').replaceAll('%', '%%');
}

/**
 * Checks the destination that ssh gets as arguments: an inventory may have a value that an older version accepted, or
 * that a third-party provider returned.
 *
 * @throws an input error `unsafe-login` for what is no user name, host or jump host
 */
export function checkLogin({ address, user, jump }: { address: string; user: string; jump?: string }, what: string): void {
  const refuse = (text: string, why: string) => {
    throw inputError({ code: 'unsafe-login', what, on: clipText(text), why });
  };
  if (!USER_NAME.test(user)) refuse(user, `it is not a user name: ${USER_NAME_RULE}`);
  if (!isHost(address)) refuse(address, `it is not ${HOST_RULE}`);
  if (jump !== undefined && !parseJumpHost(jump)) refuse(jump, 'it is not a jump host: user@address:port');
}
