import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hostFault, SAYS_WHY_UNWRITABLE } from './host-fault.js';

const SPACE = 'space: tmpfs           8.0K  8.0K     0 100% /var/lib/provisioning';
const INODES = 'inodes: tmpfs             32     9    23   29% /var/lib/provisioning';

test.each([
  ['bash: line 9: echo: write error: No space left on device', 'host-disk-full', 'the disk is full'],
  ['cp: error writing x: Disk quota exceeded', 'host-disk-full', 'the disk is full'],
  [
    "mkdir: cannot create directory '/var/lib/provisioning/x': Read-only file system",
    'host-read-only',
    'the file system is read-only',
  ],
  ['bash: fork: Cannot allocate memory', 'host-no-memory', 'no memory is left'],
  ['bash: fork: retry: Resource temporarily unavailable', 'host-no-memory', 'no memory is left'],
])('%s is named as %s, and is not tried again', (said, code, why) => {
  const fault = hostFault('work on the host', 'box/a', [said, SPACE, INODES].join('\n'));
  expect(fault?.details).toMatchObject({ code, blame: 'user', absent: true, on: 'box/a' });
  const room = code === 'host-disk-full' ? ': 0 of 8.0K of /var/lib/provisioning are free' : '';
  expect(fault?.details.why).toBe(`${why} (/var/lib/provisioning${room})`);
});

test('a file system without inodes is told from a full one', () => {
  const inodes = 'inodes: /dev/vda1 1000 1000 0 100% /';
  const said = ['touch: No space left on device', 'space: /dev/vda1 9.8G 3.1G 6.2G 34% /', inodes].join('\n');
  expect(hostFault('work on the host', 'box', said)?.details.why).toBe(
    'no inodes are left (/var/lib/provisioning: 0 of 1000 of / are free)',
  );
});

test('what passes is none of them', () => {
  expect(hostFault('work on the host', 'box', `Connection reset by peer\n${SPACE}`)).toBeUndefined();
});

test('a script that ends as unwritable says what is left, and any other ends as it does', () => {
  const ended = (code: number) => spawnSync('bash', ['-c', `${SAYS_WHY_UNWRITABLE}\n( exit ${code} ) || exit ${code}`]);
  const unwritable = ended(91);
  expect(unwritable.status).toBe(91);
  expect(String(unwritable.stderr)).toMatch(/^space: .*\ninodes: .*\n$/);
  expect([ended(90).status, String(ended(90).stderr)]).toEqual([90, '']);
  expect(String(execFileSync('bash', ['-c', `${SAYS_WHY_UNWRITABLE}\necho done`]))).toBe('done\n');
});
