import { expect, test } from 'vitest';
import type { GroupStatus, MemberStatus } from '../../../core/taskserv/groups/group-status.js';
import { groupLines } from './groups.js';

const paint = (colour: string, text: string) => `<${colour}>${text}`;
const serves = (server: string, more: Partial<MemberStatus> = {}): MemberStatus => ({
  server,
  state: 'seen',
  serves: true,
  ...more,
});
const lines = (...groups: GroupStatus[]) => {
  const hosts = groups.map((group, index) => ({
    server: `s${index}`,
    services: [{ taskserv: 'etcd', state: 'healthy' as const, group }],
  }));
  return groupLines([{ report: { hosts } } as never], paint as never);
};

test('a group is one line, by the look that saw the most', () => {
  const members = [serves('a', { leads: true }), serves('b'), serves('c')];
  const fewer = [serves('a'), { server: 'b', state: 'silent' as const }, serves('c')];
  expect(lines({ name: 'main', needed: 2, members: fewer }, { name: 'main', needed: 2, members })).toBe(
    '<green>etcd group main: 3 of 3 members serve, 2 needed, a leads\n',
  );
});

test('members that do not serve are named, and a lost quorum is red', () => {
  const down: MemberStatus[] = [
    { server: 'b', state: 'seen', why: 'no\nleader' },
    { server: 'c', state: 'silent' },
    { server: 'd', state: 'expected' },
  ];
  expect(lines({ name: 'main', needed: 2, members: [serves('a'), ...down] })).toBe(
    '<red>etcd group main: 1 of 4 members serve, 2 needed; b does not serve (no leader); c does not answer; d is not installed\n',
  );
});

test('a clock that is apart is named, and is a warning', () => {
  expect(lines({ name: 'main', needed: 2, members: [serves('a'), serves('b', { clock: -7 }), serves('c', { clock: 60 })] })).toBe(
    '<yellow>etcd group main: 3 of 3 members serve, 2 needed; the clock of b is 7 s behind the others; the clock of c is 60 s ahead of the others\n',
  );
});
