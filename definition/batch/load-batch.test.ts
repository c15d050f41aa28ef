import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { problemText } from '../source/problem.js';
import { loadBatch } from './load-batch.js';

const FARM =
  'infra: farm\nprovider: demo\nservers:\n  - { name: web, count: 3 }\n  - { name: db }\ntaskservs: [{ name: redis, on: { server: db } }]\n';

async function load(text: string, others: Record<string, string> = { 'farm.yaml': FARM }, environment?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'load-batch-'));
  try {
    for (const [name, content] of Object.entries({ 'batch.yaml': text, ...others })) await writeFile(join(folder, name), content);
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
    const { plan, problems } = await loadBatch(join(folder, 'batch.yaml'), { ...options, environment });
    return { plan, problems: problems.map((problem) => problemText(problem).replaceAll(`${folder}/`, '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const batch = (operations: string, more = '') => `batch: fleet\n${more}operations:\n${operations}`;

describe('a batch file', () => {
  it('says ten thousand operations in a few lines, by stage', async () => {
    const { plan, problems } = await load(
      batch(
        `  - { name: make, kind: server, file: farm.yaml, infra: 'farm-{i}', count: 2500, forEach: server }
  - { name: check, kind: cluster, infra: 'farm-{i}', count: 2500, needs: ['make-{i}-db'], after: [make] }
`,
      ),
    );
    expect(problems).toEqual([]);
    expect(plan?.operations).toHaveLength(12_500);
    expect(plan?.operations[3]).toMatchObject({
      name: 'make-1-db',
      infra: 'farm-1',
      servers: ['db'],
      stage: 0,
      accounts: ['demo'],
    });
    const last = plan?.operations.at(-1);
    expect(last).toMatchObject({ name: 'check-2500', stage: 1, needs: [9_999], after: [[0, 9_999]] });
  });

  it('puts the urgent first within a stage', async () => {
    const { plan } = await load(
      batch('  - { name: a, kind: cluster, infra: x }\n  - { name: b, kind: cluster, infra: y, priority: 1 }\n'),
    );
    expect(plan?.operations.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('names the environment of its definitions, and of nothing else', async () => {
    const text = batch(
      '  - { name: a, kind: cluster, file: farm.yaml }\n  - { name: b, kind: server, do: restart, file: farm.yaml, servers: [db], after: [a] }\n',
    );
    const { plan, problems } = await load(text, { 'farm.yaml': FARM }, 'prod');
    expect(problems).toEqual([]);
    expect(plan?.operations.map(({ name, environment }) => [name, environment])).toEqual([
      ['a', 'prod'],
      ['b', undefined],
    ]);
  });

  it('switches servers, and applies nothing for it', async () => {
    const { plan, problems } = await load(
      batch('  - { name: again, kind: server, do: restart, file: farm.yaml, forEach: server }\n'),
    );
    expect(problems).toEqual([]);
    expect(plan?.operations).toHaveLength(4);
    expect(plan?.operations[0]).toEqual({
      ...{ name: 'again-web-1', kind: 'server', verb: 'restart', infra: 'farm', servers: ['web-1'] },
      ...{ stage: 0, accounts: ['demo'] },
    });
  });

  it.each([
    [
      '  - { name: a, kind: cluster, do: stop, infra: x }',
      'batch.yaml:3:35: operations[0].do: "stop" is for servers, this is a cluster; write kind: server',
    ],
    [
      '  - { name: a, kind: server, do: stop, infra: x }',
      'batch.yaml:3:34: operations[0].do: it does not name the servers to stop; name them with servers, or write forEach: server',
    ],
    [
      '  - { name: a, kind: server, file: farm.yaml, servers: [web-9] }',
      'batch.yaml:3:57: operations[0].servers[0]: the definition has no server "web-9"; did you mean "web-1"?',
    ],
    [
      '  - { name: a, kind: cluster, file: farn.yaml }',
      'batch.yaml:3:37: operations[0].file: "farn.yaml": the file does not exist',
    ],
    [
      '  - { name: a, kind: cluster }',
      'batch.yaml:3:5: operations[0]: it says neither infra nor file; name the infra, or the file of its definition',
    ],
    [
      '  - { name: first, kind: cluster, infra: x }\n  - { name: b, kind: cluster, infra: x, needs: [frist] }',
      'batch.yaml:4:49: operations[1].needs[0]: there is no operation "frist"; did you mean "first"?',
    ],
    [
      '  - { name: a, kind: cluster, infra: x }\n  - { name: a, kind: cluster, infra: y }',
      'batch.yaml:4:13: operations[1].name: two operations are named "a"; the other is in operations[0]',
    ],
    [
      '  - { name: a, kind: cluster, infra: x, needs: [b] }\n  - { name: b, kind: cluster, infra: x, after: [a] }',
      'batch.yaml:3:5: operations[0]: these operations wait for each other: a → b → a; remove one of the dependencies',
    ],
    [
      '  - { name: a, kind: cluster, file: farm.yaml }\n  - { name: b, kind: cluster, file: more.yaml }',
      'batch.yaml:4:37: operations[1].file: the infra "farm" has another definition in operations[0], "farm.yaml"; one infra, one definition',
    ],
    [
      '  - { name: a, kind: server, file: farm.yaml, servers: ["web-{i}"], count: 4 }',
      'batch.yaml:3:57: operations[0].servers[0]: the definition has no server "web-4"; did you mean "web-1"?',
    ],
    [
      '  - { name: a, kind: cluster, infra: "farm-{each}" }',
      'batch.yaml:3:38: operations[0].infra: {each} is used without forEach; set its values with forEach',
    ],
    [
      '  - { name: a, kind: cluster, file: farm.yaml, infra: "farm-{each}", forEach: [x, "Y Z"] }',
      'batch.yaml:3:55: operations[0].infra: "farm-Y Z" cannot be the name of an infra; lower-case letters, digits and dashes, a letter first, at most 40 of them',
    ],
    [
      '  - { name: a, kind: clustr, infra: x }\n  - { name: b, kind: cluster, infra: x, needs: [a] }',
      'batch.yaml:3:22: operations[0].kind: expected one of "cluster", "server", "taskserv", got "clustr"; did you mean "cluster"?',
    ],
  ])('one clear problem for %s', async (operations, problem) => {
    const { problems } = await load(batch(`${operations}\n`), { 'farm.yaml': FARM, 'more.yaml': FARM });
    expect(problems).toEqual([problem]);
  });

  it('says of a definition that it is one', async () => {
    expect((await load(FARM)).problems).toEqual([
      'batch.yaml:1:1: the file defines an infra, not a batch; provisioning apply batch.yaml',
    ]);
  });

  it('names what is wrong in a definition at its own place, and limits that nothing has', async () => {
    const { problems } = await load(
      batch(
        '  - { name: a, kind: cluster, file: bad.yaml }\n  - { name: b, kind: cluster, file: farm.yaml }\n',
        'accounts: { dmo: 3 }\n',
      ),
      { 'bad.yaml': 'infra: bad\nservers: [{ name: a, plan: smal, provider: demo }]\n', 'farm.yaml': FARM },
    );
    expect(problems).toHaveLength(2);
    expect(problems[0]).toBe('batch.yaml:2:13: accounts.dmo: no operation works on an account "dmo"; did you mean "demo"?');
    expect(problems[1]).toMatch(/^bad\.yaml:2:\d+: servers\[0\]\.plan: .*"smal".*did you mean "small"/);
  });

  it('leads to no program, where it is data', async () => {
    const { problems } = await load(batch('  - { name: a, kind: cluster, file: farm.ts }\n'), {
      'farm.ts': "throw new Error('it ran');",
    });
    expect(problems).toEqual([
      expect.stringMatching(/^batch\.yaml:3:.*a definition cannot include a program, and this batch is data/),
    ]);
  });
});
