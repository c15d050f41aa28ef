import { expect, test } from 'vitest';
import { absentValues } from '../../core/host/facts.js';
import { FoundFile, type HeldData } from '../../sdk/index.js';
import { appMigrate } from './app-migrate.js';

const config = appMigrate.config.parse({
  name: 'shop',
  migrate: { command: 'node migrate.js' },
  artifact: { url: 'https://example.org/shop.tar', sha256: 'a'.repeat(64) },
  release: 'r1',
});
const host = { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 512 };
const db = (server: string, machine?: string, identity?: string): HeldData => ({
  ...{ taskserv: 'postgres', server },
  ...(machine && { machine }),
  ...(identity && { identity }),
});

/** Whether it migrates, and the note that it leaves. */
function planned(heldData: HeldData[], noted?: string[]) {
  const found = { ...absentValues(appMigrate.facts(config)), noted: noted ?? [] };
  const done = found.done as FoundFile;
  if (noted) Object.assign(found, { done: new FoundFile(done.path, { exists: true, content: 'node migrate.js\n' }) });
  const steps = appMigrate.plan(config, found as never, { host, peers: [], version: '1', heldData });
  const note = steps.find(({ title }) => title.startsWith('Note that'));
  const content = note && 'file' in note ? note.file.content : undefined;
  return { migrates: steps.some(({ title }) => title.startsWith('Migrate to')), content };
}

test('a migration is noted for the data that it changed, and runs again for other data', () => {
  const first = planned([db('db', 'm1')]);
  expect(first).toEqual({ migrates: true, content: 'node migrate.js\ndata postgres db m1\n' });
  expect(planned([db('db', 'm1')], ['postgres db m1']).migrates).toBe(false);
  expect(planned([db('ops', 'm2')], ['postgres db m1'])).toMatchObject({
    migrates: true,
    content: 'node migrate.js\ndata postgres ops m2\n',
  });
  // The server was lost, and another machine has its name.
  expect(planned([db('db', 'm9')], ['postgres db m1']).migrates).toBe(true);
});

test('what the data says of itself decides before server and machine', () => {
  expect(planned([db('db', 'm1', '7501')]).content).toBe('node migrate.js\ndata postgres db m1 is 7501\n');
  const migrates = (data: HeldData, noted: string) => planned([data], [noted]).migrates;
  // It moved to another server; then the same machine began without it.
  expect(migrates(db('ops', 'm2', '7501'), 'postgres db m1 is 7501')).toBe(false);
  expect(migrates(db('db', 'm1', '7999'), 'postgres db m1 is 7501')).toBe(true);
  // The host does not say it, or the note does not.
  expect(migrates(db('db', 'm1'), 'postgres db m1 is 7501')).toBe(false);
  expect(migrates(db('db', 'm9'), 'postgres db m1 is 7501')).toBe(true);
  expect(migrates(db('db', 'm1', '7501'), 'postgres db m1')).toBe(false);
  expect(migrates(db('ops', 'm2', '7501'), 'postgres db m1')).toBe(true);
  // Another service beside it says nothing of this one.
  expect(planned([db('db', 'm1', '7501')], ['mariadb db m1 is 7501', 'postgres db m1']).migrates).toBe(false);
});

test('a note of a former release counts for the data that was there', () => {
  expect(planned([db('db', 'm1')], []).migrates).toBe(false);
  expect(planned([{ ...db('ops', 'm2'), begins: true }], []).migrates).toBe(true);
});

test('without a database in the definition a release is migrated once', () => {
  expect(planned([]).content).toBe('node migrate.js\n');
  expect(planned([], []).migrates).toBe(false);
  expect(planned([], ['postgres db m1']).migrates).toBe(false);
});
