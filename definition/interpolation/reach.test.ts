import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { loadFiles } from '../fixtures.js';

/** A definition whose web server has these texts in its configuration. */
const extra = (texts: string, vars: string) =>
  `${vars}infra: shop\nservers:\n  - { name: web }\ntaskservs:\n  - name: web\n    config:\n      extra: ${texts}\n`;

test('nothing but data is reached by a name', async () => {
  const names = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'size', 'first', 'length'];
  const groups = ['vars', 'vars.m', 'vars.l', 'vars.s', 'env', 'now', 'server', 'constructor', '__proto__'];
  const text = fc.tuple(fc.constantFrom(...groups), fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }));
  const vars = 'vars: { m: { type: map, default: { a: b } }, l: [1], s: text }\n';
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom('', ' | upper', ' | join: ","'), async ([group, path], filter) => {
      const { definition, problems } = await loadFiles({
        'shop.yaml': extra(`{ a: "{{ ${[group, ...path].join('.')}${filter} }}" }`.replace('join: ","', "join: ','"), vars),
      });
      expect(definition).toBeUndefined();
      expect(problems).toHaveLength(1);
    }),
    { numRuns: 60, examples: [[['vars.l', ['length']], '']] },
  );
  for (const call of ['vars.s()', 'vars.s.replace("a")', 'vars["s"]', 'vars.s + 1', '%x', 'vars.s | default', 'a\nb', '']) {
    const { definition } = await loadFiles({
      'shop.yaml': `${vars}infra: shop\nservers: [{ name: web }]\ntaskservs: [{ name: web, config: { title: ${JSON.stringify(`{{ ${call} }}`)} } }]\n`,
    });
    expect([call, definition !== undefined]).toEqual([call, call === 'vars.s | default']);
  }
});

test.each(['HCLOUD_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'PGPASSWORD', 'PROVISIONING_ENCRYPTION_KEYS', 'API_KEY'])(
  'a definition cannot have %s of who applies it',
  async (name) => {
    const files = { 'shop.yaml': extra(`{ v: "{{ env.${name} }}" }`, `env: [${name}]\n`) };
    const { problems } = await loadFiles(files, { environ: { [name]: 'hunter2' } });
    expect(problems.map(({ message }) => message)).toEqual([`"${name}" is named like a secret`]);
  },
);
