import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../fixtures.js';
import { readToml } from '../source/read-toml.js';
import { readJson, readYaml } from '../source/source.js';
import { convertSource } from './convert.js';
import { formatDefinitionText } from './format-text.js';
import { addSeenGroups, createGraph, renderDot, renderMermaid } from './graph.js';

const UNTIDY = `# What the shop runs on
servers:
    # in front
    - {name: web, count: 2}   # two of them
    - name: db

# who we are
infra: shop
taskservs:
- {name: redis, version: 1.20, config: {port: 6380}}
- name: web
  config:
    title: !raw "{{ x }}"
vars:
  a: 1
`;

test('a file that is formatted has its keys in order, its comments, and says the same', async () => {
  const tidy = await formatDefinitionText(UNTIDY, '.yaml');
  expect(tidy).toBe(`# What the shop runs on

vars:
  a: 1

# who we are
infra: shop
servers:
  # in front
  - { name: web, count: 2 } # two of them
  - name: db
taskservs:
  - { name: redis, version: 1.20, config: { port: 6380 } }
  - name: web
    config:
      title: !raw "{{ x }}"
`);
  expect(await formatDefinitionText(tidy, '.yaml')).toBe(tidy);
  expect(readYaml('a.yaml', tidy).value).toEqual(readYaml('a.yaml', UNTIDY).value);
  expect(readYaml('a.yaml', tidy).isRaw?.(['taskservs', 1, 'config', 'title'])).toBe(true);
});

test('an alias stays behind what it names', async () => {
  const text = 'servers:\n  - { name: a, labels: &l { x: y } }\nvars: { labels: { default: *l } }\n';
  expect(await formatDefinitionText(text, '.yaml')).toBe(text);
});

test('each example says the same when it is formatted', async () => {
  const folder = join(import.meta.dirname, '../../examples');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8');
    const tidy = await formatDefinitionText(text, '.yaml');
    expect(readYaml(name, tidy)).toMatchObject({ faults: [], value: readYaml(name, text).value });
    expect([name, (await formatDefinitionText(tidy, '.yaml')) === tidy]).toEqual([name, true]);
    const comments = (from: string) => from.match(/(?<=^|\s)#.*$/gm)?.sort();
    expect(comments(tidy)).toEqual(comments(text));
  }
});

test('JSON too', async () => {
  expect(await formatDefinitionText('{"servers": [{"name": "a"}], "infra": "x"}', '.json')).toBe(
    '{\n  "infra": "x",\n  "servers": [\n    {\n      "name": "a"\n    }\n  ]\n}\n',
  );
});

test('a file that is converted says the same, there and back', async () => {
  const yaml = readYaml('a.yaml', UNTIDY);
  const json = await convertSource(yaml, 'json');
  expect(JSON.parse(json)).toMatchObject({
    infra: 'shop',
    taskservs: [{ version: '1.20' }, { config: { title: { raw: '{{ x }}' } } }],
  });
  const back = await convertSource(readJson('a.json', json), 'yaml');
  const toml = readToml('a.toml', await convertSource(yaml, 'toml'));
  expect(toml).toMatchObject({ faults: [], value: JSON.parse(json) });
  const { faults, value } = readYaml('a.yaml', back);
  expect(faults).toEqual([]);
  expect(value).toEqual(JSON.parse(json));
});

const UNTIDY_TOML = `# What the shop runs on

  protect=true
# who we are
infra   =   "shop"  # for short

[[taskservs]]
name="redis"
  [taskservs.config]
  port = 6380   # ours
  # the last one

[[servers]] # in front
    name = "web"
    labels = { a="b",   c = "d" }
    taskservs = [
      "base", # first
    ]
[vars]
title = """
  a

  b   """
# at the end
`;

test('TOML that is formatted has its tables in order, its comments, and says the same', async () => {
  const tidy = await formatDefinitionText(UNTIDY_TOML, '.toml');
  expect(tidy).toBe(`# What the shop runs on

# who we are
infra = "shop" # for short

protect = true

[vars]
title = """
  a

  b   """

[[servers]] # in front
name = "web"
labels = { a="b",   c = "d" }
taskservs = [
      "base", # first
    ]

[[taskservs]]
name = "redis"

[taskservs.config]
port = 6380 # ours
# the last one

# at the end
`);
  expect(await formatDefinitionText(tidy, '.toml')).toBe(tidy);
  expect(readToml('a.toml', tidy)).toMatchObject({ faults: [], value: readToml('a.toml', UNTIDY_TOML).value });
});

