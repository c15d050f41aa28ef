import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { loadFiles } from '../fixtures.js';
import { problemText } from '../source/problem.js';
import type { DefinitionInput } from './interpolate.js';

const problemsOf = async (files: Record<string, string> | string, input?: DefinitionInput) =>
  (await loadFiles(typeof files === 'string' ? { 'shop.yaml': files } : files, input)).problems.map(problemText);
const definitionOf = async (files: Record<string, string> | string, input?: DefinitionInput) => {
  const { definition, problems } = await loadFiles(typeof files === 'string' ? { 'shop.yaml': files } : files, input);
  expect(problems).toEqual([]);
  return definition;
};
const SERVERS = 'infra: shop\nservers:\n  - { name: web, count: 2 }\n';
/** A definition whose web servers have these texts in their configuration. */
const extra = (texts: string, more = 'interpolate: true\n') =>
  `${more}${SERVERS}taskservs:\n  - name: web\n    config:\n      extra: ${texts}\n`;
const extraOf = async (text: string, input?: DefinitionInput) =>
  (await definitionOf(text, input))?.servers.map(
    ({ taskservs }) => (taskservs[0]?.config as { extra?: unknown } | undefined)?.extra,
  );

describe('a definition that says nothing of expressions', () => {
  test('keeps its texts as they are', async () => {
    expect(await extraOf(extra('{ a: "{{ $labels.instance }}", b: "{{ vars.x }}", c: "{{" }', ''))).toEqual(
      Array(2).fill({ a: '{{ $labels.instance }}', b: '{{ vars.x }}', c: '{{' }),
    );
    expect(await extraOf(extra('{ a: "{{ vars.x }}" }', 'interpolate: false\nvars: { x: 1 }\n'))).toEqual(
      Array(2).fill({ a: '{{ vars.x }}' }),
    );
  });
});

