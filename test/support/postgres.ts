import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { testDaemon } from './daemon.js';
import { freePorts } from './free-ports.js';

const ROOT = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. Debian creates this account for it. */
const ACCOUNT = 'postgres';
const USER = 'postgres';

/** Database with its own owner. */
export interface TestDatabase {
  /** URL including the password. */
  url: string;
  urlWithoutPassword: string;
  password: string;
}

export interface TestPostgres {
  port: number;
  user: string;
  password: string;
  /** Creates a database with an owner of the same name. Careless quoting would break its password. */
  database(name: string): Promise<TestDatabase>;
  /** Kills the whole server with kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns Debian's PostgreSQL, if it is installed. */
export function findPostgres(): string | undefined {
  if (!existsSync(ROOT)) return undefined;
  const versions = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(ROOT, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** Starts a separate PostgreSQL on a free port of loopback, with its data in a temporary folder. */
export async function startPostgres(bin = findPostgres()): Promise<TestPostgres> {
  if (!bin) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-pg-'));
  const password = randomBytes(12).toString('hex');
  const account = accountOf();
  await writeFile(join(folder, 'password'), password);
  if (account) {
    await chmod(folder, 0o700);
    for (const path of [folder, join(folder, 'password')]) await chown(path, account.uid, account.gid);
  }
  const as = account
    ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--pdeathsig', 'KILL']
    : [];
  const data = join(folder, 'data');
  const run = (command: readonly string[]) => execa(command[0] ?? '', command.slice(1), { cwd: folder });
  const secured = ['-U', USER, '-A', 'scram-sha-256', '--pwfile', join(folder, 'password')];
  await run([...as, join(bin, 'initdb'), '-D', data, ...secured, '-E', 'UTF8', '--locale=C.UTF-8', '--no-instructions']);
  const [port = 0] = await freePorts(1);
  const ask = async (text: string) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: USER,
      password,
      database: 'postgres',
      connectionTimeoutMillis: 2_000,
    });
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const settings = ['-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const daemon = testDaemon({
    name: 'PostgreSQL',
    command: [...as, join(bin, 'postgres'), '-D', data, ...settings],
    log: join(folder, 'log'),
    ready: () =>
      ask('select 1').then(
        () => true,
        () => false,
      ),
  });
  const start = async () => {
    // After kill -9, former child processes need a moment to detect that they are orphans. Until then, the server
    // refuses to start.
    for (let attempt = 1; ; attempt++) {
      try {
        return await daemon.start();
      } catch (error) {
        if (attempt === 10) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  };
  await start();
  return {
    port,
    user: USER,
    password,
    async database(name) {
      const own = `p ${randomBytes(6).toString('hex')}'@:/?#%`;
      await ask(`create role "${name}" login password ${pg.escapeLiteral(own)}`);
      await ask(`create database "${name}" owner "${name}"`);
      const place = `@127.0.0.1:${port}/${name}`;
      return {
        url: `postgres://${name}:${encodeURIComponent(own)}${place}`,
        urlWithoutPassword: `postgres://${name}${place}`,
        password: own,
      };
    },
    kill: () => daemon.kill('SIGKILL'),
    start,
    async stop() {
      await daemon.kill('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the store with the role and the database that deploy/store.sh creates. */
export async function storeOf({ port, user, password }: TestPostgres): Promise<TestDatabase> {
  const own = `p ${randomBytes(6).toString('hex')}'@:/?#%\\`;
  await storeScript({ port, user, password }, [], { STORE_PASSWORD: own });
  const place = `@127.0.0.1:${port}/provisioning`;
  return {
    url: `postgres://provisioning:${encodeURIComponent(own)}${place}`,
    urlWithoutPassword: `postgres://provisioning${place}`,
    password: own,
  };
}

/**
 * Runs deploy/store.sh as the superuser.
 *
 * @returns its output
 */
export async function storeScript(
  { port, user, password }: Pick<TestPostgres, 'port' | 'user' | 'password'>,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<string> {
  const env = { PATH: process.env.PATH, PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: user, PGPASSWORD: password, ...more };
  const script = join(import.meta.dirname, '../../deploy/store.sh');
  return (await execa('sh', [script, ...args], { env, extendEnv: false })).stdout;
}

function accountOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, ACCOUNT], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
