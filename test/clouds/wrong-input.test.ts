import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { provisioning } from '../support/command-line.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoMoto } from './aws/moto.js';
import { ACCOUNTS, type AccountOfTest, type OpenAccount } from './wrong-input.js';

/** Returns a server with all resources that cost something or may remain. */
const definition = (infra: string, provider: string, server: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  JSON.stringify(
    {
      infra,
      provider,
      ...more,
      servers: [
        {
          name: 'web',
          volumes: [{ name: 'data', size: '10 GiB', mount: '/srv' }],
          firewall: [{ allow: 'tcp', ports: 80 }],
          placement: 'apart',
          address: 'reserved',
          ...server,
        },
      ],
    },
    null,
    1,
  );

interface Failed {
  code: number;
  error: {
    step: string;
    on: string;
    why: string;
    hint?: string;
    code: string;
    problems?: { line: number; path: string; message: string; suggestion?: string }[];
  };
  left?: string[];
}

/** Applies a definition that fails. Credentials must never be shown. */
async function failing(engine: TestEngine, file: string, text: string): Promise<Failed> {
  await writeFile(file, text);
  const { code, stdout, stderr } = await provisioning(engine, ['apply', file, '--yes', '--on-failure', 'keep', '--json']);
  for (const [name, value] of Object.entries(engine.env))
    if (/TOKEN|SECRET_ACCESS|PASSWORD/.test(name)) expect(stdout + stderr).not.toContain(value);
  const { status, error, left } = JSON.parse(stdout);
  expect(status).toBe('failed');
  return { code, error, left };
}

/** Returns the line of a key. */
const lineOf = (text: string, key: string): number => text.split('\n').findIndex((line) => line.includes(`"${key}":`)) + 1;

const noMoto = await whyNoMoto();
if (noMoto) console.warn(`left out: aws: ${noMoto}`);
const accounts = ACCOUNTS.filter(({ provider }) => provider !== 'aws' || !noMoto);

/** One engine has all accounts. Faults of one cloud do not affect the others. */
let engine: TestEngine;
const opened = new Map<string, OpenAccount>();
let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrong-'));
  for (const account of accounts) opened.set(account.provider, await account.open());
  const clouds = [...opened.values()].map(({ env }) => env);
  engine = await startTestEngine(Object.assign({}, ...clouds, ...accounts.map(({ wrong }) => wrong)));
});
afterAll(async () => {
  await engine?.stop();
  for (const cloud of opened.values()) await cloud.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(accounts)('wrong input at $provider', (account: AccountOfTest) => {
  const { provider } = account;
  let cloud: OpenAccount;
  beforeAll(() => {
    cloud = opened.get(provider) as OpenAccount;
  });

  const failingHere = (text: string) => failing(engine, join(folder, `${++count}.json`), text);

  /** Matches one problem of the file, at this path and line. */
  const problemAt = (path: string, message: RegExp, suggestion: RegExp) => ({
    path,
    message: expect.stringMatching(message),
    suggestion: expect.stringMatching(suggestion),
  });

  const infraOf = (what: string) => `wrong-${what}-${provider}`;

  describe('credentials', () => {
    test.each(account.credentials)('that are $title', async ({ name, code, why, hint }) => {
      const failed = await failingHere(definition(infraOf(name), `${provider}/${name}`));
      expect([failed.code, failed.error.code]).toEqual([2, code]);
      expect(failed.error.why).toMatch(why);
      expect(failed.error.hint).toMatch(hint);
      expect(await cloud.left()).toEqual([]);
    });
  });

  describe('what is not sold', () => {
    test.each(account.unsold)(
      '$title is a problem of the file, with what may be meant',
      async ({ server, path, message, suggestion }) => {
        const text = definition(infraOf('unsold'), provider, server);
        const failed = await failingHere(text);
        const line = lineOf(text, path.split('.').at(-1) ?? '');
        expect(failed.error).toMatchObject({
          code: 'bad-definition',
          problems: [{ ...problemAt(path, message, suggestion), line }],
        });
        expect(failed.code).toBe(2);
        expect(await cloud.left()).toEqual([]);
      },
    );

    test('an image by an id that is none leaves nothing that is paid for', async () => {
      const infra = infraOf('image');
      const failed = await failingHere(definition(infra, provider, { image: account.image }));
      expect([failed.code, failed.error.code]).toEqual([2, 'unknown-image']);
      expect(failed.error.why + failed.error.on).toContain(account.image);
      expect(failed.error.hint).toMatch(/images|there are/);
      expect(await cloud.paid()).toEqual([]);
      await provisioning(engine, ['delete', infra, '--yes']);
      expect(await cloud.left()).toEqual([]);
    });
  });

  test('a quota that is used up is told with the vendor’s code, and nothing that is paid for is left', async () => {
    const infra = infraOf('quota');
    await cloud.fill(true);
    const failed = await failingHere(definition(infra, provider));
    await cloud.fill(false);
    expect([failed.code, failed.error.code, failed.error.on]).toEqual([2, 'quota-exceeded', 'web']);
    expect(failed.error.why).toMatch(account.quota);
    expect(failed.error.hint).toMatch(/\S/);
    expect(await cloud.paid()).toEqual([]);
    // The network is left, by its name.
    expect(failed.left).toContain(`network ${infra}`);
    await provisioning(engine, ['delete', infra, '--yes']);
    expect(await cloud.left()).toEqual([]);
  });

  test('a name that another infra has is refused before anything is made', async () => {
    const infra = infraOf('taken');
    const chosen = await providers[provider]?.load();
    const connection = await chosen?.connect(chosen.config.parse({}), { env: cloud.env, secret: async () => undefined });
    const scope = { workspace: 'default', infra, uuid: randomUUID() };
    await connection?.networks.create({ name: infra }, { scope, setup: 'another', key: 'theirs' });
    const before = await cloud.left();
    const failed = await failingHere(definition(infra, provider));
    expect([failed.code, failed.error.code]).toEqual([2, 'owned-by-another']);
    expect(failed.error.why).toContain(scope.uuid);
    expect(failed.error.hint).toMatch(/another name/);
    expect(await cloud.left()).toEqual(before);
    await connection?.networks.delete(infra, { scope });
    expect(await cloud.left()).toEqual([]);
  });

  test('networks that overlap are a problem of the file', async () => {
    const networks = [
      { name: 'one', range: '10.99.0.0/16' },
      { name: 'two', range: '10.99.4.0/24' },
    ];
    const servers = networks.map(({ name }) => ({ name: `in-${name}`, network: name }));
    const text = definition(infraOf('overlap'), provider, {}, { networks });
    const failed = await failingHere(text.replace(/"servers": [\s\S]*/, `"servers": ${JSON.stringify(servers)}}`));
    expect(failed.error.problems).toEqual(
      [problemAt('networks[1].range', /10\.99\.4\.0\/24 overlaps/, /another range/)].map((one) => expect.objectContaining(one)),
    );
    expect(await cloud.left()).toEqual([]);
  });
});

test('an API that answers with HTML is one error that says so', { timeout: 900_000 }, async () => {
  const html = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><html><body>Please log in</body></html>');
  }).listen(0, '127.0.0.1');
  await once(html, 'listening');
  const url = `http://127.0.0.1:${(html.address() as AddressInfo).port}`;
  const engine = await startTestEngine(Object.assign({}, ...ACCOUNTS.map(({ at }) => at(url))));
  const folder = await mkdtemp(join(tmpdir(), 'wrong-'));
  try {
    const all = ACCOUNTS.map(async ({ provider, html: { code, why } }) => {
      const failed = await failing(engine, join(folder, `${provider}.json`), definition(`wrong-html-${provider}`, provider));
      expect([provider, failed.code, failed.error.code]).toEqual([provider, 3, code]);
      expect(failed.error.why).toMatch(why);
    });
    await Promise.all(all);
  } finally {
    await engine.stop();
    html.close();
    await rm(folder, { recursive: true });
  }
});