describe('variables', () => {
  test('a text that is one expression keeps the type; others become text', async () => {
    const definition = await definitionOf(
      'vars: { n: 3, big: true, plan: large, labels: { type: map, default: { a: b } } }\ninfra: shop-{{ vars.n }}\nprotect: "{{ vars.big }}"\nservers:\n  - { name: web, count: "{{ vars.n }}", plan: "{{ vars.plan }}", labels: "{{ vars.labels }}" }\n',
    );
    expect(definition).toMatchObject({ infra: 'shop-3', protect: true });
    expect(definition?.servers).toHaveLength(3);
    expect(definition?.servers[0]).toMatchObject({ plan: { name: 's4' }, labels: { a: 'b' } });
  });

  test('values: the default, the environment, files of the command line, the command line', async () => {
    const files = {
      'shop.yaml': extra(
        '{ v: "{{ vars.a }} {{ vars.b }} {{ vars.c }} {{ vars.d }}" }',
        'vars: { a: "0", b: "0", c: "0", d: "0" }\n',
      ),
      'environments/prod.yaml': 'vars: { b: "1", c: "1", d: "1", of-another-definition: 1 }\n',
      'here.yaml': 'vars: { c: "2", d: "2" }\n',
    };
    const found = await loadFiles(files, { environment: 'prod', varFiles: ['here.yaml'], vars: ['d=3'] });
    expect(found.definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ extra: { v: '0 1 2 3' } });
    expect(await problemsOf({ ...files, 'here.yaml': 'vars: { e: "2" }\n' }, { varFiles: ['here.yaml', 'gone.yaml'] })).toEqual([
      'here.yaml:1:9: vars.e: there is no variable "e"; did you mean "a"?',
      'gone.yaml:1:1: the file does not exist',
    ]);
  });

  test('an overlay gives another default, and leaves the declaration', async () => {
    const files = {
      'shop.yaml': extra('{ v: "{{ vars.size }}" }', 'vars: { size: { type: string, default: s, enum: [s, m, l] } }\n'),
    };
    const prod = { environment: 'prod' };
    expect(
      (await definitionOf({ ...files, 'shop.prod.yaml': 'vars: { size: m }\n' }, prod))?.servers[0]?.taskservs[0]?.config,
    ).toMatchObject({ extra: { v: 'm' } });
    expect(await problemsOf({ ...files, 'shop.prod.yaml': 'vars:\n  size: xl\n' }, prod)).toEqual([
      'shop.prod.yaml:2:9: vars.size: the variable "size" is one of s, m, l; did you mean "l"?',
    ]);
  });

  test('what is wrong with a value is told where it is said, and the value is not', async () => {
    const files = { 'shop.yaml': `vars:\n  n: { type: number }\n  s: { type: string, default: 7 }\n${SERVERS}` };
    expect(await problemsOf({ ...files, 'environments/prod.yaml': 'vars:\n  n: hunter2\n' }, { environment: 'prod' })).toEqual([
      'environments/prod.yaml:2:6: vars.n: the variable "n" is a number, this is a text',
      'shop.yaml:3:31: vars.s.default: the variable "s" is a text, this is a number',
    ]);
    expect(await problemsOf(files, { vars: ['n=hunter2', 'm=1', 'x'] })).toEqual([
      'shop.yaml:1:1: vars: --var: there is no variable "m"; did you mean "n"?',
      'shop.yaml:1:1: vars: --var: write NAME=VALUE; --var size=large',
      'shop.yaml:2:3: vars.n: --var: "n" is a number, and the text is not; write digits, such as 3 or 1.5',
    ]);
    expect(await problemsOf(SERVERS, { vars: ['n=1'] })).toEqual([
      'shop.yaml:1:1: vars: --var: this definition declares no variables; declare it: vars: { n: { type: string } }',
    ]);
    expect(
      await problemsOf(
        { 'shop.yaml': `vars: { a: x }\n${SERVERS}`, 'environments/prod.yaml': 'protect: true\n' },
        { environment: 'prod' },
      ),
    ).toEqual([
      'environments/prod.yaml:1:1: protect: unknown key "protect"; put values of variables below "vars"; other keys belong in an overlay',
    ]);
  });

  test('the file of an environment may have its settings beside the values', async () => {
    const files = {
      'shop.yaml': extra('{ v: "{{ vars.n }}" }', 'vars: { n: one }\n'),
      'environments/prod.yaml': 'config: { operation: { priority: 1 } }\nvars: { n: two }\n',
    };
    expect((await definitionOf(files, { environment: 'prod' }))?.servers[0]?.taskservs[0]?.config).toMatchObject({
      extra: { v: 'two' },
    });
    expect(await problemsOf(files, { varFiles: ['environments/prod.yaml'] })).not.toEqual([]);
  });

  test('each that has no value is an error', async () => {
    expect(await problemsOf(`vars:\n  a: { type: string }\n  b: { type: list }\n${SERVERS}`)).toEqual([
      'shop.yaml:2:6: vars.a: the variable "a" has no value; --var a=VALUE, a default, or environments/NAME.yaml with --env NAME',
      'shop.yaml:3:6: vars.b: the variable "b" has no value; --var b=VALUE, a default, or environments/NAME.yaml with --env NAME',
    ]);
    expect(await definitionOf(`vars:\n  b: { type: list }\n${SERVERS}`, { vars: ['b=["x"]'] })).toMatchObject({ infra: 'shop' });
  });

  test('a default may be an expression, or text that is to stay', async () => {
    const vars =
      'vars: { n: 2, m: "{{ vars.n }}", r: { default: { raw: "{{ x }}" } }, t: { type: string, default: "{{ vars.n }}" } }\n';
    expect(await problemsOf(extra('{ a: "{{ vars.m }}" }', vars))).toEqual([
      expect.stringContaining('vars.t.default: the variable "t" is a text, this is a number'),
    ]);
    const right = vars.replace(', t: { type: string, default: "{{ vars.n }}" }', '');
    expect(await extraOf(extra('{ a: "{{ vars.m }}x", b: "{{ vars.r }}" }', right))).toEqual(
      Array(2).fill({ a: '2x', b: '{{ x }}' }),
    );
    expect(await problemsOf(extra('{ a: "{{ vars.r }}" }', right), { vars: ['r=\u200b'] })).toEqual([
      expect.stringContaining('the value of "r" holds the character U+200B'),
    ]);
  });

  test('a person who is there is asked for each that has none', async () => {
    const file = extra(
      '{ v: "{{ vars.n }} {{ vars.s }}" }',
      'vars: { n: { type: number, description: How many }, s: { type: string }, d: x }\n',
    );
    const asked: string[] = [];
    const asking = (...answers: string[]): DefinitionInput => ({
      ask: async ({ name, description }) => {
        asked.push(`${name}: ${description}`);
        return answers.shift() ?? '';
      },
    });
    expect((await extraOf(file, asking('3', 'some')))?.[0]).toEqual({ v: '3 some' });
    expect(asked).toEqual(['n: How many', 's: undefined']);
    expect(await problemsOf(file, asking('three', 'some'))).toEqual([
      'shop.yaml:1:12: vars.n: "n" is a number, and the text is not; write digits, such as 3 or 1.5',
    ]);
  });

  test('those that need each other are told with their path, once', async () => {
    const vars = 'vars:\n  a: "{{ vars.b }}"\n  b: "x{{ vars.c }}"\n  c: "{{ vars.a | upper }}"\n';
    expect(await problemsOf(extra('{ v: "{{ vars.a }}" }', vars))).toEqual([
      'shop.yaml:4:6: vars.c: variables depend on each other: a → b → c → a; write one of the values',
    ]);
    expect(await problemsOf('interpolate: true\ninfra: "a{{ infra.name }}"\nservers: [{ name: web }]\n')).toEqual([
      'shop.yaml:2:8: infra: the name of the infra needs itself: infra → infra; write it without an expression',
    ]);
  });

  test('what doubles with each variable is bounded', async () => {
    const vars = Array.from({ length: 40 }, (_, index) => `  v${index + 1}: "{{ vars.v${index} }}{{ vars.v${index} }}"\n`).join('');
    const found = await problemsOf(extra('{ v: "{{ vars.v40 }}" }', `vars:\n  v0: ${'x'.repeat(100)}\n${vars}`));
    expect(found).toEqual([expect.stringContaining('expressions make more than 4 MiB of the definition')]);
  });

  test('one that is sensitive is a reference to the secret of its name, and never a text', async () => {
    const file = (text: string, vars = '{ redis-password: { sensitive: true } }') =>
      `vars: ${vars}\ninfra: shop\nservers: [{ name: web }]\ntaskservs:\n  - name: redis\n    config: ${text}\n`;
    const definition = await definitionOf(file('{ password: "{{ vars.redis-password }}" }'));
    expect(definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ password: { $secret: 'redis-password' } });
    expect(await problemsOf(file('{ policy: "x{{ vars.redis-password }}" }'))).toEqual([
      'shop.yaml:6:23: taskservs[0].config.policy: the variable "redis-password" is sensitive: it cannot be part of a text or another variable; write "{{ vars.redis-password }}" as the whole value, in a field that accepts { secret: NAME }',
    ]);
    expect(await problemsOf(file('{ policy: "{{ vars.redis-password }}" }'))).toEqual([
      expect.stringMatching(/^shop\.yaml:6:23: taskservs\[0\]\.config\.policy: expected one of .*, got a secret$/),
    ]);
    const leaks = [
      await problemsOf(file('{}', '{ p: { sensitive: true, default: hunter2 } }')),
      await problemsOf(file('{}', '{ p: { sensitive: true } }'), { vars: ['p=hunter2'] }),
      await problemsOf(
        { 'shop.yaml': file('{}', '{ p: { sensitive: true } }'), 'environments/prod.yaml': 'vars: { p: hunter2 }\n' },
        { environment: 'prod' },
      ),
      await problemsOf(file('{}', '{ p: { sensitive: true }, q: "{{ vars.p }}" }')),
    ];
    for (const found of leaks) {
      expect(found).toEqual([expect.stringContaining('is sensitive')]);
      expect(found.join()).not.toContain('hunter2');
    }
  });
});

