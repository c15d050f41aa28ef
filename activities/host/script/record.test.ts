import { createSecretKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCipher } from '../../../encryption/cipher.js';
import { activityEnvironment } from '../../../test/support/activity-environment.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { ownerMark } from '../host-mark.js';
import { executeSteps, undoSteps } from '../journal/execute.js';
import type { Sealer } from '../journal/sealed-journal.js';
import type { Transport } from '../transport.js';
import { claim, createProof, keepProof } from './owner.js';
import { readRecord, servicesIn } from './record.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const sealerOf = (secret: number): Sealer => {
  const key = { id: `key-${secret}`, secret: createSecretKey(Buffer.alloc(32, secret)), source: 'the test' };
  const keyring = { current: () => key, find: () => key, list: () => [key], refresh: async () => {} };
  return createCipher(keyring as never);
};

describe.skipIf(!mayMount)('what a host says of itself', () => {
  let folder: string;
  let state: string;
  let transport: Transport;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-'));
    ({ state, host: transport } = journalHost(folder));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const ours = sealerOf(1);
  const hostOf = (server = 'box', of = scope) => ({ scope: of, server, open: async () => ({ ...transport, close() {} }) });
  const within = <T>(work: () => Promise<T>): Promise<T> => activityEnvironment().run(work);
  const read = (sealer = ours, server = 'box') => within(() => readRecord(hostOf(server), sealer));
  const jobOf = (operation: string, taskserv: string) => ({ scope, server: 'box', operation, taskserv, generation: 1 });
  const work = (operation: string, taskserv: string, brings?: Parameters<typeof executeSteps>[1]['brings'], run = 'true') =>
    executeSteps(
      transport,
      {
        ...jobOf(operation, taskserv),
        ...(brings && { brings }),
        owner: ownerMark(scope),
        proof: keepProof(createProof(ours, scope, 'box')),
        steps: [{ title: 'a step', run, undo: 'true' }],
        sealer: ours,
        reveal: String,
      },
      () => {},
    );
  /** Journals are a while apart: their times are those of files. */
  const since = (operation: string, seconds: number) => {
    const journal = join(state, 'operations', operation);
    for (const name of readdirSync(journal, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(journal, name), 1_000_000 + seconds, 1_000_000 + seconds);
  };

  test('is whose it is alone where its journals say more than is taken', async () => {
    const journals = (count: number) =>
      Array.from({ length: count }, (_, index) => `T 1000.0 operations/op-${index}/nginx/1/steps`).join('\n');
    const saying = (text: string): typeof transport => ({
      exec: async () => ({
        stdout: `O ${Buffer.from('u-1 default shop').toString('base64')}\nJ\n${text}\nE\n`,
        stderr: '',
        exit: 0,
      }),
    });
    const read = (text: string) =>
      within(() => readRecord({ ...hostOf(), open: async () => ({ ...saying(text), close() {} }) }, ours));
    const mark = { ...scope, proven: false };
    expect(await read(`${journals(3)}\n`)).toMatchObject({ mark, services: [{ taskserv: 'nginx', operation: 'op-2' }] });
    expect(await read(`${journals(250_000).slice(0, 8 * 1024 * 1024)}\n`)).toEqual({ mark, services: [] });
  });

  test('is nothing where nobody was', async () => {
    expect(await read()).toEqual({ services: [] });
  });

  test('is a mark that this set-up proves, for this server and this life alone', async () => {
    await within(() => claim(hostOf(), ours));
    expect(await read()).toEqual({ mark: { ...scope, proven: true }, services: [] });
    expect(statSync(join(state, 'owner.sealed')).mode & 0o777).toBe(0o600);
    expect((await read(sealerOf(2))).mark).toEqual({ ...scope, proven: false });
    expect((await read(ours, 'other')).mark?.proven).toBe(false);
    writeFileSync(join(state, 'owner'), 'u-2 default shop\n');
    expect((await read()).mark).toEqual({ ...scope, uuid: 'u-2', proven: false });
    // The first one stays, and has its own proof.
    const second = { ...scope, uuid: 'u-3' };
    const proof = readFileSync(join(state, 'owner.sealed'), 'utf8');
    await expect(within(() => claim(hostOf('box', second), ours))).rejects.toMatchObject({
      details: { code: 'host-managed-by-another' },
    });
    expect(readFileSync(join(state, 'owner.sealed'), 'utf8')).toBe(proof);
    rmSync(join(state, 'owner.sealed'));
    writeFileSync(join(state, 'owner'), `${'x'.repeat(1_000)}\n`);
    expect((await read()).mark).toMatchObject({ uuid: 'unreadable', proven: false });
  });

  test('is of each service what stands there', async () => {
    await work('op-1', 'redis', { version: '7', config: 'abc' });
    since('op-1', 1);
    await work('op-2', 'redis', { version: '8', config: 'def' });
    since('op-2', 2);
    expect(await read()).toMatchObject({
      mark: { ...scope, proven: true },
      services: [{ taskserv: 'redis', operation: 'op-2', version: '8', config: 'def', outcome: 'done' }],
    });
    await undoSteps(
      transport,
      { ...jobOf('op-2', 'redis'), steps: [{ title: 'a step', run: 'true', undo: 'true' }], opened: [] },
      () => {},
    );
    await work('op-3', 'nginx', { version: '1', config: 'ghi' }, 'false');
    await work('op-4', 'volumes');
    const { services } = await read();
    expect(services.map(({ at: _, ...rest }) => rest)).toEqual([
      { taskserv: 'nginx', operation: 'op-3', outcome: 'failed', version: '1', config: 'ghi' },
      { taskserv: 'redis', operation: 'op-1', outcome: 'done', version: '7', config: 'abc' },
    ]);
    expect(services[1]?.at).toBe(new Date(1_000_001_000).toISOString());
    await work('op-5', 'redis', { removed: true });
    expect((await read()).services[1]).toMatchObject({ taskserv: 'redis', operation: 'op-5', removed: true });
  });

  test('is at most so much, whatever root there has written', async () => {
    const journal = join(state, 'operations/op-1/redis/1');
    mkdirSync(join(journal, 'files'), { recursive: true });
    writeFileSync(join(journal, 'end'), 'ok\n');
    writeFileSync(join(journal, 'files/brings'), JSON.stringify({ version: '\u001b[2J7', config: { of: 'another' } }));
    mkdirSync(join(state, 'operations/op 2\nO bm90/redis/1'), { recursive: true });
    writeFileSync(join(state, 'operations/op 2\nO bm90/redis/1/end'), 'ok\n');
    const { mark, services } = await read();
    expect(mark).toBeUndefined();
    expect(services).toMatchObject([{ taskserv: 'redis', operation: 'op-1', outcome: 'done' }]);
    expect([services[0]?.version, services[0]?.config]).toEqual([undefined, undefined]);
  });
});

test('one of several services is known by its whole name', () => {
  const lines = ['T 12 operations/op/app@shop/1/end', 'C operations/op/app@shop/1/end:ok', 'T 12 operations/op/app@..x/1/end'];
  expect(servicesIn(lines)).toMatchObject([{ taskserv: 'app@shop', operation: 'op', outcome: 'done' }]);
});

test('times and endings that nobody can have written are not believed', () => {
  const lines = [
    'T 99999999999999 operations/a/redis/1/end',
    'T 12 operations/b/redis/1/end',
    'C operations/b/redis/1/end:constructor',
  ];
  expect(servicesIn(lines)).toEqual([{ taskserv: 'redis', operation: 'b', at: '1970-01-01T00:00:12.000Z', outcome: 'unended' }]);
});
