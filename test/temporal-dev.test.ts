import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_NAMESPACE, SEARCH_ATTRIBUTES } from '../core/names.js';
import { storeAddress } from '../stores/postgres/address.js';
import { parseServeOptions } from '../workers/api/serve-options.js';

const root = join(import.meta.dirname, '..');
const file = join(root, 'temporal-dev.yml');
const compose = [['docker-compose'], ['docker', 'compose']].find(
  ([command = '', ...args]) => spawnSync(command, [...args, 'version']).status === 0,
);
if (!compose) console.warn('skipped: Compose is not installed, so temporal-dev.yml is not validated by it');

test.skipIf(!compose)('Compose accepts the file, and asks for the passwords and for pinned images', () => {
  const [command = '', ...args] = compose ?? [];
  const validate = (env: NodeJS.ProcessEnv) => spawnSync(command, [...args, '-f', file, 'config'], { env, encoding: 'utf8' });
  const {
    POSTGRES_PASSWORD: _,
    STORE_PASSWORD: __,
    PROVISIONING_ENCRYPTION_KEY: ___,
    UNPINNED_IMAGES: ____,
    ...without
  } = process.env;
  const wanted = {
    POSTGRES_PASSWORD: 'only for the test',
    STORE_PASSWORD: 'only for the test',
    PROVISIONING_ENCRYPTION_KEY: 'only for the test',
    UNPINNED_IMAGES: '',
  };
  const good = validate({ ...without, ...wanted });
  expect(good.stderr).not.toContain('ERROR');
  expect(good.status).toBe(0);
  // Compose's former command line lists services of profiles too.
  const listed = Object.keys(parse(good.stdout).services).filter((name) => name !== 'ui');
  expect(listed.sort()).toEqual(['api', 'namespace', 'postgres', 'schema', 'store', 'temporal', 'worker']);
  for (const missing of Object.keys(wanted)) {
    const bad = validate({ ...without, ...wanted, [missing]: undefined });
    expect(bad.status).not.toBe(0);
    expect(bad.stderr).toContain(missing);
  }
});

test('every image is pinned, and the namespace is the one of core/names.ts', () => {
  const { services } = parse(readFileSync(file, 'utf8')) as {
    services: Record<string, { image: string; build?: unknown; environment?: Record<string, string> }>;
  };
  for (const { image, build } of Object.values(services)) if (!build) expect(image).toMatch(/:\d+\.\d+/);
  expect(services.namespace?.environment?.NAMESPACE).toBe(DEFAULT_NAMESPACE);
  expect(services.worker?.environment?.TEMPORAL_NAMESPACE).toBe(DEFAULT_NAMESPACE);
});

