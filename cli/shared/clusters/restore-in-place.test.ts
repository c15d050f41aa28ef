import { expect, test } from 'vitest';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { findMissed } from './backup-cluster.js';
import { BACKUP_PROGRAMS, type BackedUp } from './backup-services.js';
import { omitCopies } from './restore-cluster.js';
import { hasEnded } from './restore-in-place.js';

test.each([
  [{ exit: 0 }, true],
  [{ exit: 1 }, true],
  // What ssh returns if the connection breaks.
  [{ exit: 255, why: 'the command returned this code, or the connection broke' }, false],
  [{ exit: 255 }, false],
  [{ exit: null, why: 'ssh found no connection' }, false],
  [{ exit: 0, why: 'ended by Ctrl-C: the remote command may continue' }, false],
  [undefined, false],
])('the restore of %j has ended: %j', (run, isOver) => {
  expect(hasEnded(run)).toBe(isOver);
});

const services = ['a', 'b'].map((name) => ({
  program: BACKUP_PROGRAMS.find((one) => one.name === 'pgbackrest'),
  server: { name, services: { patroni: { config: { cluster: 'shop', backups: {} } } } } as unknown as InventoryServer,
})) as BackedUp['services'];

test('a copy is written on a member that follows and answers', () => {
  const [a, b] = services.map((service) => ({ service, backups: [] })) as [
    { service: BackedUp['services'][number]; backups: [] },
    { service: BackedUp['services'][number]; backups: [] },
  ];
  const chosen = (...lists: Parameters<typeof omitCopies>[0]) => omitCopies(lists).map(({ service }) => service.server.name);
  expect(chosen({ ...a, leads: true }, { ...b, leads: false })).toEqual(['b']);
  expect(chosen({ ...a, leads: true }, { service: b.service, why: 'silent' })).toEqual(['a']);
  expect(chosen({ ...a, leads: false }, { ...b, leads: false })).toEqual(['a']);
});

test('a backup of a cluster fails if no member made one since it began', () => {
  const runOf = (time: string) => ({
    exit: 0,
    stdout: {
      text: `2026-11-30T12:00:00Z\n${JSON.stringify({ backups: [{ id: '20261130-120000F', time }] })}`,
      cut: 0,
    },
  });
  const before = runOf('2026-11-30T11:59:59+00:00');
  expect(findMissed(services, [before, before])).toEqual(new Set([0, 1]));
  expect(findMissed(services, [before, runOf('2026-11-30T12:00:03+00:00')])).toEqual(new Set());
  expect(findMissed(services, [before, { ...before, exit: 1 }])).toEqual(new Set([0]));
});
