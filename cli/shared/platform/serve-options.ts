import { resolve } from 'node:path';

/** Options of the API server, for `serve` and for `up --api`. */
export const SERVE_OPTIONS = [
  { flags: '--listen <address>', about: 'address and port (default: 127.0.0.1:8443; port 0: a free one)' },
  { flags: '--certificate <file>', about: 'certificate with its chain, as PEM; read again when it changes' },
  { flags: '--key <file>', about: 'private key of the certificate, as PEM' },
  { flags: '--host-name <name>', about: 'further host name of the server; may be repeated', repeated: true },
  { flags: '--http', about: 'plain HTTP, only on loopback' },
] as const;

interface ServeFlags {
  listen?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
  hostName?: readonly string[] | undefined;
  http?: boolean | undefined;
}

/** The arguments of the server's program. Files are named from `cwd`, since the server may run elsewhere. */
export function formatServeArguments({ listen, certificate, key, hostName = [], http }: ServeFlags, cwd: string): string[] {
  const file = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const given = Object.entries({ listen, certificate: file(certificate), key: file(key) }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  return [...given, ...hostName.map((name) => `--host-name=${name}`), ...(http ? ['--http'] : [])];
}

/** What a server says once it listens, in rows of a table. */
export const rowsOfServer = ({ url, code, authority }: { url: string; code?: string; authority?: string }): string[][] => [
  ['API', url],
  ['reference', `${url}/docs`],
  ...(code === undefined ? [] : [['code', code]]),
  ...(authority === undefined ? [] : [['trust', authority]]),
];
