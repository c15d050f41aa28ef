import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { loadDefinition } from '../load-definition.js';
import { problemText } from '../source/problem.js';

async function load(services: string, settings = '') {
  const folder = await mkdtemp(join(tmpdir(), 'instances-'));
  try {
    await writeFile(
      join(folder, 'shop.yaml'),
      `infra: shop\n${settings}servers: [{ name: web, count: 2 }, { name: lb }]\ntaskservs:\n${services}`,
    );
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
    const { definition, problems } = await loadDefinition(join(folder, 'shop.yaml'), options);
    return { definition, told: problems.map((one) => problemText(one).replace(`${folder}/`, '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const app = (name: string, port: number, more = '') =>
  `  - { name: ${name}, on: { role: web }, config: { ${more}source: { directory: ./src }, build: { run: [make] }, migrate: ./migrate, processes: { web: { command: ./serve } }, port: ${port} } }\n`;
const told = async (services: string) => (await load(services)).told;

describe('several applications on a server', () => {
  const two = app('app@shop', 8080) + app('app@admin', 8081);

  test('are services of their own, each with what it brings along, and named as the definition names them', async () => {
    const { definition, told } = await load(
      `${two}  - { name: haproxy, on: { role: lb }, config: { backend: { taskserv: app@shop } } }\n`,
    );
    expect(told).toEqual([]);
    const [first, second, lb] = definition?.servers ?? [];
    const parts = ['app-build@admin', 'app-build@shop', 'app-migrate@admin', 'app-migrate@shop'];
    expect(first?.taskservs.map(({ name }) => name).sort()).toEqual([...parts, 'app@admin', 'app@shop'].sort());
    expect(second?.taskservs.map(({ name }) => name).sort()).toEqual(['app@admin', 'app@shop']);
    const shop = second?.taskservs.find(({ name }) => name === 'app@shop');
    expect(shop).toMatchObject({ config: { name: 'shop' }, after: ['app-build@shop', 'app-migrate@shop'] });
    // A service that follows the taskserv follows each instance of it.
    expect(lb?.taskservs[0]?.after).toEqual(expect.arrayContaining(['app@shop', 'app@admin']));
  });

  test('come after what is applied before them, with what they bring along', async () => {
    const files =
      '  - { name: files, on: { role: web }, before: [app], config: { files: { partner: { path: /etc/partner.pem, content: a } } } }\n';
    const { definition, told } = await load(two + files);
    expect(told).toEqual([]);
    const after = new Map(definition?.servers.flatMap(({ taskservs }) => taskservs.map(({ name, after }) => [name, after])));
    for (const name of ['app', 'app-build', 'app-migrate'])
      for (const instance of ['shop', 'admin']) expect(after.get(`${name}@${instance}`)).toContain('files');
  });

  test('stand beside the one that has no instance', async () => {
    expect(await told(app('app', 8080, 'name: shop, ') + app('app@admin', 8081))).toEqual([]);
  });

  test('are laid over each other entry by entry, as any service', async () => {
    const closer = '  - { name: app@shop, on: { server: web-1 }, config: { keep: 7 } }\n';
    const { definition, told } = await load(two + closer);
    expect(told).toEqual([]);
    const keeps = definition?.servers.map(({ taskservs }) =>
      taskservs.flatMap(({ name, config }) => (name === 'app@shop' ? [(config as { keep: number }).keep] : [])),
    );
    expect(keeps).toEqual([[7], [2], []]);
  });

  test('are named in expressions as in the definition', async () => {
    const env = (value: string) => app('app@shop', 8080, `env: { URL: "${value}" }, `) + app('app@admin', 8081);
    const { definition, told: none } = await load(
      env("{{ taskservs.app@admin.port | default: 'app.a@b' }}"),
      'interpolate: true\n',
    );
    expect(none).toEqual([]);
    const shop = definition?.servers[0]?.taskservs.find(({ name }) => name === 'app@shop');
    expect(shop).toMatchObject({ config: { env: { URL: 8081 } }, after: expect.arrayContaining(['app@admin']) });
    const { told } = await load(env('{{ taskservs.app@amdin.port }}'), 'interpolate: true\n');
    expect(told[0]).toContain('unknown taskserv "app@amdin"; did you mean "app@admin"?');
  });

  test.each([
    [
      'with a name that is none',
      app('app@Shop', 1),
      'the name of an instance has up to 20 lower-case letters, digits and dashes, and "Shop" is not; write app@shop',
    ],
    ['of what there is only one of', '  - nginx@shop\n', 'a server can have "nginx" only once; write nginx'],
    ['of what there is not', '  - ap@shop\n', 'unknown taskserv "ap@shop"; did you mean "app"?'],
    [
      'with another name in the configuration',
      app('app@shop', 8080, 'name: admin, '),
      'app@shop is the application shop: leave the name out',
    ],
    [
      'with the name of one without an instance',
      app('app', 8080, 'name: shop, ') + app('app@shop', 8081),
      '/etc/app-shop.env is a file of the taskserv "app@shop"',
    ],
    [
      'whose units are called alike',
      app('app@a', 8080).replace('web:', 'b-c:') + app('app@a-b', 8081).replace('web:', 'c:'),
      '/etc/systemd/system/app-a-b-c.service is a file of the taskserv',
    ],
    [
      'whose units are called like those of a migration',
      app('app@migrate', 8080).replace('web:', 'shop:') + app('app@shop', 8081),
      '/etc/systemd/system/app-migrate-shop.service is a file of the taskserv "app@migrate"',
    ],
    ['on one port', app('app@shop', 8080) + app('app@admin', 8080), '"app@shop" and "app@admin" both listen on tcp port 8080'],
    [
      'that a balancer names wrongly',
      `${two}  - { name: haproxy, on: { role: lb }, config: { backend: { taskserv: app@shp } } }\n`,
      'unknown taskserv "app@shp"; did you mean "app@shop"?',
    ],
  ])('are refused %s, in one line for each server', async (_, services, message) => {
    const lines = await told(services);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain(message);
    expect(lines.length).toBeLessThanOrEqual(2);
  });
});
