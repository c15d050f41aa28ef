import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ensureKey } from '../../../encryption/keys.js';
import { type Home, homeOf } from '../../../home/home.js';
import { ensureEngineIdentity, rememberPorts } from '../identity.js';
import { stateFile } from '../state-file.js';
import { createBackup, createSealingWriter, eitherRan } from './create.js';
import { draftOf, useDrafts } from './drafts.js';
import { settingsWith } from './home-files.js';

const quiet = () => {};

describe('a backup', () => {
  let home: Home;
  let file: string;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'create-'));
    home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
    file = join(folder, 'one.tar');
    mkdirSync(home.engine, { recursive: true, mode: 0o700 });
    await ensureKey({ folder: home.encryption, env: { HOME: home.root }, setUp: async () => 'cafe' });
  });
  afterEach(() => rmSync(join(home.root, '..'), { recursive: true }));
  const create = (env: NodeJS.ProcessEnv = {}) => createBackup(home, { out: file, env: { HOME: home.root, ...env } }, quiet);

  test('is refused where there is a database of which nobody knows what made it', async () => {
    await ensureEngineIdentity(home);
    writeFileSync(stateFile(home), 'SQLite format 3\0 and the rest');
    await expect(create()).rejects.toMatchObject({ details: { code: 'engine-file-version' } });
    expect(readdirSync(join(home.root, '..'))).toEqual(['home']);
  });

  test('is of a set-up whose identity lies where a former version had it', async () => {
    writeFileSync(join(home.engine, 'identity.json'), '{"id":"cafe"}');
    expect(await create()).toMatchObject({ setup: 'cafe', engine: { kind: 'none' } });
  });

  test("has the home's own data where the address that is configured is the home's, while that rests", async () => {
    await rememberPorts(home, { grpc: 20_001, ui: 20_002, http: 20_003, metrics: 20_004 });
    expect((await create({ TEMPORAL_ADDRESS: 'localhost:20001' })).engine).toEqual({ kind: 'none' });
    rmSync(file);
    const elsewhere = { kind: 'configured', address: 'localhost:7233' };
    expect((await create({ TEMPORAL_ADDRESS: elsewhere.address })).engine).toEqual(elsewhere);
  });

  test('says which files of the home are links, and are not in it', async () => {
    await ensureEngineIdentity(home);
    symlinkSync('/etc/hostname', join(home.root, 'service.env'));
    writeFileSync(join(home.engine, 'sealed'), '');
    const { contents, notes } = await create();
    expect(contents.file?.count).toBe(1);
    expect(notes.filter((note) => note.startsWith('service.env'))).toHaveLength(1);
  });

  test('takes the drafts away that a killed one left, and its own when it is told to end', async () => {
    await ensureEngineIdentity(home);
    const dead = 2 ** 22 + 1;
    for (const name of [`one.tar.${dead}.part`, `one.tar.${dead}.db`, `two.tar.${dead}.db`, `one.tar.${process.ppid}.part`])
      writeFileSync(join(home.root, '..', name), '');
    await create();
    const kept = ['home', 'one.tar', `one.tar.${process.ppid}.part`, `two.tar.${dead}.db`];
    expect(readdirSync(join(home.root, '..')).sort()).toEqual(kept.sort());

    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
    try {
      await useDrafts(file, 'cafe-', async () => {
        for (const kind of ['part', 'db'] as const) writeFileSync(draftOf(file, kind), '');
        process.emit('SIGTERM', 'SIGTERM');
        expect(readdirSync(join(home.root, '..')).sort()).toEqual(kept);
      });
      expect(exit.mock.calls).toEqual([[143]]);
    } finally {
      exit.mockRestore();
    }
  });
});

test('what ran before the copy or after it may run in it; where one is not known, neither is', () => {
  const ran = (...operations: string[]) => ({ infras: operations.length, operations });
  expect(eitherRan(ran('a', 'b'), ran('b', 'c', 'd'))).toEqual({ infras: 3, operations: ['a', 'b', 'c', 'd'] });
  expect([eitherRan(undefined, ran('a')), eitherRan(ran('a'), undefined)]).toEqual([undefined, undefined]);
});

test('a list that would be too long is refused while it grows', async () => {
  const archive = { bytes: async () => ({ size: 1, sha256: 'a'.repeat(64) }), file: async () => ({ size: 1, sha256: '' }) };
  const entries: never[] = [];
  const { add } = createSealingWriter(archive, 'id', {} as never, entries, quiet, 500);
  for (const name of ['a', 'b']) await add('payload', [name], Buffer.alloc(1));
  await expect(add('payload', ['c'.repeat(100)], Buffer.alloc(1))).rejects.toMatchObject({ details: { code: 'backup-too-large' } });
});

test('settings for another store have neither the former one nor the file of its password', async () => {
  const text = 'store: postgres://a@b/c\nstorePasswordFile: /etc/secret\ntaskQueue: q\n';
  expect(await settingsWith('settings.yaml', text, 'postgres://d@e/f')).toBe('taskQueue: q\nstore: postgres://d@e/f\n');
  expect(await settingsWith('settings.yaml', text, 'files')).toBe('taskQueue: q\n');
  expect(await settingsWith('settings.yaml', text, undefined)).toBe(text);
  const layered = 'engine:\n  taskQueue: q # ours\nstore:\n  url: postgres://a@b/c\n  passwordFile: /p\n';
  expect(await settingsWith('config.yaml', layered, 'files')).toBe('engine:\n  taskQueue: q # ours\n');
  expect(await settingsWith('config.toml', '[store]\nurl = "postgres://a@b/c"\n', 'postgres://d@e/f')).toBe(
    '[store]\nurl = "postgres://d@e/f"\n',
  );
  expect(JSON.parse(await settingsWith('config.json', '', 'postgres://d@e/f'))).toEqual({ store: { url: 'postgres://d@e/f' } });
});
