import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Failure, sideBySide } from './side-by-side.js';

const root = mkdtempSync(join(tmpdir(), 'provisioning-side-by-side-'));
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Runs these scripts. Returns the exit code and the output without seconds. The file `quick.shown` appears once that
 * output was shown.
 */
async function run(scripts: Record<string, string>): Promise<{ code: number; shown: string[]; failures: Failure[] }> {
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts }));
  const shown: string[] = [];
  const failures: Failure[] = [];
  const show = (text: string) => {
    shown.push(text.replace(/, [\d.]+ s\n$/, ''));
    writeFileSync(join(root, `${/(\w+): \w+[^:]*$/.exec(text)?.[1]}.shown`), '');
  };
  const code = await sideBySide(root, Object.keys(scripts), show, failures);
  return { code, shown, failures };
}

/** Waits until another script has created a file: the order does not depend on speed. */
const until = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`;

test('two scripts run at once, and each is shown in one piece', async () => {
  const first = `echo one; touch first; ${until('second')}; echo two`;
  const second = `echo 1; ${until('first')}; touch second; ${until('first.shown')}; echo 2 >&2`;
  expect(await run({ first, second })).toEqual({
    code: 0,
    shown: ['one\ntwo\nfirst: passed', '1\n2\nsecond: passed'],
    failures: [],
  });
});

test('all scripts run, and the first that fails gives the exit code', async () => {
  const slow = `${until('quick.shown')}; exit 5`;
  const { code, shown, failures } = await run({ slow, quick: 'echo wrong; exit 3', last: 'echo right' });
  expect(code).toBe(3);
  expect(shown.sort()).toEqual(['right\nlast: passed', 'slow: failed with 5', 'wrong\nquick: failed with 3']);
  expect(failures).toEqual([
    { script: 'quick', output: 'wrong' },
    { script: 'slow', output: '' },
  ]);
});

test('a script that a signal ends has failed', async () => {
  expect((await run({ killed: 'kill -9 $$' })).code).not.toBe(0);
});

test('a script that package.json lacks has failed', async () => {
  writeFileSync(join(root, 'package.json'), '{}');
  expect(await sideBySide(root, ['absent'], () => {})).toBe(1);
});
