import { describe, expect, test } from 'vitest';
import type { BackupInfo } from '../../../core/engine/backup.js';
import { RECORD_KINDS } from '../../../stores/records.js';
import { backupListText, backupText, renderRestored, sealRow, sweepText } from './backup.js';

const cells = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));
/** Colors as words. */
const painted = (colour: string, text: string) => (colour === 'dim' ? text : `${colour}(${text})`);

const info: BackupInfo = {
  file: '/backups/monday.tar',
  bytes: 3 * 1024 * 1024,
  id: 'b1',
  created: '2026-01-05T08:00:00.000Z',
  setup: 'setup-1',
  key: 'k1',
  engine: { kind: 'own', line: '1.31' },
  store: 'files',
  infras: 2,
  operations: 1,
  contents: { engine: { count: 1, bytes: 2048 }, feed: { count: 2, bytes: 512 } },
};
const text = (more: Partial<BackupInfo> = {}, rows: [string, string][] = [], notes: string[] = []) =>
  backupText({ ...info, ...more, notes }, rows, painted);
const rowOf = (title: string, more: Partial<BackupInfo>) => cells(text(more)).find(([first]) => first === title)?.[1];

describe('a backup', () => {
  test('says what it is, what it needs and what it has, and last what a person should know', () => {
    expect(cells(text({}, [['seal', 'not proven']], ['keep the key']))).toEqual([
      ['backup', '/backups/monday.tar (3 MiB)'],
      ['made', '2026-01-05T08:00:00.000Z, of the set-up setup-1: 2 infras, 1 operations at work'],
      ['key', 'k1, not in it'],
      ['engine', 'Temporal 1.31, its database'],
      ['store', 'files'],
      ['has', '1 database (2 KiB), 2 feeds (512 B)'],
      ['seal', 'not proven'],
      ['yellow(note:) keep the key'],
      [''],
    ]);
  });

  test.each([
    ['made', { operations: 0 }, '2026-01-05T08:00:00.000Z, of the set-up setup-1: 2 infras'],
    ['made', { infras: undefined, operations: undefined }, '2026-01-05T08:00:00.000Z, of the set-up setup-1'],
    ['engine', { engine: { kind: 'configured', address: 'db:7233' } }, 'the Temporal service at db:7233, whose data is not in it'],
    ['engine', { engine: { kind: 'none' } }, 'none yet'],
    ['has', { contents: { later: { count: 1, bytes: 1 } } }, '1 later (1 B)'],
  ] as const)('its row %s with %o', (title, more, wanted) => {
    expect(rowOf(title, more)).toBe(wanted);
  });

  test('names every kind of record in words', () => {
    for (const kind of RECORD_KINDS.filter((one) => one !== 'rollback'))
      expect(rowOf('has', { contents: { [kind]: { count: 1, bytes: 1 } } })).toMatch(
        /^1 (states|feeds|keys|versions of secrets|reads of secrets|secrets|pages|payloads|logs|collections of rows) /,
      );
    expect(rowOf('has', { contents: { rollback: { count: 1, bytes: 1 } } })).toBe('1 roll-back data (1 B)');
  });

  test('that was verified or restored says how', () => {
    const found = { ...info, notes: [], opened: 7 };
    expect(sealRow({ ...found, seal: 'authentic' })).toEqual(['seal', 'made with our key; 7 entries opened']);
    expect(sealRow({ ...found, opened: 0, seal: 'unproven' })).toEqual(['seal', 'not proven']);
    expect(renderRestored({ ...found, home: '/srv/p', into: 'files', restored: 9 })).toEqual([
      'restored',
      '9 entries into /srv/p and files',
    ]);
  });
});

test('a folder of backups has a line for each, those that are none with the reason', () => {
  expect(backupListText([], painted)).toBe('no backups\n');
  const listed = backupListText([info, { file: '/backups/notes.tar', problem: 'it has no manifest' }], painted);
  expect(cells(listed)).toEqual([
    ['MADE', 'SET-UP', 'KEY', 'SIZE', 'FILE'],
    ['2026-01-05T08:00:00.000Z', 'setup-1', 'k1', '3 MiB', '/backups/monday.tar'],
    ['red(none)', '/backups/notes.tar', 'it has no manifest'],
    [''],
  ]);
});

describe('a sweep', () => {
  const of = (count: number) => ({ count, bytes: count * 1024 });
  const found = { histories: 3, stored: of(9), garbage: of(2), young: of(1), foreign: of(0), missing: [] };

  test.each([
    [false, 'to remove', 'stored'],
    [true, 'removed', 'left'],
  ])('that has removed anything: %s', (removed, garbage, stored) => {
    expect(cells(sweepText({ ...found, removed }, painted))).toEqual([
      ['histories', '3 read'],
      [garbage, '2 payloads, 2 KiB'],
      ['younger', '1 payloads, 1 KiB: nothing refers to them, and they may be on their way'],
      [stored, '9 payloads, 9 KiB'],
      [''],
    ]);
  });

  test('names what is not ours, and what a history lacks', () => {
    const text = sweepText({ ...found, removed: false, foreign: of(4), missing: ['a'.repeat(64)] }, painted);
    expect(cells(text)).toContainEqual(['not ours', '4 payloads, 4 KiB: of another namespace or key, kept']);
    expect(cells(text)).toContainEqual(['red(missing)', `${'a'.repeat(64)}: a history refers to it`]);
  });
});
