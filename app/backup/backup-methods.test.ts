import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { BackupInfo } from '../../core/engine/backup.js';
import { homeOf } from '../../home/home.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';
import type { BackupProgram } from './backup-program.js';

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

/** What the program was asked for, in the order of the calls. */
const asked: unknown[][] = [];
const program: BackupProgram = {
  async create({ folder, logs }) {
    asked.push(['create', folder, logs]);
    return { ...infoOf(join(folder, 'new.tar')), complete: false, restore: ['provisioning up'], notes: [] };
  },
  async list(folder) {
    asked.push(['list', folder]);
    return [infoOf(join(folder, 'old.tar')), { file: join(folder, 'x.tar'), problem: 'it is no archive' }];
  },
  async verify(file) {
    asked.push(['verify', file]);
    return { ...infoOf(file), seal: 'authentic', opened: 1, notes: [] };
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
  expect(await backups.create({})).toMatchObject({ name: 'new.tar', complete: false });
  await backups.create({ logs: false });
  expect((await backups.list({})).map(({ name }) => name)).toEqual(['old.tar', 'x.tar']);
  writeFileSync(join(root, 'config.yaml'), 'backup:\n  folder: /mnt/backups\n');
  expect(await backups.verify({ name: 'old.tar' })).toMatchObject({ seal: 'authentic', opened: 1 });
  expect(asked).toEqual([
    ['create', join(root, 'backups'), true],
    ['create', join(root, 'backups'), false],
    ['list', join(root, 'backups')],
    ['verify', '/mnt/backups/old.tar'],
  ]);
});

test.each(['../identity.tar', '/etc/x.tar', '..', 'a/b.tar', '-key.tar', 'keys.json', ''])('%j names no backup', async (name) => {
  await expect(backupsOf().verify({ name })).rejects.toMatchObject(failure('bad-request'));
  expect(asked).toEqual([]);
});

test('making a backup is a right of its own', async () => {
  const may: Principal['may'] = (action) => action === 'backup:read';
  const backups = backupsOf({ principal: { actor: 'eve@desk', may } });
  await backups.list({});
  await expect(backups.create({})).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toHaveLength(1);
});

test('without a worker there is no program', async () => {
  const engine = { stores: {}, beside: { home: homeOf({ PROVISIONING_HOME: root }), env: {} } } as unknown as Engine;
  const { backups } = clientOver({ ...createDispatcher({ engine, principal: createOwner('ann@desk') }), close: async () => {} });
  await expect(backups.list({})).rejects.toMatchObject(failure('no-worker'));
});
