import { expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import { inputError } from '../../core/errors.js';
import { demoDefinition } from '../../test/support/definition.js';
import { failure } from '../../test/support/secret-client.js';
import { keepSource, rememberSources } from './keep-bundle.js';

const BUNDLE = 'b'.repeat(64);

/** A platform that keeps files, or refuses them with a code. */
const platform = (code?: string) =>
  ({
    bundles: {
      put: async () => {
        if (code !== undefined) throw inputError({ code, what: 'store the files', why: 'a test' });
        return { bundle: BUNDLE, missing: [] };
      },
    },
  }) as unknown as Client;

function read({ environment, module }: { environment?: string; module?: string } = {}) {
  const definition = demoDefinition('shop', { servers: [{ name: 'web', plan: 'small' }], taskservs: ['nginx'] });
  for (const taskserv of definition.servers.flatMap(({ taskservs }) => taskservs)) if (module) Object.assign(taskserv, { module });
  const texts = [{ file: '/shop/shop.yaml', text: 'infra: shop\n' }];
  rememberSources(definition, { main: '/shop/shop.yaml', texts, ...(environment !== undefined && { environment }) });
  return definition;
}

test.each(['not-for-tenants', 'no-worker'])('a platform that keeps no files (%s) gets the environment', async (code) => {
  expect(await keepSource(platform(), read({ environment: 'prod' }))).toEqual({ bundle: BUNDLE });
  expect(await keepSource(platform(code), read({ environment: 'prod' }))).toEqual({ environment: 'prod' });
  expect(await keepSource(platform(code), read())).toEqual({});
});

test('a definition with code is refused by a platform that keeps no files', async () => {
  const module = 'c'.repeat(64);
  await expect(keepSource(platform('not-for-tenants'), read({ module }))).rejects.toMatchObject(failure('not-for-tenants'));
  await expect(keepSource(platform('store-failed'), read())).rejects.toMatchObject(failure('store-failed'));
});
