import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CRON } from './reports/cron.js';
import { DEFINITIONS } from './reports/definitions.js';
import { FILES } from './reports/files.js';
import { FURTHER } from './reports/further.js';
import { HOSTS } from './reports/hosts.js';
import { PACKAGES } from './reports/packages.js';
import type { Play } from './reports/play.js';
import { SECRETS } from './reports/secrets.js';
import { SERVICES } from './reports/services.js';
import { TRIAL } from './reports/trial.js';

const PARTS = [PACKAGES, SECRETS, CRON, SERVICES, HOSTS, FILES, DEFINITIONS, FURTHER, TRIAL];
const PLAYS: Record<string, Play> = Object.assign({}, ...PARTS);

interface Row {
  id: string;
  /** The input of a report, or the fault of a trial. */
  input: string;
  result: string;
  tests: string;
}

const page = readFileSync(join(import.meta.dirname, 'contribute/reports.md'), 'utf8');
/** The rows in the tables of reports, which begin with a number. */
const rows: Row[] = page.split('\n').flatMap((line) => {
  const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''));
  const [id = ''] = cells;
  const [input = '', result = '', tests = ''] = cells.slice(-3);
  return /^T?\d+b?$/.test(id) ? [{ id, input, result, tests }] : [];
});

const WORDS = ['right', 'refused', 'open', 'reviewed', 'undecided'];
const wordOf = ({ result }: Row): string => /^\w+/.exec(result)?.[0] ?? '';
const isPlayed = ({ tests }: Row): boolean => tests.split('; ').includes('played');
const named = ({ tests }: Row) => [...tests.matchAll(/\[`([^`]+)`\]\(\.\.\/\.\.\/([^)]+)\) "([^"]+)"/g)];

test('has the 64 reports, twelve further ones and the twenty faults of the trial', () => {
  const ids = rows.map(({ id }) => id);
  const all = [
    ...Array.from({ length: 76 }, (_, index) => String(index + 1)),
    ...Array.from({ length: 20 }, (_, index) => `T${index + 1}`),
  ];
  expect(all.filter((id) => !ids.includes(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('says "played" of the rows that have a play', () => {
  expect(PARTS.flatMap((part) => Object.keys(part))).toHaveLength(Object.keys(PLAYS).length);
  expect(
    rows
      .filter(isPlayed)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(Object.keys(PLAYS).sort());
});

describe.each(rows)('$id: $input', (row) => {
  test('has a result, and a test that shows it', () => {
    const word = wordOf(row);
    expect(WORDS).toContain(word);
    if (word === 'right' || word === 'refused') expect(isPlayed(row) || named(row).length > 0).toBe(true);
  });

  test.each(named(row).map(([, text = '', path = '', title = '']) => [path, title, text] as const))(
    '%s has "%s"',
    (path, title, text) => {
      expect(text).toBe(path);
      // Titles are in the file unchanged, or with a backslash before a quote.
      expect(readFileSync(join(import.meta.dirname, '..', path), 'utf8').replaceAll("\\'", "'")).toContain(title);
    },
  );
});

const played = rows.filter(isPlayed);
const isOpen = (row: Row): boolean => wordOf(row) === 'open';

test.each(played.filter((row) => !isOpen(row)))('$id has the right answer: $input', ({ id }) => PLAYS[id]?.());

test.each(played.filter(isOpen))(
  '$id is still open, or docs/contribute/reports.md has to say what it is now: $input',
  async ({ id }) => {
    const answer = (async () => PLAYS[id]?.())();
    await expect(answer).rejects.toMatchObject({ name: 'AssertionError' });
  },
);
