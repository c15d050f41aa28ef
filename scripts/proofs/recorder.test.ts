import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'recorder-')));
  mkdirSync(join(root, 'bench/a'), { recursive: true });
  for (const name of ['bench/a/main.mjs', 'read.txt', 'not-read.txt']) writeFileSync(join(root, name), '');
});
afterAll(() => rmSync(root, { recursive: true }));

test('a process notes the files that it reads, and the programs that it starts, however they are named', () => {
  const notes = join(root, '..', `${root.split('/').at(-1)}.notes`);
  const text = `
    import { spawnSync, execFileSync } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    readFileSync('read.txt');
    execFileSync(process.execPath, ['main.mjs'], { cwd: 'bench/a' });
    await new Promise(async (resolve) => (await import('node:child_process')).spawn(process.execPath, ['bench/a/main.mjs', 'two\\nlines']).on('exit', resolve));
  `;
  try {
    execFileSync(process.execPath, ['--import', join(import.meta.dirname, 'recorder.mjs'), '--input-type=module', '--eval', text], {
      cwd: root,
      env: { ...process.env, RECORDED_ROOT: root, RECORDED_INPUTS: notes },
    });
    const lines = readFileSync(notes, 'utf8').trim().split('\n');
    expect(lines).toContain('open read.txt');
    expect(lines).toContain('open bench/a/main.mjs');
    expect(lines.filter((line) => /not-read|two|lines/.test(line))).toEqual([]);
  } finally {
    rmSync(notes, { force: true });
  }
});
