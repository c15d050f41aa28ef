import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_NAMESPACE, SEARCH_ATTRIBUTES } from '../core/names.js';
import { storeAddress } from '../stores/postgres/address.js';

const root = join(import.meta.dirname, '..');
const file = join(root, 'temporal-dev.yml');
const compose = [['docker-compose'], ['docker', 'compose']].find(
  ([command = '', ...args]) => spawnSync(command, [...args, 'version']).status === 0,
);
if (!compose) console.warn('skipped: Compose is not installed, so temporal-dev.yml is not validated by it');

test.skipIf(!compose)('Compose accepts the file, and asks for the password', () => {
  const [command = '', ...args] = compose ?? [];
  const validate = (env: NodeJS.ProcessEnv) => spawnSync(command, [...args, '-f', file, 'config'], { env, encoding: 'utf8' });
  const { POSTGRES_PASSWORD: _, PROVISIONING_ENCRYPTION_KEY: __, ...without } = process.env;
  const wanted = { POSTGRES_PASSWORD: 'only for the test', PROVISIONING_ENCRYPTION_KEY: 'only for the test' };
  const good = validate({ ...without, ...wanted });
  expect(good.stderr).not.toContain('ERROR');
  expect(good.status).toBe(0);
  expect(Object.keys(parse(good.stdout).services).sort()).toEqual(['namespace', 'postgres', 'schema', 'temporal', 'ui', 'worker']);
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
  expect(new URL(PROVISIONING_STORE).pathname).toBe(`/${services.postgres?.environment?.POSTGRES_DB}`);
  expect(PGPASSWORD).toContain('POSTGRES_PASSWORD');
  expect(rest.PROVISIONING_ENCRYPTION_KEY).toContain('PROVISIONING_ENCRYPTION_KEY');
  // The queue goes with the store: a fixed one would part the two.
  expect(rest).not.toHaveProperty('PROVISIONING_TASK_QUEUE');
});

test('the script of the namespace makes the very search attributes of core/names.ts', () => {
  const script = readFileSync(join(root, 'deploy/namespace.sh'), 'utf8');
  // A stand-in for the CLI prints what it is asked to do.
  const stub = 'temporal() { echo "$*"; }\n';
  const said = execFileSync('sh', ['-c', stub + script], { env: { NAMESPACE: 'n', PATH: process.env.PATH }, encoding: 'utf8' });
  const made = [...said.matchAll(/--name (\w+) --type Keyword/g)].map((match) => match[1]);
  expect(made.sort()).toEqual(Object.values(SEARCH_ATTRIBUTES).sort());
});
