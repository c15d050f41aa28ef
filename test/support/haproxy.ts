import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDaemon } from './daemon.js';
import { freePorts } from './free-ports.js';

const PROGRAM = '/usr/sbin/haproxy';

/** Debian's haproxy, if it is installed. */
export const findHaproxy = (): string | undefined => (existsSync(PROGRAM) ? PROGRAM : undefined);

/** How haproxy ended a request: its termination state (haproxy's configuration manual, 8.5). */
export interface EndedRequest {
  /** The idle limit of the front it came through, in seconds. */
  idle: number;
  /** The server that answered. */
  server: string;
  /**
   * End of the connection: `--` both sides in order, `sD` the idle limit, `SD` the server went away, `CD` the client
   * did; with `C` or `H` at the end, before the server answered.
   */
  state: string;
  path: string;
  /** To the client, with headers. */
  bytes: number;
}

export interface TestHaproxy {
  /** The address of the front that cuts connections on which nothing has moved for so many seconds. */
  url(idle: number): string;
  /** The requests that have ended, in order. */
  ended(): Promise<EndedRequest[]>;
  pid: number;
  stop(): Promise<void>;
}

interface HaproxyOptions {
  /** By name the addresses of API servers: `127.0.0.1:8443`. */
  servers: Readonly<Record<string, string>>;
  /** A front for each idle limit, in seconds. */
  idle: readonly number[];
  /** PEM: what it shows to clients, with its key, and what it trusts. */
  pem: { certificate: string; key: string; authority: string };
}

/**
 * A haproxy that ends TLS and balances requests over API servers, to which it speaks TLS too. It checks them by `/health/ready`,
 * and tries another one if a connection is refused.
 */
export async function startHaproxy({ servers, idle, pem }: HaproxyOptions, program = findHaproxy()): Promise<TestHaproxy> {
  if (!program) throw new Error('haproxy is not installed: apt-get install haproxy');
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-haproxy-'));
  const at = (name: string) => join(folder, name);
  const ports = new Map((await freePorts(idle.length)).map((port, index) => [idle[index] as number, port]));
  await writeFile(at('shown.pem'), `${await readFile(pem.certificate, 'utf8')}${await readFile(pem.key, 'utf8')}`, { mode: 0o600 });
  const lines = Object.entries(servers).map(([name, address]) => {
    return `  server ${name} ${address} ssl verify required ca-file ${pem.authority} check inter 1s fall 2 rise 1`;
  });
  const fronts = [...ports].map(([seconds, port]) =>
    [
      `listen idle-${seconds}`,
      `  bind 127.0.0.1:${port} ssl crt ${at('shown.pem')} alpn http/1.1`,
      `  timeout client ${seconds}s`,
      `  timeout server ${seconds}s`,
      ...['  option httpchk', '  http-check send meth GET uri /health/ready ver HTTP/1.1 hdr host localhost'],
      ...lines,
    ].join('\n'),
  );
  const config = [
    'global',
    ...['  maxconn 8000', '  log stdout format raw local0', '  tune.ssl.default-dh-param 2048'],
    'defaults',
    ...[
      '  mode http',
      '  log global',
      '  log-format "ended %b %s %ts %HP %B"',
      '  balance roundrobin',
      '  timeout connect 5s',
      '  timeout check 30s',
    ],
    ...['  timeout http-request 10s', '  option redispatch 1', '  retries 3', '  option forwardfor'],
  ];
  await writeFile(at('haproxy.cfg'), `${[...config, ...fronts].join('\n')}\n`);
  const daemon = testDaemon({
    name: 'haproxy',
    command: [program, '-db', '-f', at('haproxy.cfg')],
    log: at('log'),
    ready: async () => (await Promise.all([...ports.values()].map(answers))).every(Boolean),
  });
  await daemon.start();
  return {
    url: (seconds) => `https://127.0.0.1:${ports.get(seconds)}`,
    async ended() {
      const found = (await readFile(at('log'), 'utf8')).matchAll(/^ended idle-(\d+)\S* (\S+) (\S\S)\S* (\S+) (\d+)$/gm);
      return [...found].map(([, seconds, server = '', state = '', path = '', bytes]) => {
        return { idle: Number(seconds), server, state, path, bytes: Number(bytes) };
      });
    },
    get pid() {
      return daemon.pid ?? 0;
    },
    async stop() {
      await daemon.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
