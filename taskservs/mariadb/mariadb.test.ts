import { expect, test } from 'vitest';
import { absentValue, type PlanContext } from '../../sdk/index.js';
import { mariadb } from './mariadb.js';

const GROUP = '7291b672-ecca-11f1-8b38-a68ee54cb89b';
const context = { host: { name: 'a' }, peers: [] } as never as PlanContext;

/** Plans a server without a cluster that has data of one. */
function plan({ settings = {}, start = false, installed = true }): unknown {
  const config = mariadb.config.parse({ settings });
  const absent = Object.entries(mariadb.facts(config, '11.8')).map(([name, asked]) => [name, absentValue(asked)]);
  const found = { ...Object.fromEntries(absent), member: { group: GROUP, runs: false, serves: false } };
  const known = { ...(start && { start: { exists: true, text: 'x' } }), ...(installed && { package: { version: '1:11.8.1' } }) };
  return mariadb.plan(config, { ...found, ...known } as never, context);
}

test('a member does not become a single server, and one with a cluster of its own stays what it is', () => {
  const refused = expect.objectContaining({ details: expect.objectContaining({ code: 'groups-differ' }) });
  expect(() => plan({ start: true })).toThrow(refused);
  expect(() => plan({ installed: false })).toThrow(refused);
  expect(plan({})).toEqual(expect.any(Array));
  expect(plan({ settings: { wsrep_on: 'ON' }, start: true })).toEqual(expect.any(Array));
});
