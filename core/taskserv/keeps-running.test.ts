import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { makeFolder } from '../../test/support/temporary-folder.js';
import { keepsRunning } from './keeps-running.js';

/** Output and exit code of the check for this state of the unit. */
async function checked({ state = 'active', restarts = 0, up = 0, shown = false }) {
  const folder = await makeFolder('keeps-running');
  const systemctl = `#!/bin/sh
case "$*" in
  *is-active*) echo ${state}; [ ${state} = active ] ;;
  *NRestarts*) echo ${restarts} ;;
  *ActiveEnterTimestamp*) echo "@${1_000_000 - up}" ;;
esac`;
  await writeFile(join(folder, 'systemctl'), systemctl, { mode: 0o755 });
  await writeFile(join(folder, 'date'), '#!/bin/sh\necho 1000000', { mode: 0o755 });
  const check = keepsRunning('shop runs', 'shop.service', { shown });
  if (!('command' in check)) throw new Error('it is no command');
  const { stdout, exitCode } = await execa('sh', ['-c', check.command], {
    reject: false,
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  return `${exitCode} ${stdout}`;
}

test.each([
  [{ up: 5 }, '0 active'],
  [{ up: 4 }, '1 it has run for 4 s'],
  [{ up: 0, shown: true }, '0 active'],
  [{ up: 9, restarts: 3 }, '1 it has run for 9 s, and systemd has started it again 3 times'],
  [{ up: 9, restarts: 3, shown: true }, '1 it has run for 9 s, and systemd has started it again 3 times'],
  [{ up: 10, restarts: 3 }, '0 active'],
  [{ up: -100 }, '0 active'],
  [{ state: 'activating' }, '1 activating'],
  [{ state: 'failed' }, '1 failed'],
])('a unit of which systemd says %j', async (said, printed) => {
  expect(await checked(said)).toBe(printed);
});
