import { expect, test } from 'vitest';
import { REGISTRY } from '../../../settings/registry/keys.js';
import { isServiceField } from '../../../settings/registry/registry.js';
import { runLine } from '../../fake-run.js';

const all = [...REGISTRY.keys.values()];
const product = all.filter((key) => !isServiceField(key));

test('settings of the product and fields of taskservs are listed and counted by themselves', async () => {
  const counts = { productKeys: product.length, serviceFields: all.length - product.length };
  const keys = await runLine('config keys');
  for (const { name } of product) expect(keys.out).toContain(`\n${name} `);
  expect(keys.err).toBe(
    `${counts.productKeys} settings of the product, ${counts.serviceFields} fields of taskservs: config keys --services\n`,
  );
  const services = await runLine('config keys --services');
  for (const { name } of all.filter(isServiceField)) expect(services.out).toContain(`\n${name} `);
  const document = JSON.parse((await runLine('config keys --json')).out);
  expect(document.counts).toEqual(counts);
  expect([document.keys.length, document.serviceFields.length]).toEqual([counts.productKeys, counts.serviceFields]);
});

test('the schema takes what the layer takes, and nothing else', async () => {
  const user = JSON.parse((await runLine('config schema')).out);
  expect(Object.keys(user.properties)).toContain('engine');
  const { config } = JSON.parse((await runLine('config schema --layer environment')).out).properties;
  const client = new Set(all.flatMap(({ name, scope }) => (scope === 'client' ? [name.split('.')[0]] : [])));
  expect(Object.keys(config.properties).sort()).toEqual([...client].sort());
  expect(config.properties).not.toHaveProperty('providers');
  expect(config.properties.taskservs.anyOf[0].properties.redis.anyOf[0].properties.port.default).toBe(6379);
  expect(config.additionalProperties).toBe(false);
});
