import { describe, expect, test } from 'vitest';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { fakeSession, inventoryNamed } from '../fake-session.js';
import { type Selection, selectServers } from './selected-servers.js';

const server = (name: string, group: string, role: string, ...services: string[]): InventoryServer =>
  ({ name, spec: { group, role }, services: Object.fromEntries(services.map((one) => [one, {}])) }) as unknown as InventoryServer;
const infra = (name: string, ...servers: InventoryServer[]): Inventory => ({
  ...inventoryNamed(name),
  servers: Object.fromEntries(servers.map((one) => [one.name, one])),
});
const SHOP = infra(
  'shop',
  server('web-10', 'web', 'front', 'nginx'),
  server('web-2', 'web', 'front', 'nginx', 'redis'),
  server('db', 'db', 'data', 'postgres'),
);
const BLOG = infra('blog', server('db', 'db', 'data', 'postgres'));

async function select(selection: Selection, all = [SHOP]): Promise<string> {
  const session = fakeSession({
    client: {
      'infras.list': async () => all.map(({ infra }) => infra),
      'infras.inventory': async ({ infra }) => all.find((one) => one.infra === infra),
    },
  });
  const { inventory, servers } = await selectServers(session, selection, 'run the command');
  return `${inventory.infra}: ${servers.map(({ name }) => name).join(' ')}`;
}

describe('which servers are meant', () => {
  test.each<[string, Selection, string]>([
    ['names', { selector: 'db,web-2' }, 'shop: db web-2'],
    ['the name of those with a count', { selector: 'web' }, 'shop: web-2 web-10'],
    ['a role', { selector: 'role=front' }, 'shop: web-2 web-10'],
    ['all', { selector: 'all' }, 'shop: db web-2 web-10'],
    ['an option alone', { role: 'data' }, 'shop: db'],
    ['taskservs, one of which is enough', { taskserv: 'redis,postgres' }, 'shop: db web-2'],
    ['what all that was said leaves', { selector: 'web', taskserv: 'redis' }, 'shop: web-2'],
  ])('%s', async (_, selection, expected) => expect(await select(selection)).toBe(expected));

  test.each<[string, Selection, string]>([
    ['nothing', {}, 'which-servers'],
    ['a name that nothing has', { selector: 'db,wbe' }, 'unknown-server'],
    ['what no server is', { selector: 'db', taskserv: 'redis' }, 'which-servers'],
  ])('%s is an error, and nothing runs', async (_, selection, code) => {
    await expect(select(selection)).rejects.toMatchObject({ details: { code, blame: 'user' } });
  });

  test('of several infras it has to be said which', async () => {
    await expect(select({ selector: 'db' }, [SHOP, BLOG])).rejects.toMatchObject({
      details: { code: 'which-servers', why: 'the infras "blog" and "shop" have such servers' },
    });
    expect(await select({ selector: 'db', infra: 'blog' }, [SHOP, BLOG])).toBe('blog: db');
    expect(await select({ selector: 'web' }, [SHOP, BLOG])).toBe('shop: web-2 web-10');
  });
});
