import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { loadFiles } from './fixtures.js';
import type { ReferenceKinds } from './reference-kinds.js';

const kinds: ReferenceKinds = {
  vial: {
    form: '{ vial: FILE, drop: NUMBER }',
    keys: ['vial', 'drop'],
    shape: z.strictObject({ vial: z.string({ error: 'a vial is a file' }), drop: z.number().optional() }),
    check: async ({ vial }: { vial: string }, root) =>
      access(join(root, vial)).then(
        () => undefined,
        () => ({ message: `there is no vial "${vial}"`, suggestion: 'fill one' }),
      ),
  },
};

const infra = (password: string, more = '') => `infra: shop
provider: local
servers:
  - { name: db, plan: small }
taskservs:
  - name: redis
    on: { server: db }
    config:
      password: ${password}
${more}`;

test('a reference becomes the name of a secret, and what has to be read is noted with its place', async () => {
  const { definition, given } = await loadFiles({ 'infra.yaml': infra('{ vial: a.txt, drop: 2 }'), 'a.txt': 'x' }, {}, kinds);
  expect(given).toEqual([
    {
      name: expect.stringMatching(/^given\/vial\/[0-9a-f]{16}$/),
      kind: 'vial',
      reference: { vial: 'a.txt', drop: 2 },
      path: ['taskservs', 0, 'config', 'password'],
    },
  ]);
  expect(definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ password: { $secret: given?.[0]?.name } });
  // The submitted definition must not contain the read value.
  expect(JSON.stringify(definition)).not.toContain('a.txt');
});

test('what it names is looked at, in the folder of the workspace, and told where it is said, beside all else', async () => {
  const files = {
    'infra/shop.yaml': infra(
      '{ vial: there.txt }',
      '      users: [{ name: ann, password: { vial: gone.txt } }]\n      port: 99999',
    ),
    'provisioning.yaml': 'workspace: x',
    'there.txt': 'x',
  };
  const { problems } = await loadFiles(files, {}, kinds);
  expect(problems).toMatchObject([
    { line: 10, path: 'taskservs[0].config.users[0].password', message: 'there is no vial "gone.txt"', suggestion: 'fill one' },
    { line: 11, path: 'taskservs[0].config.port' },
  ]);
});

test('what is written wrong is told with how it is written', async () => {
  const { problems } = await loadFiles({ 'infra.yaml': infra('{ vial: 5 }') }, {}, kinds);
  expect(problems[0]).toMatchObject({
    path: 'taskservs[0].config.password.vial',
    message: 'a vial is a file',
    suggestion: 'write { vial: FILE, drop: NUMBER }',
  });
});

test.each(['{ vial: a.txt, other: 1 }', '{ bottle: a.txt }'])('%s is no such reference', async (text) => {
  const { problems } = await loadFiles({ 'infra.yaml': infra(text) }, {}, kinds);
  expect(problems.map(({ path }) => path)).toContain('taskservs[0].config.password.$secret');
});
