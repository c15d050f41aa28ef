import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PROGRAM } from './index.js';

/** The program without its last line, which begins it. */
const PARTS = PROGRAM.slice(0, PROGRAM.lastIndexOf('main(sys.argv[1])'));
const SPEC = JSON.stringify({ unit: 'shop', namespace: 'default', wait: 1, conflicts: 'take', kubeconfig: '/x' });

/** The value of an expression in Python, in which `given` is a value of JSON. */
function evaluate(expression: string, given: unknown): unknown {
  const script = `${PARTS}\ngiven = json.loads(os.environ['GIVEN'])\nprint(json.dumps(${expression}))`;
  const env = { ...process.env, SPEC, GIVEN: JSON.stringify(given) };
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('left out: tests of the program, without python3');

test.runIf(hasPython)('a difference of a Secret has none of its values', () => {
  const secret = (data: object, applied: string) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', data },
    metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } },
  });
  const before = secret({ same: 'c2FtZQ==', other: 'Zm9ybWVy' }, 'Zm9ybWVy');
  const after = secret({ same: 'c2FtZQ==', other: 'bm93', more: 'bW9yZQ==' }, 'bm93');
  const lines = evaluate("diff(given[0], given[1])['lines']", [before, after]);
  expect(lines).toEqual(expect.arrayContaining(['-  other: ***', '+  other: *** (another value)', '   same: ***']));
  expect(JSON.stringify(lines)).not.toMatch(/Zm9ybWVy|bm93|bW9yZQ/);
});

test.runIf(hasPython)('texts of the cluster stay on their line', () => {
  const hostile = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a\u001b[2J\nb' }, data: { 'k\n+y': 'one\ntwo\u0007' } };
  expect(evaluate("[title(given), list(lines_of(given['data']))]", hostile)).toEqual([
    'ConfigMap a [2J b',
    ['k +y: |', '  one', '  two?'],
  ]);
});

test.runIf(hasPython)('what the server alone decides is no difference', () => {
  const one = (more: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ...more }, spec: {}, status: more });
  const given = [one({ uid: '1', resourceVersion: '2', generation: 3 }), one({ uid: '4' }), one({ labels: { a: 'b' } })];
  expect(evaluate('[clean(given[0]) == clean(given[1]), clean(given[0]) == clean(given[2])]', given)).toEqual([true, false]);
});

test.runIf(hasPython)('kinds and namespaces come first, webhooks last', () => {
  const kinds = [
    'ValidatingWebhookConfiguration',
    'Deployment',
    'Order',
    'CustomResourceDefinition',
    'ConfigMap',
    'Namespace',
    'Service',
  ];
  const things = kinds.map((kind) => ({ apiVersion: 'v1', kind, metadata: { name: 'a' } }));
  expect(evaluate("[one['kind'] for one in in_order(given)]", things)).toEqual([
    ...['Namespace', 'CustomResourceDefinition', 'ConfigMap', 'Service', 'Deployment', 'Order', 'ValidatingWebhookConfiguration'],
  ]);
});

test.runIf(hasPython).each([
  [{ replicas: 2 }, { observedGeneration: 0 }, 'its controller has not begun'],
  [
    { replicas: 2 },
    { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 2, replicas: 2 },
    '1 of 2 are available, 2 of them new',
  ],
  [
    { replicas: 1 },
    { observedGeneration: 1, availableReplicas: 2, updatedReplicas: 1, replicas: 2 },
    '2 of 1 are available, 1 of them new',
  ],
  [{ replicas: 0 }, { observedGeneration: 1 }, null],
  [{}, { observedGeneration: 1, availableReplicas: 1, updatedReplicas: 1, replicas: 1 }, null],
])('a Deployment with %j and %j: %j', (spec, status, why) => {
  const live = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', generation: 1 }, spec, status };
  expect(evaluate('(unready(given) or [None])[0]', live)).toBe(why);
});

test.runIf(hasPython)('an inventory that others changed is read as far as it can be', () => {
  const lines = [
    '["v1","ConfigMap","shop","a",""]',
    'nonsense',
    '["v1"]',
    '["v1",2,"","",""]',
    '7',
    '["v1","Namespace","","shop","ab"]',
  ];
  const inventory = { data: { objects: lines.join('\n') } };
  expect(evaluate('[title(one) for one in listed_in(given)]', inventory)).toEqual(['ConfigMap shop/a', 'Namespace shop']);
  expect(evaluate('listed_in(given)', { data: null })).toEqual([]);
});

test.runIf(hasPython)('an applied manifest differs from another one, and a digest does not reveal a Secret', () => {
  const one = (kind: string, data: object) => ({ apiVersion: 'v1', kind, metadata: { name: 'a' }, data });
  const given = [
    one('ConfigMap', { a: '1', b: '2' }),
    one('ConfigMap', { b: '2', a: '1' }),
    one('ConfigMap', { a: '1' }),
    one('Secret', { a: '1' }),
  ];
  const [first, same, other, secret] = evaluate('[digest(one) for one in given]', given) as string[];
  expect([same, secret]).toEqual([first, '']);
  expect(other).not.toBe(first);
});

test.runIf(hasPython).each([
  [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }], d: 3 }, true],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1 }, { b: 2 }] }, false],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: {} }, {}, false],
])('%j is in %j: %j', (wanted, live, is) => expect(evaluate('covers(given[1], given[0])', [wanted, live])).toBe(is));

test.runIf(hasPython)('texts of a Secret are among its data, so that one that leaves is removed', () => {
  const given = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { one: 'MQ==' }, stringData: { two: 'zwei' } };
  expect(evaluate('[encode_strings(given), given][1]', given)).toEqual({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
    data: { one: 'MQ==', two: 'endlaQ==' },
  });
});
