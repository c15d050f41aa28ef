import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import type { DefinitionInput } from '../interpolation/interpolate.js';
import { problemText } from '../source/problem.js';
import { loadBatch } from './load-batch.js';

const SHOP = 'infra: shop\nprovider: hetzner\nservers:\n  - { name: web }\n  - { name: own, provider: demo }\n';

async function load(operations: string, { head = '', input }: { head?: string; input?: DefinitionInput } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'batch-'));
  try {
    await writeFile(join(folder, 'batch.yaml'), `batch: all\n${head}operations:\n${operations}`);
    await writeFile(join(folder, 'shop.yaml'), SHOP);
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>(), input };
    const { plan, problems } = await loadBatch(join(folder, 'batch.yaml'), options);
    return { plan, problems: problems.map((problem) => problemText(problem).replaceAll(`${folder}/`, '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('an operation says where servers come from and are, unless they say it themselves', async () => {
  const { plan, problems } = await load(
    `  - { name: eu, kind: cluster, file: shop.yaml, infra: shop-eu, region: eu-central }
  - { name: us, kind: cluster, file: shop.yaml, infra: shop-us, provider: upcloud, region: us-east }
`,
  );
  expect(problems).toEqual([]);
  const served = Object.values(plan?.definitions ?? {}).map(({ servers }) =>
    servers.map(({ provider, zone }) => `${provider} ${zone}`),
  );
  expect(served).toEqual([
    ['hetzner fsn1', 'demo demo-eu-1'],
    ['upcloud us-nyc1', 'demo demo-us-1'],
  ]);
  expect(plan?.operations.map(({ definition }) => definition)).toEqual([
    'shop.yaml in eu-central',
    'shop.yaml at upcloud in us-east',
  ]);
});

test('a provider or region that is none is told where the operation says it', async () => {
  const { problems } = await load(
    `  - { name: a, kind: cluster, file: shop.yaml, infra: shop-a, provider: hetzer }
  - { name: b, kind: cluster, file: shop.yaml, infra: shop-b, region: mars }
  - { name: c, kind: cluster, infra: shop, region: eu-central }
`,
  );
  expect(problems).toEqual([
    'batch.yaml:3:73: operations[0].provider: unknown provider "hetzer"; did you mean "hetzner"?',
    'batch.yaml:4:71: operations[1].region: the provider "hetzner" is not in the region "mars"; known: ap-southeast, eu-central, eu-north, us-east, us-west',
    'batch.yaml:4:71: operations[1].region: the provider "demo" is not in the region "mars"; known: eu-central, eu-north, us-east',
    'batch.yaml:5:44: operations[2].region: "region" is for a definition, and none is named; add the file of the definition',
  ]);
});

test('one infra is not made in two regions', async () => {
  const { problems } = await load(
    `  - { name: a, kind: cluster, file: shop.yaml, region: eu-central }
  - { name: b, kind: cluster, file: shop.yaml, region: us-east }
`,
  );
  expect(problems).toEqual([
    expect.stringContaining('the infra "shop" has another definition in operations[0], "shop.yaml in eu-central"'),
  ]);
});

test('expressions are those of definitions', async () => {
  const head = 'vars: { region: eu-central, count: { type: number } }\n';
  const operations =
    '  - { name: a, kind: cluster, file: shop.yaml, infra: "shop-{i}", count: "{{ vars.count }}", region: "{{ vars.region }}" }\n';
  const { plan, problems } = await load(operations, { head, input: { vars: ['count=2'] } });
  expect(problems).toEqual([]);
  expect(plan?.operations.map(({ infra, definition }) => [infra, definition])).toEqual([
    ['shop-1', 'shop.yaml in eu-central'],
    ['shop-2', 'shop.yaml in eu-central'],
  ]);
  expect((await load(operations, { head })).problems).toEqual([
    expect.stringContaining('batch.yaml:2:36: vars.count: the variable "count" has no value'),
  ]);
  const misspelt = await load(operations.replace('vars.region', 'vars.regoin'), { head, input: { vars: ['count=2'] } });
  expect(misspelt.problems).toEqual([
    expect.stringContaining('operations[0].region: there is no variable "regoin"; did you mean "region"?'),
  ]);
});
