import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GivenHere } from '../given/fixtures.js';
import { batchFrom } from './batch-file.js';

const here = new GivenHere();

async function writeFleet(): Promise<string> {
  const file = join(here.root, 'fleet.yaml');
  await writeFile(file, 'batch: fleet\noperations:\n  - { name: a, kind: cluster, file: shop.yaml }\n');
  await writeFile(join(here.root, 'shop.yaml'), 'infra: shop\nprovider: demo\nservers: [{ name: web }]\n');
  return file;
}

const listEnvironments = async (flags?: { env?: string }) =>
  (await batchFrom(here.context(), await writeFleet(), flags)).plan.operations.map(({ environment }) => environment);

test('a batch has the environment that --env names', async () => {
  expect(await listEnvironments({ env: 'prod' })).toEqual(['prod']);
  here.env.PROVISIONING_ENV = 'staging';
  expect(await listEnvironments()).toEqual([undefined]);
  expect(await listEnvironments({ env: 'prod' })).toEqual(['prod']);
});
