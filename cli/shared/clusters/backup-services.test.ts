import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../definition/source/package-root.js';
import { BACKUP_PROGRAMS } from './backup-services.js';

const unitOf = (name: string) => readFileSync(join(packageRoot(), `taskservs/${name}/cases/install.json`), 'utf8');
const listOf = (name: string) => BACKUP_PROGRAMS.find((one) => one.name === name)?.list(false) ?? '';

test('borg lists and prunes the same archives: those of this server, in a repository of several', () => {
  const [, listed = ''] = /--glob-archives '(\S+)'/.exec(listOf('borg')) ?? [];
  const [, pruned = ''] = /borg prune --glob-archives (\S+) --keep/.exec(unitOf('borg')) ?? [];
  expect(pruned).toBe(listed);
  const pattern = new RegExp(`^${pruned.replace('{hostname}', 'db').replaceAll('*', '.*')}$`);
  expect('provisioning-db-2026-11-30T03:15:00').toMatch(pattern);
  expect('provisioning-db-2026-11-30T03:15:00.123456+00:00').toMatch(pattern);
  for (const other of ['db-2', 'db-standby', 'db-2026', 'xdb'])
    expect(`provisioning-${other}-2026-11-30T03:15:00`).not.toMatch(pattern);
});

test('restic lists and forgets only the backups of this server', () => {
  expect(listOf('restic')).toContain('--tag provisioning --host "$(uname -n)"');
  // Systemd writes $ as $$.
  expect(unitOf('restic').replaceAll('$$', '$').replaceAll('\\"', '"')).toContain(
    `restic forget --tag provisioning --host "$(uname -n)" --prune --keep-daily`,
  );
});
