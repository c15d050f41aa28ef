import { expect, test } from 'vitest';
import { LIMITS } from '../../core/limits.js';
import { load } from '../fixtures.js';
import { problemText } from './problem.js';
import { readToml } from './read-toml.js';

const SHOP = `# the shop
infra = "shop"

[[servers]]
name = "web"
count = 2
labels = { tier = "front", "a b" = "c" }

  [[servers.taskservs]]
  name = "redis"
  version = 1.20

[[servers]]
name = "db"
taskservs = ["base", { name = "redis", version = 2, config.port = 6380 }]
`;

test('a definition in TOML says the same as one in YAML', async () => {
  const { definition } = await load(SHOP, 'shop.toml');
  const yaml = `infra: shop
servers:
  - { name: web, count: 2, labels: { tier: front, a b: c }, taskservs: [{ name: redis, version: 1.20 }] }
  - { name: db, taskservs: [base, { name: redis, version: 2, config: { port: 6380 } }] }
`;
  expect(definition).toBeDefined();
  expect(definition).toEqual((await load(yaml)).definition);
  expect(definition?.servers[0]?.taskservs[0]?.version).toBe('1.20');
});

test.each([
  [['infra'], 'key', '2:1'],
  [['infra'], 'value', '2:9'],
  [['servers'], 'key', '4:3'],
  [['servers', 0, 'count'], 'value', '6:9'],
  [['servers', 0, 'labels', 'a b'], 'key', '7:28'],
  [['servers', 0, 'taskservs', 0], 'value', '9:13'],
  [['servers', 0, 'taskservs', 0, 'version'], 'value', '11:13'],
  [['servers', 1], 'value', '13:3'],
  [['servers', 1, 'taskservs', 1, 'config', 'port'], 'key', '15:60'],
  [['servers', 1, 'taskservs', 1, 'config', 'gone', 'more'], 'key', '15:53'],
  [['gone'], 'key', '1:1'],
] as const)('%j by its %s stands at %s', (path, at, place) => {
  const { line, column } = readToml('shop.toml', SHOP).place(path, at);
  expect(`${line}:${column}`).toBe(place);
});

const problems = async (text: string) => (await load(text, 'shop.toml')).problems.map((one) => problemText(one).slice(10));

test('what a schema finds is told of with its place in the text', async () => {
  expect(await problems('infra = "shop"\n[[servers]]\nname = "web"\nplan = "smal"\ncolour = "red"\n')).toEqual([
    '4:8: servers[0].plan: the provider "local" has no plan "smal"; did you mean "small"?',
    expect.stringMatching(/^5:1: servers\[0\]\.colour: unknown key "colour"/),
  ]);
});

const deep = LIMITS.fileDepth + 1;
test.each([
  ['a key twice', 'infra = "a"\ninfra = "b"\n', /^2:\d+: it is not valid TOML: /],
  ['what is no TOML', 'infra: shop\n', /^1:\d+: it is not valid TOML: /],
  ['lists inside each other', `a = ${'['.repeat(deep)}`, /^1:69: lists and maps are nested more than 64 levels deep/],
  [
    '20,000 closed lists',
    `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    /^1:69: lists and maps are nested more than 64 levels deep/,
  ],
  ['a key of many parts', `a${'.a'.repeat(20_000)} = 1`, /: a key has more than 64 parts/],
  [
    'tables below each other',
    `[${Array(40).fill('a').join('.')}]\n${Array(40).fill('b').join('.')} = 1`,
    /more than 64 levels deep/,
  ],
  ['a million signs', `a = [${'1,'.repeat(400_000)}]`, /more than 100000 keys and signs/],
  ['a date', 'a = 1979-05-27\n', /^1:5: write a date or time as a text, in quotes/],
  ['a number beyond what is exact', 'a = 9007199254740993\n', /^1:5: this number is too large/],
  ['__proto__', '[a.__proto__]\nb = 1\n', /^1:4: no key may be called "__proto__"/],
  ['an escape', 'a = "\u001b[2J"\n', /^1:6: the character U\+001B/],
  ['an escape that TOML writes', 'a = "\\u001b[2J"\n', /^1:5: the character U\+001B/],
])('%s: one error, with its place', async (_, text, says) => {
  const found = await problems(text);
  expect(found).toEqual([expect.stringMatching(says)]);
});

test('brackets, dots and signs in texts and comments are not counted', async () => {
  const noise = '[{.,='.repeat(20);
  const text = `# ${noise}
infra = "shop"
[[servers]]
name = "web"
labels = { a = "${noise}\\"${noise}", b = '${noise}"' }
taskservs = [{ name = "web", config.title = """
${noise} ""${noise}""", config.extra = { a = '''
${noise}
''' } }]
`;
  expect((await load(text, 'shop.toml')).problems).toEqual([]);
});
