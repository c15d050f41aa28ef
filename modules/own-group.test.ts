import { expect, test } from 'vitest';
import type { Asker } from './asking.js';
import { createOwnGroup } from './own-group.js';

test("what a member of a workspace's own taskserv says of itself may have all parts of it", () => {
  const said = { group: 'g', serves: true, leads: true, voters: 3, id: 'm', why: 'no reason' };
  const asking = ((schema: { parse(value: unknown): unknown }) => schema.parse(said)) as unknown as Asker;
  const group = createOwnGroup(asking, { quorum: 'majority' } as never);
  expect(group.standing({})).toEqual(said);
});

test("a share of a workspace's own taskserv has its times, and its script comes from the module", () => {
  const asking = ((schema: { parse(value: unknown): unknown }, name: string, [, share]: unknown[]) =>
    schema.parse({ run: `${name} ${share}` })) as unknown as Asker;
  const token = { title: 'Make a join token', lifetimeSeconds: 7_200 };
  const { shares } = createOwnGroup(asking, { quorum: 'majority', leave: false, shares: { token } });
  expect(shares?.token).toMatchObject(token);
  expect(shares?.token?.make({}, { server: 'a', address: 'a', state: 'seen' }, { name: 'main', members: [] })).toBe(
    'groupShare token',
  );
});
