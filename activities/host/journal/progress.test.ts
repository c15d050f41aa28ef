import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderProgress } from './progress.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'progress-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function read(files: Record<string, string>, positions = [1, 3]): string[] {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { stdout } = spawnSync('bash', ['-c', renderProgress(folder, positions)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

test('work without a journal has not begun', () => {
  expect(read({})).toEqual([]);
  expect(read({}, [])).toEqual([]);
});

test('work has begun with its first step, and needs no values once the steps that matter are done', () => {
  expect(read({ steps: 'start 0\ndone 0\nstart 1\ndone 1\n' })).toEqual(['begun']);
  expect(read({ steps: 'start 0\ndone 0\nstart 1\ndone 1\nstart 3\ndone 33\n' })).toEqual(['begun']);
  expect(read({ steps: 'start 1\ndone 1\nstart 3\ndone 3\n' })).toEqual(['begun', 'attached']);
});

test('work is attached to if it ended well, or runs with the start time that it noted', () => {
  expect(read({ end: 'failed\n' })).toEqual([]);
  expect(read({ end: 'ok\n' })).toEqual(['attached']);
  const born = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  expect(read({ end: 'failed\n', pid: `${process.pid} 1\n` })).toEqual([]);
  expect(read({ pid: `${process.pid} ${born}\n` })).toEqual(['attached']);
});
