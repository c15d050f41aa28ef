import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastNotes, WorkNotes } from './work-notes.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-'));
  path = join(folder, 'at-work');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const note = (operation: string) => ({ operation, activity: '7', type: 'act' });

test('what is at work is read by the next worker, and what has ended is not', () => {
  const notes = new WorkNotes(path);
  const ends = ['a', 'b', 'c'].map((operation) => notes.begin(note(operation)));
  ends[1]?.();
  expect(lastNotes(path).atWork).toEqual([note('a'), note('c')]);
  notes.begin(note('d'));
  expect(lastNotes(path).atWork).toEqual([note('a'), note('d'), note('c')]);
  new WorkNotes(path);
  expect(lastNotes(path).atWork).toEqual([]);
});

test('a worker that ends by itself leaves nothing, also of what ends after it', () => {
  const notes = new WorkNotes(path);
  const end = notes.begin(note('a'));
  notes.close();
  end();
  notes.begin(note('b'))();
  notes.close();
  expect(lastNotes(path).atWork).toEqual([]);
});

test('another run of the machine is told from this one', async () => {
  new WorkNotes(path).begin(note('a'));
  expect(lastNotes(path)).toEqual({ atWork: [note('a')], sameBoot: true });
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/"boot":"[^"]*"/, '"boot":"another"'));
  expect(lastNotes(path)).toEqual({ atWork: [note('a')], sameBoot: false });
});

test('no file, and half a file, name nothing', async () => {
  expect(lastNotes(path)).toEqual({ atWork: [], sameBoot: false });
  new WorkNotes(path).begin(note('a'));
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.slice(0, 520));
  expect(lastNotes(path).atWork).toEqual([]);
});

test('a note that has no room is left out', () => {
  const notes = new WorkNotes(path);
  notes.begin(note('x'.repeat(600)));
  notes.begin(note('b'));
  expect(lastNotes(path).atWork).toEqual([note('b')]);
});
