import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { loadFiles } from '../fixtures.js';
import { problemText } from '../source/problem.js';
import { Budget, evaluateRule, type Names } from './evaluate-rule.js';
import { parseRule } from './parse-rule.js';
import { RuleFault } from './rule-fault.js';

const NAMES: Names = {
  server: {
    name: 'db',
    cores: 4,
    labels: { tier: 'back' },
    services: [
      { name: 'redis', public: [] },
      { name: 'web', public: [{ port: 80 }] },
    ],
  },
  cost: () => {
    throw new RuleFault('not known', undefined, true);
  },
};
const resultOf = (text: string) => evaluateRule(parseRule(text), NAMES, new Budget());
const faultOf = (text: string): string => {
  try {
    return `no fault: ${JSON.stringify(resultOf(text))}`;
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error;
    return [error.message, error.suggestion].filter(Boolean).join('; ');
  }
};

describe('an expression', () => {
  test.each([
    ['1 + 2 * 3 == 7 && !(2 > 3)', true],
    ['-2 - -3', 1],
    ['7 % 4 / 3', 1],
    ['"a" + \'b\' == "ab"', true],
    ['server.name in ["db", "cache"]', true],
    ['"tier" in server.labels', true],
    ['server.labels["tier"] == "back" ? 1 : 2', 1],
    ['server.services.all(one, one.public.size() == 0)', false],
    ['server.services.exists(one, one.public.exists(p, p.port == 80))', true],
    ['server.services.filter(one, size(one.public) > 0).map(one, one.name)', ['web']],
    ['server.services.map(one, one.public.size()).sum()', 1],
    ['server.name.startsWith("d") && server.name.endsWith("b") && server.name.contains("b")', true],
    ['has(server.labels.tier) && !has(server.labels.owner)', true],
    ['false && server.nonsense', false],
    ['true || server.nonsense', true],
    ['[1, [2, {}]]', undefined],
    ['server.services[1].name', 'web'],
    ['server.services == server.services', true],
    ['null == null && "a" < "b"', true],
  ])('%s', (text, expected) => {
    if (expected === undefined) expect(() => resultOf(text)).toThrow(RuleFault);
    else expect(resultOf(text)).toEqual(expected);
  });

  test.each([
    ['server.coers > 2', '"server" has no "coers"; did you mean "cores"?'],
    ['sever.cores', 'there is no "sever" here; did you mean "server"?'],
    ['server.cores = 2', '"= 2" is not understood; two things are compared by =='],
    ['server.cores & 2', '"& 2" is not understood; write && or ||'],
    ['server.cores >', 'the expression is incomplete'],
    ['(server.cores', '")" is missing at the end'],
    ['1 2', '"2" does not belong there'],
    ['server.name > 2', '">" is for numbers, this is a text'],
    ['server.cores && true', '"&&" asks for true or false, this is a number'],
    ['server.services.al(one, true)', 'there is no function "al"; did you mean "all"?'],
    ['server.services.all(true)', '"all" takes a name and an expression; LIST.all(one, …)'],
    ['server.cores.all(one, true)', '"all" goes through a list, this is a number'],
    ['1 / 0', 'nothing can be divided by 0'],
    ['server.services[7]', '"server.services" has nothing at 7'],
    ['cost.monthly', 'not known'],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, 'an expression may be at most 50 deep; make two rules of it'],
    [`"${'x'.repeat(3_000)}"`, 'an expression has at most 2000 characters; make two rules of it'],
  ])('%s is told', (text, expected) => {
    expect(faultOf(text)).toBe(expected);
  });

  test('reaches nothing but data', () => {
    for (const key of ['constructor', '__proto__', 'toString', 'valueOf', 'prototype', 'hasOwnProperty'])
      for (const text of [
        `server.${key}`,
        `server["${key}"]`,
        `${key}`,
        `server.name.${key}`,
        `server.services.${key}`,
        `server.services.map(${key}, ${key}.${key})`,
      ])
        expect(faultOf(text)).not.toContain('no fault');
    expect(faultOf('server.name.constructor("return 1")')).toBe(
      'there is no function "constructor"; known: all, contains, endsWith, exists, filter, map, size, startsWith, sum',
    );
  });

  test('ends, however much it asks for', () => {
    const list = Array.from({ length: 3_000 }, (_, index) => index);
    const deep = 'many.all(a, many.all(b, many.all(c, a + b + c >= 0)))';
    expect(() => evaluateRule(parseRule(deep), { many: list }, new Budget())).toThrow(
      'the rules take too long over this definition',
    );
    const doubled = `["x"]${'.map(y, y + y)'.repeat(60)}`;
    expect(faultOf(doubled)).toBe('a text of a rule has at most 10000 characters');
  });

  test('of any text is data or a fault, and changes nothing', () => {
    const word = fc.constantFrom(
      'server',
      'cost',
      'x',
      '.',
      '(',
      ')',
      '[',
      ']',
      ',',
      '&&',
      '||',
      '!',
      '==',
      'in',
      '<',
      '+',
      '-',
      '1',
      '"a"',
      'all',
      'map',
      'size',
      'has',
      'name',
      '__proto__',
      'constructor',
      '?',
      ':',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 60 }),
          fc.array(word, { maxLength: 25 }).map((words) => words.join('')),
        ),
        (text) => {
          const before = JSON.stringify(NAMES.server);
          const said = faultOf(text);
          expect(said).toBeTypeOf('string');
          expect(JSON.stringify(NAMES.server)).toBe(before);
          expect(({} as Record<string, unknown>).x).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

const SHOP =
  'infra: shop\nprovider: demo\nservers:\n  - name: db\n    plan: large\ntaskservs:\n  - name: redis\n    public: [redis]\n';
const rulesOf = (rules: string) => ({
  'infra/shop.yaml': SHOP,
  'provisioning.yaml': 'name: shop\n',
  'rules/all.yaml': `rules:\n${rules}`,
});
const RULE = `  - name: nothing-public
    description: No service is reached from outside
    each: service
    check: service.public.size() == 0
`;

describe('rules of a workspace', () => {
  test('refuse a definition that breaks them, with both places', async () => {
    const { problems } = await loadFiles(rulesOf(RULE));
    expect(problems.map(problemText)).toEqual([
      'infra/shop.yaml:7:5: taskservs[0]: db/redis breaks the rule "nothing-public" (rules/all.yaml:2:11): No service is reached from outside',
    ]);
    expect(problems[0]?.code).toBe('rule-broken');
  });

  test('warn, except, and are judged where they are meant', async () => {
    const warned = await loadFiles(rulesOf(`${RULE}    severity: warning\n    hint: take public away\n`));
    expect(warned.problems).toEqual([]);
    expect(warned.definition && warned.warnings?.map(({ message, suggestion }) => [message, suggestion])).toEqual([
      [expect.stringContaining('db/redis breaks the rule "nothing-public"'), 'take public away'],
    ]);
    const excepted = await loadFiles(rulesOf(`${RULE}    except: [{ on: db/redis, infra: shop, reason: moves in March }]\n`));
    expect(excepted.definition && excepted.warnings).toEqual([]);
    expect(excepted.definition && excepted.excepted?.map(({ message }) => message)).toEqual([
      expect.stringContaining('db/redis is excepted from the rule "nothing-public"'),
    ]);
    const elsewhere = await loadFiles(rulesOf(`${RULE}    except: [{ on: db/redis, infra: other, reason: moves in March }]\n`));
    expect(elsewhere.problems).toHaveLength(1);
    const whenNot = await loadFiles(rulesOf(`${RULE}    when: infra.environment == "prod"\n`));
    expect(whenNot.problems).toEqual([]);
  });

  test('see servers, volumes and the environment', async () => {
    const { problems } = await loadFiles(
      {
        ...rulesOf(
          '  - { name: small, description: Small ones, each: server, check: server.cores <= 2 && !server.existing }\n  - { name: protected, description: Production is protected, check: infra.environment != "prod" || infra.protect }\n',
        ),
        'environments/prod.yaml': 'vars: {}\n',
      },
      { environment: 'prod' },
    );
    expect(problems.map(({ line, message }) => [line, message.replace(/FOLDER\//g, '')])).toEqual([
      [1, 'shop breaks the rule "protected" (rules/all.yaml:3:13): Production is protected'],
      [4, 'db breaks the rule "small" (rules/all.yaml:2:13): Small ones'],
    ]);
  });

  test('of which a price is asked that is not known are a warning', async () => {
    const loaded = await loadFiles(
      rulesOf('  - { name: ceiling, description: At most 100 a month, check: cost.monthly <= 100 }\n'),
    );
    expect(loaded.definition && loaded.warnings?.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^shop could not be held against the rule "ceiling" .*: what it costs is not known: the provider has no prices$/,
      ),
    ]);
  });

  test('with a fault are told in their own file, each fault once', async () => {
    const told = async (rules: string) => (await loadFiles(rulesOf(rules))).problems.map(problemText);
    expect(await told('  - { name: a, description: b, each: sever, check: "true" }\n')).toEqual([
      'rules/all.yaml:2:38: rules[0].each: expected one of "infra", "server", "service", "volume", got "sever"; did you mean "server"?',
    ]);
    expect(await told('  - { name: a, description: b, check: "infra.name =" }\n')).toEqual([
      'rules/all.yaml:2:39: rules[0].check: "=" is not understood; two things are compared by ==',
    ]);
    expect(await told('  - { name: a, description: b, check: "infra.nmae == 1" }\n')).toEqual([
      'rules/all.yaml:2:39: rules[0].check: "infra" has no "nmae" (judging shop); did you mean "name"?',
    ]);
    expect(await told(`${RULE}${RULE}`)).toEqual([
      expect.stringContaining('two rules are called "nothing-public", the other is at rules/all.yaml:2'),
    ]);
    expect(await told(`${RULE}    except: [{ on: db/redis }]\n`)).toEqual([expect.stringContaining('"reason" is missing')]);
  });

  test('are those of a workspace: a folder of another thing beside a definition says nothing', async () => {
    const { problems } = await loadFiles({ 'shop.yaml': SHOP, 'rules/alerts.yaml': 'groups: []\n' });
    expect(problems).toEqual([]);
  });
});
