import { expect, test } from 'vitest';
import type { Asker } from './asking.js';
import { createOwnGroup } from './own-group.js';

test("what a member of a workspace's own taskserv says of itself may have all parts of it", () => {
  const said = { group: 'g', serves: true, leads: true, voters: 3, id: 'm', why: 'no reason' };
  const asking = ((schema: { parse(value: unknown): unknown }) => schema.parse(said)) as unknown as Asker;
  const group = createOwnGroup(asking, { quorum: 'majority' } as never);
  expect(group.standing({})).toEqual(said);
});
