import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NOTE_CHANGE, undoIfNoted } from '../core/taskserv/step-note.js';
import { stepsOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { modules } from '../test/support/modules.js';

const folder = mkdtempSync(join(tmpdir(), 'undone-steps-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Undoable {
  run: string;
  undo: string;
}

/** Steps of all cases with an undo of their own, each once, by taskserv and title. */
const steps = new Map<string, Undoable>();
for (const [name, taskserv] of Object.entries(modules.taskservs))
  for (const [, given] of readCases(join(import.meta.dirname, name)))
    for (const step of stepsOf(taskserv, given))
      if ('run' in step && step.undo !== undefined && step.undo !== ':') steps.set(`${name}: ${step.title}`, step as Undoable);

const GUARD = undoIfNoted('');

/** Whether a step may find its state done: it ends its script then. */
const mayEndEarly = ({ run }: Undoable): boolean => /\bexit 0\b/.test(run);

/** Steps whose undo looks by other means at what the step did, each with these means. */
const BY_OTHER_MEANS: readonly { step: RegExp; why: string }[] = [
  { step: /^kafka: (Add|Create|Found) /, why: 'it notes the identity of the data that it began' },
  { step: /^kafka: Keep /, why: 'the folder that its undo moves has the identity of this data in its name' },
  { step: /^vault: (Add|Give) /, why: 'it removes the id only of data that vault has not written' },
  { step: /^vault: Keep /, why: 'the folder that its undo moves has the identity of this data in its name' },
  { step: /^(redis|valkey): Keep /, why: 'it notes the inodes of what it moved' },
  { step: /^(redis|valkey): Wait /, why: 'it ends early once it is ready, and its undo only writes a snapshot' },
  { step: /^(apt|vault): Check /, why: 'its undo only reads the lists of packages again' },
  { step: /: Remove the folders that are empty/, why: 'its undo only makes empty folders' },
];

const isKnown = (name: string): boolean => BY_OTHER_MEANS.some(({ step }) => step.test(name));

test('a step that may find its state done notes what it changes, and its undo does nothing without the note', () => {
  const early = [...steps].filter(([name, step]) => mayEndEarly(step) && !isKnown(name));
  expect(early.length).toBeGreaterThan(5);
  expect(early.flatMap(([name, { undo }]) => (undo.startsWith(GUARD) ? [] : [name]))).toEqual([]);
  expect(BY_OTHER_MEANS.filter(({ step }) => ![...steps].some(([name, one]) => step.test(name) && mayEndEarly(one)))).toEqual([]);
});

const guarded = [...steps].filter(([, { run, undo }]) => undo.startsWith(GUARD) || run.includes(NOTE_CHANGE));

test.each(guarded)('%s', (_, { run, undo }) => {
  expect(undo.startsWith(GUARD)).toBe(true);
  const [before = '', ...after] = run.split(NOTE_CHANGE);
  expect(after).toHaveLength(1);
  // What changes something comes after the note.
  expect(before).not.toMatch(/^(begin|groupadd|mv|note|rm|useradd|userdel) /m);
  const play = (noted: boolean) => {
    writeFileSync(join(folder, '3.undo'), undo);
    rmSync(join(folder, '3.changed'), { force: true });
    const note = `${NOTE_CHANGE}\n`;
    writeFileSync(join(folder, '3.run'), note);
    if (noted) spawnSync('bash', ['-euo', 'pipefail', join(folder, '3.run')]);
    // No command of the host is there: the first one that is called ends the undo.
    const env = { PATH: folder };
    return spawnSync('/bin/bash', ['-euo', 'pipefail', join(folder, '3.undo')], { encoding: 'utf8', env });
  };
  expect(play(false)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(play(true).stderr).not.toBe('');
});
