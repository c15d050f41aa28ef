import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { loadFiles } from '../../definition/fixtures.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import { useSecrets } from '../../test/support/home-secrets.js';
import { sourceFrom } from '../definition/definitions.js';
import { GivenHere } from './fixtures.js';
import { GIVEN_KINDS } from './kinds.js';
import { resolveExternalValues } from './with-given.js';

const here = new GivenHere();

describe('a definition', () => {
  const infra = (password: string) =>
    `infra: shop\nprovider: demo\nservers: [{ name: a, plan: small }]\ntaskservs:\n  - { name: redis, config: { password: ${password} } }\n`;

  test('has the names of what it was given, its infra the values, and no other infra or workspace', async () => {
    await writeFile(join(here.root, 'pw.txt'), 'from-file\n');
    here.env = { DB_PASSWORD: 'from-env', PROVISIONING_GIVEN_ENV: 'DB_PASSWORD' };
    for (const [text, value] of [
      ['{ file: pw.txt }', 'from-file'],
      ['{ env: DB_PASSWORD }', 'from-env'],
    ] as const) {
      await writeFile(join(here.root, 'shop.yaml'), infra(text));
      const definition = await resolveExternalValues(
        here.context(),
        await sourceFrom(here.context(), join(here.root, 'shop.yaml')),
      );
      const [{ name } = { name: '' }] = findSecretRefs(definition);
      expect(JSON.stringify(definition)).not.toContain(value);
      const as = (workspace: string, infra: string) =>
        useSecrets(here.context(), (store) =>
          infraSecrets(store, { workspace, infra }, {}, () => ({ operation: 'o', host: 'a' })).get(name),
        );
      expect([await as('default', 'shop'), await as('default', 'other'), await as('other', 'shop')]).toEqual([
        value,
        undefined,
        undefined,
      ]);
    }
  });

  test.each(['vault/token', 'vault/address', 'aws-secrets/secret-access-key'])('is not given %s', async (name) => {
    const { problems } = await loadFiles({ 'infra.yaml': infra(`{ secret: ${name} }`) });
    expect(problems.map(({ message }) => message)).toContainEqual(expect.stringContaining('for who submits alone'));
    await here.set(name, 'x');
    const worker = useSecrets(here.context(), (store) =>
      infraSecrets(store, { workspace: 'default', infra: 'shop' }, {}, () => ({ operation: 'o', host: 'a' })).give(name),
    );
    await expect(worker).rejects.toMatchObject({ details: { code: 'secret-out-of-reach' } });
  });

  test.each([
    ['{ env: "A B" }', 'this is not the name of a variable', '{ env: NAME }'],
    ['{ file: "" }', 'write the path of a file', '{ file: PATH }'],
    ['{ vault: x }', 'write MOUNT/PATH#FIELD', '{ vault: MOUNT/PATH#FIELD }'],
    ['{ aws-secret: "a b" }', 'write NAME', '{ aws-secret: NAME#FIELD }'],
  ])('that says %s is told at its place', async (text, message, form) => {
    const { problems } = await loadFiles({ 'infra.yaml': infra(text) }, {}, GIVEN_KINDS);
    expect(problems[0]).toMatchObject({ line: 5, message: expect.stringContaining(message), suggestion: `write ${form}` });
  });
});
