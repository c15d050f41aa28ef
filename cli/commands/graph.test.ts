import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { runLine } from '../fake-run.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graph-'));
  const servers = `servers:\n  - { name: db, count: 3, taskservs: [nginx] }\n`;
  await writeFile(join(folder, 'plain.yaml'), `infra: shop\nprovider: demo\n${servers}`);
  const taskserv = '{ name: zookeeper, config: { cluster: main, allow: [10.0.0.0/8] } }';
  await writeFile(join(folder, 'shop.yaml'), `infra: shop\nprovider: demo\n${servers.replace('nginx', taskserv)}`);
});
afterEach(() => rm(folder, { recursive: true }));

const MEMBERS = [
  { server: 'db-1', state: 'seen', serves: true, leads: true },
  { server: 'db-2', state: 'seen', serves: true },
  { server: 'db-3', state: 'silent' },
];

/** @param isSilent whether a host did not answer */
async function graph(line: string, { isSilent = false } = {}) {
  const asked: unknown[] = [];
  const group = { name: 'main', needed: 2, members: MEMBERS };
  const services = [{ taskserv: 'zookeeper', state: 'healthy', group }];
  const hosts = ['db-1', 'db-2'].map((server) => ({ server, reached: true, services }));
  const last = { server: 'db-3', reached: !isSilent, ...(isSilent ? { why: 'no way to it' } : { services }) };
  const client = {
    'infras.inventory': async () => emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
    'infras.status': async (input: unknown) => {
      asked.push(input);
      return { hosts: [...hosts, last], unasked: [], gone: [], differs: [], unknown: [] };
    },
  };
  const ran = await runLine(line.replaceAll('ROOT', folder), { root: join(folder, 'home'), client: client as never });
  return { ...ran, asked };
}

test('without --now nothing is asked', async () => {
  const { code, out, asked } = await graph('graph ROOT/shop.yaml');
  expect([code, asked]).toEqual([0, []]);
  expect(out).toContain('zookeeper group main: 3 members');
});

test('with --now the groups say how many serve and which member leads', async () => {
  const mermaid = await graph('graph ROOT/shop.yaml --now --timeout 3');
  expect(mermaid.out).toContain('g1(["zookeeper group main: 2 of 3 members serve, 2 needed, db-1 leads"])');
  expect(mermaid.out).toContain('n1["zookeeper, leads"]');
  expect(mermaid.asked).toMatchObject([{ infra: 'shop', hosts: { withinMs: 3_000, taskservs: ['zookeeper'] }, clouds: false }]);
  const dot = await graph('graph ROOT/shop.yaml --now --format dot');
  expect(dot.out).toContain('n3 [label="zookeeper, does not answer"]');
  const json = JSON.parse((await graph('graph ROOT/shop.yaml --now --json')).out);
  expect(json.groups[0].now).toEqual({ name: 'main', needed: 2, members: MEMBERS });
});

test('its exit code says whether all hosts answered', async () => {
  expect((await graph('graph ROOT/shop.yaml --now')).code).toBe(0);
  expect((await graph('graph ROOT/shop.yaml --now', { isSilent: true })).code).toBe(3);
});

test('without groups no host is asked, and --timeout needs --now', async () => {
  expect(await graph('graph ROOT/plain.yaml --now')).toMatchObject({ code: 0, asked: [] });
  const { code, err } = await graph('graph ROOT/shop.yaml --timeout 3');
  expect([code, err]).toEqual([2, expect.stringContaining('it asks hosts only with --now')]);
});
