import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { makeFolder } from '../../test/support/temporary-folder.js';
import { configProblemText } from '../config-error.js';
import { buildRegistry } from '../registry/registry.js';
import { lookAtConfig, type ResolveOptions, resolveConfig } from './resolve.js';

/** Creates a home and a workspace folder with these files, and resolves the infra shop in prod there. */
async function placed(files: Record<string, string>, env: NodeJS.ProcessEnv = {}) {
  const root = await makeFolder('layers');
  for (const [name, text] of Object.entries({ 'ws/environments/prod.yaml': '', ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const home = homeOf({ PROVISIONING_HOME: join(root, 'home') });
  await mkdir(home.root, { recursive: true });
  const place = { home, env, workspaceFolder: join(root, 'ws'), infra: 'shop', environment: 'prod' };
  const look = async (options?: ResolveOptions) => {
    const resolution = await lookAtConfig(place, options);
    return { ...resolution, texts: resolution.problems.map((one) => configProblemText(one).replaceAll(root, '')) };
  };
  return { root, place, look };
}

const ALL = {
  'home/config.yaml': 'operation:\n  onFailure: rollback\n  priority: 5\n',
  'ws/provisioning.yaml': 'name: shop\nconfig:\n  operation:\n    onFailure: keep\n',
  'ws/infra/shop.config.toml': '[operation]\nonFailure = "ask"\n',
  'ws/environments/prod.json': '{\n  "config": {\n    "operation": { "onFailure": "rollback-service" } } }\n',
};

test('each layer goes over those before it, and each is known by file and line', async () => {
  const { look, root } = await placed({ ...ALL, 'ws/environments/prod.yaml': '' }, { PROVISIONING_OPERATION_ON_FAILURE: 'keep' });
  await rm(join(root, 'ws/environments/prod.yaml'));
  const { settled, texts } = await look({ flags: { 'operation.onFailure': 'ask' } });
  expect(texts).toEqual([]);
  const { value, winner, statements } = settled.get('operation.onFailure') ?? {};
  expect([value, winner?.layer]).toEqual(['ask', 'flags']);
  expect(
    statements?.map(({ layer, value, file, line, variable }) => [layer, value, file?.replace(root, '') ?? variable, line]),
  ).toEqual([
    ['user', 'rollback', '/home/config.yaml', 2],
    ['workspace', 'keep', '/ws/provisioning.yaml', 4],
    ['infra', 'ask', '/ws/infra/shop.config.toml', 2],
    ['environment', 'rollback-service', '/ws/environments/prod.json', 3],
    ['variables', 'keep', 'PROVISIONING_OPERATION_ON_FAILURE', undefined],
    ['flags', 'ask', undefined, undefined],
  ]);
  expect(settled.get('operation.priority')).toMatchObject({ value: 5, winner: { layer: 'user', line: 3 } });
  expect(settled.get('output.color')).toMatchObject({ value: 'auto', winner: { layer: 'defaults' } });
});

test.each([
  ['a key', 'operation: { onFailure: null }\noutput: { color: null }\n'],
  ['a map of keys', 'operation: null\noutput: null\n'],
  ['what replaces such a map', 'operation: { $replace: {} }\noutput: { $replace: {} }\n'],
])('%s that a layer takes away has its default again, or no value', async (_, text) => {
  const below = 'operation: { onFailure: keep }\noutput: { color: never }\n';
  const { look } = await placed({ 'home/config.yaml': below, 'ws/infra/shop.config.yaml': text });
  const { settled, texts } = await look();
  expect(texts).toEqual([]);
  expect(settled.get('operation.onFailure')?.value).toBeUndefined();
  expect(settled.get('operation.onFailure')?.winner).toBeUndefined();
  expect(settled.get('operation.onFailure')?.statements.at(-1)).toMatchObject({ layer: 'infra' });
  expect(settled.get('output.color')).toMatchObject({ value: 'auto', winner: { layer: 'defaults' } });
});

test('maps of numbers merge by name', async () => {
  const { look } = await placed(
    { 'home/config.yaml': 'worker:\n  limits: { local: 2, hosts: 50 }\n' },
    { PROVISIONING_LIMITS: 'hosts=9 demo/ci=0.5' },
  );
  expect((await look()).settled.get('worker.limits')?.value).toEqual({ local: 2, hosts: 9, 'demo/ci': 0.5 });
});

test('all problems of all layers come at once, with place and suggestion, and without values', async () => {
  const { look, place } = await placed(
    {
      'home/config.yaml': 'engine:\n  prot: 1\n  port: hunter2\nstore:\n  url: [hunter2]\nnamespace: hunter2\n',
      'ws/provisioning.yaml': 'config:\n  operation: hunter2\n',
      'ws/infra/shop.config.yaml': 'operation: { onFailure: kep, prioritty: 1 }\n',
      'ws/environments/prod.yaml': 'config: [hunter2]\n',
    },
    { PROVISIONING_OPERATION_PRIORITY: 'hunter2', PROVISIONING_STORE: 'hunter2', PROVISIONING_STORE_URL: 'hunter3' },
  );
  const { texts } = await look();
  expect(texts).toEqual([
    '/home/config.yaml:2:3: engine.prot: there is no setting "engine.prot"; did you mean "engine.port"?',
    '/home/config.yaml:3:3: engine.port: it is not a whole number from 1 to 65535',
    '/home/config.yaml:5:3: store.url: "store.url" is not a text',
    '/home/config.yaml:6:1: namespace: there is no setting "namespace"; did you mean "engine.namespace"?',
    '/ws/provisioning.yaml:2:3: operation: "operation" is a map of settings; it has onFailure, onTimeout, priority, approve, wait, queue, diff',
    '/ws/infra/shop.config.yaml:1:14: operation.onFailure: it is not one of rollback | rollback-service | keep | ask; did you mean "keep"?',
    '/ws/infra/shop.config.yaml:1:30: operation.prioritty: there is no setting "operation.prioritty"; did you mean "operation.priority"?',
    '/ws/environments/prod.yaml: it is not a list of "name: value"',
    'PROVISIONING_STORE_URL: store.url: it has another value than PROVISIONING_STORE; unset one of them',
    'PROVISIONING_OPERATION_PRIORITY: operation.priority: it is not a whole number from 1 to 5',
  ]);
  await expect(resolveConfig(place)).rejects.toMatchObject({ details: { code: 'bad-settings', why: '10 problems' } });
});

test.each([
  ['ws/provisioning.yaml', 'config: { engine: { profile: evil } }\n'],
  ['ws/provisioning.json', '{ "config": { "store": { "url": "postgres://evil" } } }'],
  ['ws/infra/shop.config.toml', '[worker]\nallowThisHost = true\n'],
  ['ws/infra/shop.config.yaml', 'store: { passwordFile: /etc/shadow }\n'],
  ['ws/provisioning.yaml', 'config: { store: null }\n'],
  ['ws/environments/prod.yaml', 'config: { engine: { $replace: { taskQueue: evil } } }\n'],
])('%s that comes with a folder cannot say %j', async (file, text) => {
  const { look, place } = await placed({ [file]: text });
  const { settled, texts } = await look();
  expect(texts).toEqual([expect.stringMatching(/a setting of the machine's engine, and a workspace cannot set it/)]);
  expect([...settled.values()].flatMap(({ statements }) => statements).filter(({ layer }) => layer !== 'defaults')).toEqual([]);
  await expect(resolveConfig(place)).rejects.toMatchObject({ details: { code: 'config-scope', blame: 'user' } });
});

test.each([
  ['home/config.yaml', '__proto__: { engine: { port: 1 } }\n'],
  ['home/config.json', '{ "constructor": { "prototype": {} } }'],
  ['home/config.toml', '[engine.__proto__]\nport = 1\n'],
  ['ws/provisioning.yaml', 'config:\n  operation: { "prototype": 1 }\n'],
])('%s cannot reach into the language by %j', async (file, text) => {
  const { look } = await placed({ [file]: text });
  expect((await look()).texts).toEqual([
    expect.stringMatching(/:\d+:\d+: no key may be called "(__proto__|constructor|prototype)"/),
  ]);
  expect(({} as Record<string, unknown>).port).toBeUndefined();
});

test('a layer has one file', async () => {
  const twice = await placed({ 'home/config.yaml': '', 'home/config.json': '{}' });
  expect((await twice.look()).texts).toEqual([
    expect.stringMatching(
      '^/home/config.json: the layer user has .*/home/config.yaml as well; keep one of them, and remove the other$',
    ),
  ]);
  const former = await placed({ 'home/config.yaml': '', 'home/settings.yaml': 'profile: a\n' });
  expect((await former.look()).texts).toEqual([
    expect.stringMatching(/settings.yaml: the layer user has .* move what .* says into/),
  ]);
});

test('an environment that is named has to be there; names are no paths', async () => {
  const { place, look } = await placed({ 'ws/environments/staging.json': '{}' });
  const text = async (environment: string, workspaceFolder: string | undefined = place.workspaceFolder) =>
    configProblemText((await lookAtConfig({ ...place, environment, workspaceFolder })).problems[0] as never);
  expect(await text('prdo')).toMatch(/there is no environment "prdo"; did you mean "prod"\?$/);
  expect(await text('prod', '')).toMatch(/there is no environment "prod"/);
  const { problems } = await lookAtConfig({ ...place, workspaceFolder: undefined });
  expect(problems[0]?.message).toContain('not in a workspace');
  await expect(lookAtConfig({ ...place, environment: '../prod' })).rejects.toMatchObject({
    details: { code: 'config-environment' },
  });
  await expect(lookAtConfig({ ...place, infra: 'a/b' })).rejects.toMatchObject({ details: { code: 'config-infra' } });
  expect((await look()).texts).toEqual([]);
});

test('what is known is kept until a file or a variable changes', async () => {
  const { root, place } = await placed(ALL);
  await rm(join(root, 'ws/environments/prod.json'));
  const later = () => new Promise((resolve) => setTimeout(resolve, 80));
  await later();
  const first = await lookAtConfig(place);
  expect(await lookAtConfig(place)).toBe(first);
  await writeFile(join(root, 'ws/provisioning.yaml'), 'config:\n  operation: { priority: 1 }\n');
  const second = await lookAtConfig(place);
  expect([first, second].map(({ settled }) => settled.get('operation.priority')?.value)).toEqual([5, 1]);
  // Immediately again and with the same length: the clock of the file system may show the same moment.
  await writeFile(join(root, 'ws/provisioning.yaml'), 'config:\n  operation: { priority: 2 }\n');
  expect((await lookAtConfig(place)).settled.get('operation.priority')?.value).toBe(2);
  const other = await lookAtConfig({ ...place, env: { PROVISIONING_OPERATION_PRIORITY: '4' } });
  expect(other.settled.get('operation.priority')?.value).toBe(4);
});

test('who names an environment is told that there is none, and nobody else, in whatever order they ask', async () => {
  const { place } = await placed({ 'home/config.yaml': 'operation: { priority: 3 }\n' });
  await new Promise((resolve) => setTimeout(resolve, 80));
  const about = { ...place, workspaceFolder: undefined };
  const problems = async (environment?: string) => (await lookAtConfig({ ...about, environment })).problems.length;
  expect([await problems('prdo'), await problems(), await problems('prdo'), await problems()]).toEqual([1, 0, 1, 0]);
});

test('any registry is resolved in the same way', async () => {
  const registry = buildRegistry([{ name: 'a.b', type: { kind: 'switch' }, description: 'x', scope: 'client', default: true }]);
  const { look } = await placed({ 'home/config.yaml': 'a: { b: false }\n' });
  expect((await look({ registry })).settled.get('a.b')).toMatchObject({ value: false, winner: { layer: 'user' } });
});
