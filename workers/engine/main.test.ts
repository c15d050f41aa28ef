import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, 'main.ts');

/** Runs the program from its sources. */
function engine(...args: string[]) {
  const env = { ...process.env, PROVISIONING_HOME: mkdtempSync(join(tmpdir(), 'main-')) };
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', program, ...args, '--events'], {
    env,
    encoding: 'utf8',
  });
  return {
    status,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

test('status of a home where nothing runs is exit 3, and its last line the result', () => {
  const { status, lines } = engine('status');
  expect(status).toBe(3);
  expect(lines).toEqual([
    { result: expect.objectContaining({ state: 'stopped', problems: [expect.stringContaining('provisioning up')] }) },
  ]);
});

test('down where nothing runs is done', () => {
  expect(engine('down')).toEqual({ status: 0, lines: [{ result: { worker: 'absent', engine: 'absent' } }] });
});

test.each([
  [['up', '--lokal'], 'unknown option "--lokal"'],
  [['sideways'], 'unknown verb "sideways"'],
])('bad arguments are exit 2: %j', (args, why) => {
  const { status, lines } = engine(...args);
  expect(status).toBe(2);
  expect(lines.at(-1)).toMatchObject({ error: { blame: 'user', why } });
});
