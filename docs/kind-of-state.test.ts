import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Home } from '../home/home.js';
import { createSealer } from '../stores/files/sealer.js';
import { homeRows, type RowDeclarations } from '../stores/rows/open-rows.js';
import type { Rows } from '../stores/rows.js';
import { storeHomes } from '../test/contracts/store/homes.js';
import { follow, instructionsIn } from '../test/guides/follow.js';
import { brokenImports } from '../test/guides/imports.js';

const here = resolve(import.meta.dirname, '..');
const root = mkdtempSync(join(tmpdir(), 'kind-of-state-'));
const homes = await storeHomes();
afterAll(async () => {
  rmSync(root, { recursive: true });
  await homes.remove();
});

const edits = instructionsIn(readFileSync(join(here, 'docs/extend/add-a-kind-of-state.md'), 'utf8')).filter(
  (one) => one.kind === 'edit',
);
const note = { workspace: 'default', infra: 'shop', author: 'ada', text: 'the certificate is renewed by hand' };

interface Notes {
  writeNote(rows: Rows, written: typeof note): Promise<void>;
  readNote(rows: Rows, place: { workspace: string; infra: string }): Promise<typeof note | undefined>;
  listNotes(rows: Rows, author: string): Promise<(typeof note)[]>;
}
let notes: Notes;
let declared: RowDeclarations;

beforeAll(async () => {
  // Modules of the folders that the guide edits are copies; all else is a link to the source itself.
  for (const folder of ['stores/rows', 'app/infra']) {
    mkdirSync(join(root, folder), { recursive: true });
    cpSync(join(here, folder), join(root, folder), { recursive: true });
  }
  for (const folder of ['stores', 'app', '.'])
    for (const entry of readdirSync(join(here, folder)))
      if (!readdirSync(join(root, folder)).includes(entry)) symlinkSync(join(here, folder, entry), join(root, folder, entry));
  for (const edit of edits) await follow(edit, root);
  notes = await import(join(root, 'app/infra/notes.ts'));
  const { COLLECTIONS: collections } = await import(join(root, 'stores/rows/collections.ts'));
  const { ROW_MIGRATIONS: migrations } = await import(join(root, 'stores/rows/migrations.ts'));
  declared = { collections, migrations };
});

const open = (home: Home) => homeRows(home, createSealer(home, {}), declared);

test('a new kind of state is one declaration, its line and its step, and the module that uses it', () => {
  expect(edits.map(({ path }) => path)).toEqual([
    'stores/rows/infra-notes.ts',
    'stores/rows/collections.ts',
    'stores/rows/migrations.ts',
    'app/infra/notes.ts',
  ]);
  expect(
    brokenImports(
      root,
      edits.map(({ path }) => join(root, path)),
    ),
  ).toEqual([]);
});

test('what was written is there after the home is opened again, and goes to another store with all else', async () => {
  const [home, other] = await Promise.all([homes.named('first'), homes.named('other')]);
  const first = open(home);
  await notes.writeNote(await first.rows(), { ...note, text: 'replaced' });
  await notes.writeNote(await first.rows(), note);
  await first.close();

  const again = open(home);
  const there = open(other);
  try {
    const rows = await again.rows();
    expect(await notes.readNote(rows, note)).toEqual(note);
    expect(await notes.readNote(rows, { ...note, infra: 'blog' })).toBeUndefined();
    expect([await notes.listNotes(rows, 'ada'), await notes.listNotes(rows, 'bob')]).toEqual([[note], []]);
    for await (const { name, bytes } of rows.read()) await (await there.rows()).write(name, bytes);
    expect(await notes.readNote(await there.rows(), note)).toEqual(note);
  } finally {
    await Promise.all([again.close(), there.close()]);
  }
});
