import { resolve } from 'node:path';

/** Options of the API server, for `serve` and for `up --api`. */
export const SERVE_OPTIONS = [
  { flags: '--listen <address>', about: 'address and port (default: 127.0.0.1:8443; port 0: a free one)' },
  { flags: '--certificate <file>', about: 'certificate with its chain, as PEM; read again when it changes' },
  { flags: '--key <file>', about: 'private key of the certificate, as PEM' },
  { flags: '--host-name <name>', about: 'further host name of the server; may be repeated', repeated: true },
  { flags: '--http', about: 'plain HTTP, only on loopback' },
  { flags: '--compat', about: "also serve the orchestrator's API, without tokens, on loopback (docs/operate/compat-api.md)" },
  { flags: '--compat-as <account>', about: 'service account that acts for its requests, such as default/ci' },
  { flags: '--compat-root <folder>', about: 'folder whose definitions its requests may name' },
  { flags: '--compat-listen <address>', about: 'its address on loopback (default: 127.0.0.1:8080)' },
] as const;

interface ServeFlags {
  listen?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
  hostName?: readonly string[] | undefined;
  http?: boolean | undefined;
  compat?: boolean | undefined;
  compatAs?: string | undefined;
  compatRoot?: string | undefined;
  compatListen?: string | undefined;
}

/** Returns the arguments of the server's program. Paths are relative to `cwd`, since the server may run elsewhere. */
export function formatServeArguments(flags: ServeFlags, cwd: string): string[] {
  const { listen, certificate, key, hostName = [], http, compat, compatAs, compatRoot, compatListen } = flags;
  const file = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const texts = { listen, certificate: file(certificate), key: file(key) };
  const ofCompat = { 'compat-as': compatAs, 'compat-root': file(compatRoot), 'compat-listen': compatListen };
  const given = Object.entries({ ...texts, ...ofCompat }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  return [...given, ...hostName.map((name) => `--host-name=${name}`), ...(http ? ['--http'] : []), ...(compat ? ['--compat'] : [])];
}

/** Announcement of a server that has started to listen. */
interface ReadyServer {
  url: string;
  everywhere?: number;
  code?: string;
  authority?: string;
  compat?: string;
}

/** Renders a server's announcement as rows of a table. */
export const rowsOfServer = ({ url, everywhere, code, authority, compat }: ReadyServer): string[][] => [
  ['API', url],
  ...(everywhere === undefined ? [] : [['listens', `at all addresses of this machine, port ${everywhere}`]]),
  ['reference', `${url}/docs`],
  ...(code === undefined ? [] : [['code', code]]),
  ...(authority === undefined ? [] : [['trust', authority]]),
  ...(compat === undefined ? [] : [['compatible', compat]]),
];
