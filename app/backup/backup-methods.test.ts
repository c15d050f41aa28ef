import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { BackupInfo } from '../../core/engine/backup.js';
import type { ProgressReport } from '../../core/report.js';
import { homeOf } from '../../home/home.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';
import type { BackupProgram } from './backup-program.js';
import { streamReports, type WorkEvent } from './stream-reports.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'backup-methods-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

const infoOf = (file: string): BackupInfo => ({
  ...{ file, bytes: 10, id: 'i', created: '2026-11-29T00:00:00.000Z', setup: 's', key: 'k', store: 'files' },
  engine: { kind: 'own', line: '1.31' },
  contents: { log: { count: 1, bytes: 9 } },
});

/** Calls of the backup program, in order. */
const asked: unknown[][] = [];

/** The result of work, after its reports. */
async function resultOf<T>(events: AsyncIterable<WorkEvent<T>>, reports: unknown[] = []): Promise<T> {
  for await (const event of events) {
    if ('result' in event) return event.result;
    reports.push(event.report);
  }
  throw new Error('no result');
}

const program: BackupProgram = {
  async create({ file, folder, logs }, { report }) {
    asked.push(['create', file ?? folder, logs]);
    report({ task: 'backup', text: 'half', fraction: 0.5, state: 'running' });
    return { ...infoOf(file ?? join(folder, 'new.tar')), complete: false, restore: ['provisioning up'], notes: [] };
  },
  async list(folder) {
    asked.push(['list', folder]);
    return [infoOf(join(folder, 'old.tar')), { file: join(folder, 'x.tar'), problem: 'it is no archive' }];
  },
  async verify(file) {
    asked.push(['verify', file]);
    return { ...infoOf(file), seal: 'authentic', opened: 1, notes: [] };
  },
  async sweep({ check, graceHours }) {
    asked.push(['sweep', check, graceHours]);
    const none = { count: 0, bytes: 0 };
    return { removed: !check, histories: 1, stored: none, garbage: none, young: none, foreign: none, missing: [] };
  },
};

function backupsOf({ principal = createOwner('ann@desk') as Principal } = {}) {
  asked.length = 0;
  const beside = { home: homeOf({ PROVISIONING_HOME: root }), env: {} };
  const engine = { stores: {}, beside, backups: program } as unknown as Engine;
  return clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} }).backups;
}

test('backups are made, listed and verified in the folder of the home, or in that of the settings', async () => {
  const backups = backupsOf();
  const reports: unknown[] = [];
  expect(await resultOf(backups.create({}), reports)).toMatchObject({ name: 'new.tar', complete: false });
  expect(reports).toEqual([{ task: 'backup', text: 'half', fraction: 0.5, state: 'running' }]);
  await resultOf(backups.create({ logs: false }));
  expect((await backups.list({})).map(({ name }) => name)).toEqual(['old.tar', 'x.tar']);
  writeFileSync(join(root, 'config.yaml'), 'backup:\n  folder: /mnt/backups\n');
  expect(await resultOf(backups.verify({ name: 'old.tar' }))).toMatchObject({ seal: 'authentic', opened: 1 });
  expect(asked).toEqual([
    ['create', join(root, 'backups'), true],
    ['create', join(root, 'backups'), false],
    ['list', join(root, 'backups')],
    ['verify', '/mnt/backups/old.tar'],
  ]);
});

test.each(['../identity.tar', '/etc/x.tar', '..', 'a/b.tar', '-key.tar', 'keys.json', ''])('%j names no backup', async (name) => {
  await expect(resultOf(backupsOf().verify({ name }))).rejects.toMatchObject(failure('bad-request'));
  expect(asked).toEqual([]);
});

test('paths of the caller are absolute, and a right of their own', async () => {
  const backups = backupsOf();
  await resultOf(backups.create({ file: '/mnt/b/x.tar' }));
  await resultOf(backups.create({ folder: '/mnt/b' }));
  await backups.list({ folder: '/mnt/b' });
  await resultOf(backups.verify({ file: '/mnt/b/x.tar' }));
  expect(asked).toEqual([
    ['create', '/mnt/b/x.tar', true],
    ['create', '/mnt/b', true],
    ['list', '/mnt/b'],
    ['verify', '/mnt/b/x.tar'],
  ]);
  const all = (client: typeof backups) => [
    () => resultOf(client.create({ file: '/mnt/x.tar' })),
    () => resultOf(client.create({ folder: '/mnt' })),
    () => client.list({ folder: '/mnt' }),
    () => resultOf(client.verify({ file: '/mnt/x.tar' })),
  ];
  const may: Principal['may'] = (action) => action === 'backup:read' || action === 'backup:create';
  for (const call of all(backupsOf({ principal: { actor: 'eve@desk', may } })))
    await expect(call()).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([]);
  await expect(backups.list({ folder: 'relative' })).rejects.toMatchObject(failure('bad-request'));
  await expect(resultOf(backups.create({ file: '../x.tar' }))).rejects.toMatchObject(failure('bad-request'));
});

test('a reader that goes away stops the work', async () => {
  let stopped: AbortSignal | undefined;
  const work = async ({ report, signal }: { report: (one: ProgressReport) => void; signal: AbortSignal }) => {
    stopped = signal;
    report({ task: 't', text: 'x', state: 'running' });
    return new Promise<never>(() => {});
  };
  for await (const _ of streamReports(work)) break;
  expect(stopped?.aborted).toBe(true);
  const failed = streamReports(() => Promise.reject(new Error('no space')));
  await expect(resultOf(failed)).rejects.toThrow('no space');
});

test('making a backup is a right of its own', async () => {
  const may: Principal['may'] = (action) => action === 'backup:read';
  const backups = backupsOf({ principal: { actor: 'eve@desk', may } });
  await backups.list({});
  await expect(resultOf(backups.create({}))).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toHaveLength(1);
});

test('a count of unused payloads is a look, and their removal a right of its own', async () => {
  const may: Principal['may'] = (action) => action === 'backup:read';
  const backups = backupsOf({ principal: { actor: 'eve@desk', may } });
  expect(await resultOf(backups.sweep({ check: true, graceHours: 2 }))).toMatchObject({ removed: false });
  await expect(resultOf(backups.sweep({}))).rejects.toMatchObject(failure('forbidden'));
  expect(await resultOf(backupsOf().sweep({}))).toMatchObject({ removed: true });
  expect(asked).toEqual([['sweep', false, undefined]]);
  await expect(resultOf(backups.sweep({ graceHours: 0 }))).rejects.toMatchObject(failure('bad-request'));
});

test('without a worker there is no program', async () => {
  const engine = { stores: {}, beside: { home: homeOf({ PROVISIONING_HOME: root }), env: {} } } as unknown as Engine;
  const { backups } = clientOver({ ...createDispatcher({ engine, principal: createOwner('ann@desk') }), close: async () => {} });
  await expect(backups.list({})).rejects.toMatchObject(failure('no-worker'));
});