describe('other names', () => {
  test('of the environment those that are listed, of the workspace, the infra, the place and the day', async () => {
    const text = extra(
      '{ a: "{{ env.REGION | lower }}", b: "{{ workspace.name }}/{{ infra.name | upper }}", c: "{{ now.date }}", d: "{{ paths.base }}", e: "{{ env.GONE | default: \'none\' }}" }',
      'env: [REGION, GONE]\n',
    );
    expect((await extraOf(text, { environ: { REGION: 'EU' } }))?.[0]).toEqual({
      a: 'eu',
      b: 'default/SHOP',
      c: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      d: expect.stringMatching(/definition-/),
      e: 'none',
    });
    expect(
      await problemsOf(extra('{ a: "{{ env.HOME }}", b: "{{ env.REGION }}" }', 'env: [REGION]\n'), { environ: { HOME: '/root' } }),
    ).toEqual([
      'shop.yaml:8:19: taskservs[0].config.extra.a: the definition does not list the environment variable "HOME"; add it: env: [REGION, HOME]',
      expect.stringContaining('extra.b: "env.REGION" has no value here; {{ env.REGION | default: "…" }}'),
    ]);
  });

  test('the branch that is checked out', async () => {
    const files = { 'infra/shop.yaml': extra('{ a: "{{ git.branch }}" }') };
    const at = (head: string) => loadFiles({ ...files, '.git/HEAD': head });
    expect((await at('ref: refs/heads/feature/x\n')).definition?.servers[0]?.taskservs[0]?.config).toMatchObject({
      extra: { a: 'feature/x' },
    });
    expect((await at(`${'a'.repeat(40)}\n`)).problems.map(problemText)).toEqual([
      expect.stringContaining('no branch is checked out here'),
    ]);
  });

  test('of a server what is in its configuration, for each by itself', async () => {
    expect(
      await extraOf(
        extra(
          '{ a: "{{ server.name }}.example", b: "{{ server.index | default: 0 }}" }'.replace(' | default: 0', ' }}/{{ infra.name'),
        ),
      ),
    ).toEqual([
      { a: 'web-1.example', b: '1/shop' },
      { a: 'web-2.example', b: '2/shop' },
    ]);
    expect(await problemsOf('interpolate: true\ninfra: shop\nservers:\n  - { name: web, plan: "{{ server.name }}" }\n')).toEqual([
      'shop.yaml:4:24: servers[0].plan: values of "server" are only available in the configuration of its taskservs; text that is to stay as it is: !raw before it, or { raw: … }',
    ]);
    expect(await problemsOf(extra('{ a: "{{ server.nmae }}" }'))).toEqual([
      expect.stringContaining('there is no "server.nmae"; did you mean "name"?'),
    ]);
  });

  test('those that are unknown, with the nearest', async () => {
    expect(
      await problemsOf(
        extra(
          '{ a: "{{ vars.szie }}", b: "{{ vras.size }}", c: "{{ vars.size | uper }}", d: "{{ now.dat }}" }',
          'vars: { size: x }\n',
        ),
      ),
    ).toEqual([
      expect.stringContaining('extra.a: there is no variable "szie"; did you mean "size"?'),
      expect.stringContaining('extra.b: there is no "vras"; did you mean "vars"?'),
      expect.stringContaining('extra.c: there is no filter "uper"; known: default, join, lower, trim, upper'),
      expect.stringContaining('extra.d: there is no "now.dat"; did you mean "date"?'),
    ]);
  });
});

