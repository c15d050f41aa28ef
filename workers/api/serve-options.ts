import { parseArgs } from 'node:util';
import { isLoopback, type ListenAddress, parseListenAddress } from '../../api/listen/listen-address.js';
import { inputError, messageOf } from '../../core/errors.js';
import type { CompatSettings } from './compat/start-compat.js';

/** Options of `provisioning serve`. */
export interface ServeSettings {
  address: ListenAddress;
  hostNames: string[];
  /** Files of a certificate; absent: the home makes its own, or `http`. */
  files?: { certificate: string; key: string };
  http: boolean;
  /** Whether it prints a code for the first administrator. */
  code: boolean;
  /** Whether it ends with the process that started it. */
  withParent: boolean;
  /** The orchestrator's API, which is served too. */
  compat?: CompatSettings;
}

/** The port of the orchestrator. */
const COMPAT_HERE = '127.0.0.1:8080';
const HERE = '127.0.0.1:8443';
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Reads the arguments of the server.
 *
 * @throws inputError `bad-arguments`
 */
export function parseServeOptions(args: readonly string[]): ServeSettings {
  const flags = readFlags(args);
  const address = parseListenAddress(flags.listen ?? HERE);
  const hostNames = (flags['host-name'] ?? []).map((name) => name.toLowerCase());
  const wrong = hostNames.find((name) => !HOST_NAME.test(name));
  if (wrong !== undefined) throw refuse('--host-name', `"${wrong.slice(0, 60)}" is not a host name`, 'write api.example.org');
  const { certificate, key, http = false, 'no-code': noCode = false, 'with-parent': withParent = false } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw refuse('--certificate, --key', 'only one of them is given', 'name both files, or neither');
  if (http && certificate !== undefined) throw refuse('--http', 'plain HTTP uses no certificate', 'remove one of them');
  if (http && !isLoopback(address))
    throw refuse('--http', 'tokens would cross the network in the clear', 'listen on 127.0.0.1, or use a certificate');
  if (!http && certificate === undefined && !isLoopback(address))
    throw refuse('--listen', 'other machines do not trust a certificate of this home', 'name one with --certificate and --key');
  const compat = readCompat(flags);
  return {
    address,
    hostNames,
    http,
    code: !noCode,
    withParent,
    ...(compat && { compat }),
    ...(certificate !== undefined && key !== undefined && { files: { certificate, key } }),
  };
}

/** @throws inputError `bad-arguments` */
function readCompat(flags: ReturnType<typeof readFlags>): CompatSettings | undefined {
  const { 'compat-as': account, 'compat-root': root, 'compat-listen': listen = COMPAT_HERE } = flags;
  if (!flags.compat) {
    const stray = (['compat-as', 'compat-root', 'compat-listen'] as const).find((name) => flags[name] !== undefined);
    if (stray !== undefined) throw refuse(`--${stray}`, '--compat is missing', 'add --compat');
    return undefined;
  }
  if (account === undefined) throw refuse('--compat', '--compat-as is missing', 'name a service account, such as default/ci');
  if (root === undefined) throw refuse('--compat', '--compat-root is missing', 'name the folder with the definitions');
  const address = parseListenAddress(listen);
  if (!isLoopback(address))
    throw refuse('--compat-listen', 'its requests have no token, so it is for this machine only', 'listen on 127.0.0.1');
  return { address, account, root };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        listen: { type: 'string' },
        certificate: { type: 'string' },
        key: { type: 'string' },
        'host-name': { type: 'string', multiple: true },
        http: { type: 'boolean' },
        compat: { type: 'boolean' },
        'compat-as': { type: 'string' },
        'compat-root': { type: 'string' },
        'compat-listen': { type: 'string' },
        'no-code': { type: 'boolean' },
        // Names the server's home in the list of processes.
        serves: { type: 'string' },
        // Set by the command that runs the server.
        'with-parent': { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw refuse('serve', messageOf(error), 'provisioning help serve');
  }
}

const refuse = (on: string, why: string, hint: string) =>
  inputError({ code: 'bad-arguments', what: 'start the API server', on, why, hint });
