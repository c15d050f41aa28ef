import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkEnvironmentFile } from './unit-texts.js';

const folder = mkdtempSync(join(tmpdir(), 'environment-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['# written\nA="say \\"hi\\" to $USER"\nB=\'s3cr$t "\\\'\n\nADDRESS=[fd00::5]:9121\nARGS=""\n', true],
  ["PASSWORD='it's'\n", false],
  ["PASSWORD='one\ntwo'\n", false],
  ["PASSWORD='x'; touch /tmp/y; '\n", false],
  ['ARGS=$(touch /tmp/y)\n', false],
])('variables of %j stand there: %s', (text, stands) => {
  const path = join(folder, 'environment');
  writeFileSync(path, text);
  const { status, stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', checkEnvironmentFile(path)], { encoding: 'utf8' });
  expect([status, stdout]).toEqual(stands ? [0, ''] : [1, expect.stringContaining('has a quote or more than one line')]);
});
