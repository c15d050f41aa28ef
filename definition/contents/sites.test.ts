import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { loadDefinition } from '../load-definition.js';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sites-'));
  await put({ 'site/index.html': '<h1>Shop</h1>\n', 'old.conf': 'location /old { return 301 {{ vars.to }}; }\n' });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

async function load(server: 'nginx' | 'caddy', sites: string) {
  const text = `infra: shop\nprovider: demo\nvars: { to: /new }\nservers: [{ name: web, plan: small }]\ntaskservs:\n  - name: ${server}\n    config:\n      sites: ${sites}\n`;
  await put({ 'shop.yaml': text });
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
  const { definition, problems } = await loadDefinition(join(root, 'shop.yaml'), options);
  const config = definition?.servers[0]?.taskservs.find(({ name }) => name === server)?.config as { sites: unknown[] } | undefined;
  return { sites: config?.sites, told: problems.map(({ path, message }) => `${path}: ${message}`) };
}

const IN = 'taskservs[0].config.sites[0]';
const SHOP = 'name: shop, serverName: shop.example.org';

test('a site has its files from a folder, and its directives from a template', async () => {
  const { sites, told } = await load(
    'nginx',
    `[{ ${SHOP}, tree: { tree-of: site }, directives: { content-of: old.conf, template: true } }]`,
  );
  expect(told).toEqual([]);
  expect(sites).toMatchObject([
    { tree: { 'index.html': { text: '<h1>Shop</h1>\n' } }, directives: { text: 'location /old { return 301 /new; }\n' } },
  ]);
});

test('`tls: true` of a site of caddy is acme, and false is none', async () => {
  const { sites, told } = await load(
    'caddy',
    '[{ name: a, hosts: [a.example.org], tls: true, tree: { tree-of: site } }, { name: b, tls: false, directives: "respond 204" }]',
  );
  expect(told).toEqual([]);
  expect(sites).toMatchObject([{ tls: 'acme' }, { tls: 'off' }]);
});

test.each([
  ['outside', '../site', 'it is outside of the workspace'],
  ['absolute', '/etc', 'it is outside of the workspace'],
  ['a link that leads out', 'out', 'it is a link that leads out of the workspace'],
  ['a file', 'old.conf', 'it is not a folder'],
  ['of a name that no host is given', 'hostile', '"a\\\\b": this name is not allowed'],
  ['of a name over two lines', 'lines', '"a\\nb": this name is not allowed'],
  ['too large', 'large', 'its files have more than 1 MiB'],
])('a folder that is %s is refused', async (_, path, why) => {
  const half = 'x'.repeat(600_000);
  await put({ 'hostile/a\\b': '', 'lines/a\nb': '', 'large/a': half, 'large/b': half });
  await symlink('/etc', join(root, 'out'));
  for (const [server, site] of [
    ['nginx', SHOP],
    ['caddy', 'name: shop'],
  ] as const)
    expect((await load(server, `[{ ${site}, tree: { tree-of: ${path} } }]`)).told).toEqual([
      `${IN}.tree.tree-of: cannot read the folder "${path}": ${why}`,
    ]);
});

test.each([
  [
    'nginx',
    '[{ name: shop, serverName: a.org, tree: { tree-of: site } }, { name: shop, serverName: b.org, tree: { tree-of: site } }]',
    'taskservs[0].config.sites: each site may be listed only once',
  ],
  [
    'nginx',
    '[{ name: a, serverName: a.org, tree: { tree-of: site } }, { name: b, serverName: "b.org a.org", tree: { tree-of: site } }]',
    'taskservs[0].config.sites: two servers have the same port and host name',
  ],
  [
    'caddy',
    '[{ name: a, hosts: [a.org], tree: { tree-of: site } }, { name: b, hosts: [A.org], tree: { tree-of: site } }]',
    'taskservs[0].config.sites: two sites have the same port and host name',
  ],
  ['nginx', `[{ ${SHOP}, root: /srv/a, tree: { tree-of: site } }]`, `${IN}: a site needs exactly one of root, tree and proxyTo`],
  ['nginx', `[{ ${SHOP} }]`, `${IN}: a site needs root, tree or proxyTo, or directives that serve content`],
  ['caddy', '[{ name: shop, phpSocket: /run/a.sock, directives: "respond 204" }]', `${IN}: phpSocket needs root or tree`],
  [
    'nginx',
    `[{ ${SHOP}, directives: "listen 9000; return 204;" }]`,
    `${IN}.directives: "listen" does not stand here: say port, which others and the firewall go by`,
  ],
  ['nginx', `[{ ${SHOP}, directives: "return 204; } server {" }]`, `${IN}.directives: its braces and quotes are not in pairs`],
  [
    'caddy',
    '[{ name: shop, directives: "bind 0.0.0.0" }]',
    `${IN}.directives: "bind" does not stand here: where it listens follows from what the entry declares public`,
  ],
] as const)('%s is refused with %s', async (server, sites, problem) => expect((await load(server, sites)).told).toEqual([problem]));