test('the workers get a store and a key, and its password nowhere but in the environment', () => {
  const { services } = parse(readFileSync(file, 'utf8')) as { services: Record<string, { environment?: Record<string, string> }> };
  const { PROVISIONING_STORE = '', PGPASSWORD, ...rest } = services.worker?.environment ?? {};
  const { name } = storeAddress(PROVISIONING_STORE, {});
  expect(name).toBe(PROVISIONING_STORE);
  // Uses neither the superuser of PostgreSQL nor its password.
  const { username, pathname } = new URL(PROVISIONING_STORE);
  expect([username, pathname]).toEqual(['provisioning', '/provisioning']);
  expect(username).not.toBe(services.postgres?.environment?.POSTGRES_USER);
  expect(PGPASSWORD).toMatch(/^\$\{STORE_PASSWORD:/);
  expect(JSON.stringify(services.worker)).not.toContain('POSTGRES_PASSWORD');
  expect(rest.PROVISIONING_ENCRYPTION_KEY).toContain('PROVISIONING_ENCRYPTION_KEY');
  // The task queue depends on the store: a fixed name would separate the two.
  expect(rest).not.toHaveProperty('PROVISIONING_TASK_QUEUE');
});

test('the API server is started with options that it takes, and with what the workers have', () => {
  const { services } = parse(readFileSync(file, 'utf8')) as {
    services: Record<string, { environment?: Record<string, string>; command?: string[]; ports?: string[]; image?: string }>;
  };
  const { api, worker } = services;
  expect(api?.image).toBe(worker?.image);
  expect(api?.environment).toMatchObject(worker?.environment ?? {});
  // The shell of the container expands the arguments.
  const line = (api?.command?.[2] ?? '')
    .replaceAll('$$', '$')
    .replace(/^.*exec node --enable-source-maps dist\/serve\.js/s, 'printf "%s\\n"');
  const words = execFileSync('sh', ['-c', line], { env: { API_HOST_NAME: 'api.example.org' }, encoding: 'utf8' });
  expect(parseServeOptions(words.trimEnd().split('\n'))).toMatchObject({
    address: { host: '0.0.0.0', port: 8443 },
    hostNames: ['api.example.org'],
    files: { certificate: '/certificates/server.pem', key: '/certificates/server.key' },
  });
  expect(api?.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
});

test('Temporal asks for a certificate, and whoever calls it has one', () => {
  const { services } = parse(readFileSync(file, 'utf8')) as {
    services: Record<string, { environment?: Record<string, string>; volumes?: string[]; profiles?: string[] }>;
  };
  expect(services.temporal?.environment).toMatchObject({ TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true', FRONTEND_HTTP_PORT: '0' });
  // The server's folder contains no key of an authority, and each other service sees only its own folder.
  const seen = (name: string) => services[name]?.volumes?.filter((volume) => volume.endsWith(':/certificates:ro'));
  for (const [name, folder] of [['temporal', 'server'], ['worker'], ['api'], ['namespace'], ['ui']]) {
    expect(seen(name ?? '')).toEqual([`\${PROVISIONING_CERTIFICATES:-./certificates}/${folder ?? name}:/certificates:ro`]);
  }
  for (const name of ['worker', 'api', 'namespace']) {
    expect(services[name]?.environment).toMatchObject({
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/certificates/ca.pem',
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/certificates/client.pem',
      TEMPORAL_TLS_CLIENT_KEY_PATH: '/certificates/client.key',
    });
  }
  // The Web UI has no authentication.
  expect(services.ui?.profiles).toEqual(['ui']);
  expect(services.ui?.environment).toMatchObject({ TEMPORAL_DISABLE_WRITE_ACTIONS: 'true' });
});

test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
  'the script of the certificates keeps what is there, and what it keeps to itself',
  () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'certificates-')), 'c');
    const make = () => execFileSync('sh', [join(root, 'deploy/certificates.sh'), folder, 'ann'], { stdio: 'pipe' });
    make();
    const files = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [path, readFileSync(path, 'utf8')]);
    const before = files();
    make();
    expect(files()).toEqual(before);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'authority')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'server')).sort()).toEqual(['clients.pem', 'server.key', 'server.pem', 'servers.pem']);
    const verified = (authority: string, path: string) =>
      spawnSync('openssl', ['verify', '-CAfile', join(folder, 'authority', authority), join(folder, path)]).status === 0;
    expect(verified('clients.pem', 'ann/client.pem')).toBe(true);
    // The certificate is for the name in the health check and at the published port.
    expect(verified('api.pem', 'api/server.pem')).toBe(true);
    expect(verified('servers.pem', 'api/server.pem')).toBe(false);
    // A client certificate is not valid for a part of the server.
    expect(verified('servers.pem', 'ann/client.pem')).toBe(false);
    rmSync(folder, { recursive: true });
  },
);

test('the script of the namespace makes the very search attributes of core/names.ts', () => {
  const script = readFileSync(join(root, 'deploy/namespace.sh'), 'utf8');
  // A stub of the CLI prints its arguments.
  const stub = 'temporal() { echo "$*"; }\n';
  const said = execFileSync('sh', ['-c', stub + script], { env: { NAMESPACE: 'n', PATH: process.env.PATH }, encoding: 'utf8' });
  const made = [...said.matchAll(/--name (\w+) --type Keyword/g)].map((match) => match[1]);
  expect(made.sort()).toEqual(Object.values(SEARCH_ATTRIBUTES).sort());
});