test('what has a null cannot be TOML, and the error says where', async () => {
  const source = readYaml('a.yaml', 'infra: shop\nservers:\n  - name: web\n    labels: { a: null }\n');
  await expect(convertSource(source, 'toml')).rejects.toThrow('a.yaml:4: servers[0].labels.a is null');
});

test('a graph has servers, what they carry, and what needs what', async () => {
  const { definition } = await load(
    'infra: demo\nservers:\n  - { name: web, taskservs: [web, redis] }\n  - { name: hub, role: all, taskservs: [reader] }\n',
  );
  if (!definition) throw new Error('the test has no definition');
  const graph = createGraph(definition);
  expect(graph.edges).toEqual([
    { from: 'web/web', to: 'web/redis' },
    { from: 'hub/reader', to: 'web/redis', of: 'redis' },
  ]);
  expect(renderMermaid(graph)).toBe(`flowchart LR
  subgraph s1["web"]
    n1["redis"]
    n2["web"]
  end
  subgraph s2["hub (all)"]
    n3["reader"]
  end
  n2 --> n1
  n3 -->|redis| n1
`);
  expect(renderDot(graph)).toBe(`digraph {
  rankdir=LR;
  subgraph cluster_s1 {
    label="web";
    n1 [label="redis"];
    n2 [label="web"];
  }
  subgraph cluster_s2 {
    label="hub (all)";
    n3 [label="reader"];
  }
  n2 -> n1;
  n3 -> n1 [label="redis"];
}
`);
});

test('a graph has the groups of services, each with its members', () => {
  const etcd = { name: 'etcd', group: 'main', endpoints: [], after: [] };
  const graph = createGraph({
    servers: ['a', 'b'].map((name) => ({ name, role: name, taskservs: [etcd, { ...etcd, name: 'nginx', group: undefined }] })),
  } as never);
  expect(graph.groups).toEqual([{ taskserv: 'etcd', name: 'main', members: ['a/etcd', 'b/etcd'] }]);
  expect(renderMermaid(graph)).toContain('  g1(["etcd group main: 2 members"])\n  g1 -.- n1\n  g1 -.- n3\n');
  expect(renderDot(graph)).toContain(
    '  g1 [label="etcd group main: 2 members", shape=ellipse];\n  g1 -> n1 [style=dashed, dir=none];',
  );
});

test('a graph says how its groups are now, by the member that saw most, and takes no text of hosts over', () => {
  const etcd = { name: 'etcd', group: 'main', endpoints: [], after: [] };
  const graph = createGraph({ servers: ['a', 'b', 'c'].map((name) => ({ name, role: name, taskservs: [etcd] })) } as never);
  const silent = (server: string) => ({ server, state: 'silent' as const });
  const a = { server: 'a', state: 'seen' as const, serves: true as const, leads: true as const };
  const b = { server: 'b', state: 'seen' as const, why: '"]; evil' };
  const seen = addSeenGroups(graph, [
    { taskserv: 'etcd', group: { name: 'main', needed: 2, members: [a, silent('b'), silent('c')] } },
    { taskserv: 'etcd', group: { name: 'main', needed: 2, members: [a, b, silent('c')] } },
    { taskserv: 'etcd', group: { name: 'other', needed: 1, members: [a] } },
  ]);
  expect(seen.groups?.[0]?.now?.members).toEqual([a, b, silent('c')]);
  const label = 'etcd group main: 1 of 3 members serve, 2 needed, a leads';
  expect(renderMermaid(seen)).toContain(`g1(["${label}"])`);
  for (const node of ['n1["etcd, leads"]', 'n2["etcd, does not serve"]', 'n3["etcd, does not answer"]'])
    expect(renderMermaid(seen)).toContain(node);
  expect(renderDot(seen)).toContain('n1 [label="etcd, leads"];');
  expect(renderDot(seen)).toContain(`g1 [label="${label}", shape=ellipse];`);
  expect(renderMermaid(seen) + renderDot(seen)).not.toContain('evil');
  expect(addSeenGroups(graph, [])).toEqual(graph);
});
