import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'recorder-')));
  mkdirSync(join(root, 'bench/a'), { recursive: true });
  for (const name of ['bench/a/main.mjs', 'bench/a/sync.mjs', 'bench/a/run.mjs', 'read.txt', 'not-read.txt'])
    writeFileSync(join(root, name), '');
});
afterAll(() => rmSync(root, { recursive: true }));

test('a process notes the files that it reads, and the programs that it starts, however they are named', () => {
  const notes = join(root, '..', `${root.split('/').at(-1)}.notes`);
  const text = `
    import { execFileSync, spawn, spawnSync } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    readFileSync('read.txt');
    spawnSync(process.execPath, ['sync.mjs'], { cwd: 'bench/a' });
    execFileSync(process.execPath, ['bench/a/run.mjs']);
    await new Promise((resolve) => spawn(process.execPath, ['main.mjs', 'two\\nlines'], { cwd: 'bench/a' }).on('exit', resolve));
  `;
  try {
    execFileSync(process.execPath, ['--import', join(import.meta.dirname, 'recorder.mjs'), '--input-type=module', '--eval', text], {
      cwd: root,
      env: { ...process.env, RECORDED_ROOT: root, RECORDED_INPUTS: notes },
    });
    const lines = readFileSync(notes, 'utf8').trim().split('\n');
    expect(lines).toContain('open read.txt');
    for (const name of ['main', 'sync', 'run']) expect(lines).toContain(`open bench/a/${name}.mjs`);
    expect(lines.filter((line) => /not-read|two|lines/.test(line))).toEqual([]);
  } finally {
    rmSync(notes, { force: true });
  }
});
