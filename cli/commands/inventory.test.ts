import { expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { fakeSession } from '../fake-session.js';
import { command } from './inventory.js';

/** Returns the document that the command prints for an infra with one server. */
async function documentOf(args: string[]) {
  const taskservs = [{ name: 'redis', endpoints: [{ name: 'redis', port: 6379 }] }];
  const inventory = {
    ...emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
    definition: { servers: [{ name: 'db', taskservs }], outputs: {} },
    servers: {
      db: {
        name: 'db',
        connection: { kind: 'ssh', address: '203.0.113.7', port: 22, user: 'root' },
        services: { redis: {} },
      },
    },
  } as never;
  const client = { 'infras.list': async () => ['shop'], 'infras.inventory': async () => inventory };
  const session = fakeSession({ json: true, client });
  expect(await command.run(session, { args, flags: {}, rest: [] } as never)).toBe(0);
  return JSON.parse(session.said());
}

test('its document has how to reach what is there, by commands that name the infra wherever they are run', async () => {
  const one = await documentOf(['shop']);
  expect(one).toMatchObject({ infra: 'shop', reach: [{ tunnel: 'provisioning server tunnel db 6379 --infra shop' }] });
  expect(await documentOf([])).toEqual({ infras: [one] });
});