describe('text that is to stay', () => {
  test('passes by !raw and by { raw }, and the error names them', async () => {
    const found = await extraOf(extra('{ a: !raw "{{ $labels.job }}", b: { raw: "{{ $value }}" }, c: "{% if x %}" }'));
    expect(found?.[0]).toEqual({ a: '{{ $labels.job }}', b: '{{ $value }}', c: '{% if x %}' });
    expect(await problemsOf(extra('{ a: "{{ $labels.job }}" }'))).toEqual([
      'shop.yaml:8:19: taskservs[0].config.extra.a: "{{ $labels.job }}" is not an expression; write {{ NAME }} or {{ NAME | filter }}; text that is to stay as it is: !raw before it, or { raw: … }',
    ]);
  });

  test('a value that looks like an expression is none', async () => {
    expect(await extraOf(extra('{ a: "{{ env.X }}" }', 'env: [X]\n'), { environ: { X: '{{ workspace.name }}' } })).toEqual(
      Array(2).fill({ a: '{{ workspace.name }}' }),
    );
    expect((await extraOf(extra('{ a: "{{ vars.x }}" }', 'vars: { x: a }\n'), { vars: ['x={{ env.HOME }}'] }))?.[0]).toEqual({
      a: '{{ env.HOME }}',
    });
  });

  test('whatever text has no braces stays what it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), async (text) => {
        fc.pre(!text.includes('{{'));
        const found = await loadFiles({
          'shop.json': JSON.stringify({
            interpolate: true,
            infra: 'a',
            servers: [{ name: 'a', taskservs: [{ name: 'web', config: { title: text } }] }],
          }),
        });
        expect(found.definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ title: text });
      }),
      { numRuns: 30 },
    );
  });
});
