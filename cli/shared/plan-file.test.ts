import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationEvent } from '../../app/schemas/operation.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { runLine } from '../fake-run.js';
import { type FakeOptions, fakeClient, fakeSession, progressOf, resultOf } from '../fake-session.js';
import { operate, type Wish } from './operate.js';
import { planIn } from './plan-file.js';

const WISH: Wish = { kind: 'cluster', infra: 'demo', intent: { verb: 'delete' }, destroysByName: true };
const STEP: PlannedStep = {
  on: 'hub',
  taskserv: 'redis',
  title: 'Write /etc/redis/redis.conf',
  change: 'change',
  step: { title: 'Write /etc/redis/redis.conf', file: { path: '/etc/redis/redis.conf', content: ['pass ', { $secret: 'pw' }] } },
};
const HARM: PlannedStep = { on: 'web-3', title: 'Delete the server web-3', machine: 'delete', destructive: true };
const HASH = planHash([STEP, HARM].map(planLineOf));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plans-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function set(plan: PlannedStep[], options: FakeOptions = {}) {
  const ending = (request: OperationRequest): OperationEvent[] => [{ type: 'end', result: resultOf(request, { plan }) }];
  const { client, submitted } = fakeClient(ending);
  return { session: fakeSession({ root: folder, ...options, client }), client, submitted };
}
async function saved(options: FakeOptions = {}): Promise<string> {
  const file = join(folder, 'demo.plan');
  const { session, submitted } = set([STEP, HARM], options);
  expect(await operate(session, { planOut: file, onFailure: 'keep', batchSize: '50%' }, WISH)).toBe(0);
  expect(submitted.map(({ check }) => check)).toEqual([true]);
  return file;
}

describe('a plan', () => {
  test('is saved with what is asked for, and without scripts or contents', async () => {
    const plan = await planIn(await saved());
    expect(plan).toMatchObject({
      hash: HASH,
      made: { by: 'ann@desk' },
      infra: 'demo',
      request: { kind: 'cluster', intent: { verb: 'delete' }, onFailure: 'keep', update: { batch: '50%' }, allowDestroy: true },
      steps: [{ on: 'hub', taskserv: 'redis', change: 'change', does: expect.any(String) }, HARM],
    });
    expect(JSON.stringify(plan)).not.toContain('pass ');
  });

  test('is asked about as it was saved, without looking again, and asked for with its options', async () => {
    const file = await saved();
    const { client, submitted } = set([]);
    const { code, session } = await runLine(`apply ${file}`, { root: folder, client, interactive: true, answers: [true, true] });
    expect([code, session.asked]).toEqual([0, ['Run these 2 steps on demo?']]);
    expect(session.said()).toContain('hub/redis\n  ~ Write /etc/redis/redis.conf\nweb-3\n  - Delete the server web-3 (destroys)\n');
    expect(submitted).toMatchObject([
      {
        intent: { verb: 'delete' },
        onFailure: 'keep',
        update: { batch: '50%' },
        planned: { hash: HASH, lines: [{ on: 'hub' }, {}] },
      },
    ]);
    expect(submitted[0]).not.toHaveProperty('check');
  });

  test('needs --yes where nobody can be asked, as everything that changes something', async () => {
    const file = await saved();
    expect((await runLine(`apply ${file}`, { root: folder })).err).toContain('--yes');
  });

  test.each([
    ['its steps', (text: string) => text.replace('Delete the server web-3', 'Delete the server web-4')],
    ['its request', (text: string) => text.replace('"keep"', '"rollback"')],
    ['its checksum', (text: string) => text.replace(/"checksum": "[0-9a-f]{8}/, '"checksum": "00000000')],
  ])('that was edited in %s is refused', async (_, edit) => {
    const file = await saved();
    await writeFile(file, edit(await readFile(file, 'utf8')));
    await expect(planIn(file)).rejects.toMatchObject({ details: { code: 'bad-plan', blame: 'user' } });
  });

  test('is told from a definition by what is in it', async () => {
    await writeFile(join(folder, 'a.json'), '{ "infra": "demo" }');
    expect(await planIn(join(folder, 'a.json'))).toBeUndefined();
    expect(await planIn(join(folder, 'nowhere.yaml'))).toBeUndefined();
    await writeFile(join(folder, 'b.plan'), 'infra: demo\n');
    await expect(planIn(join(folder, 'b.plan'))).rejects.toMatchObject({ details: { code: 'bad-plan' } });
  });
});

describe('the plan that a person said yes to', () => {
  test('is the one that is carried out', async () => {
    const { session, submitted } = set([STEP, HARM], { interactive: true, answers: [true] });
    expect(await operate(session, {}, WISH)).toBe(0);
    expect(submitted.map(({ check, planned }) => [check, planned?.hash])).toEqual([
      [true, undefined],
      [undefined, HASH],
    ]);
  });

  test('is approved by its hash', async () => {
    const approvals: unknown[] = [];
    const waiting = progressOf({ status: 'waiting', question: 'approval', plan: [STEP], planHash: HASH });
    const client: FakeOptions['client'] = {
      'operations.progress': async () => waiting,
      'operations.approve': async (input) => void approvals.push(input),
    };
    const line = 'workflow approve op --no-wait';
    await runLine(line, { client, interactive: true, answers: [true] });
    expect((await runLine(line, { client, interactive: true, answers: [false] })).code).toBe(5);
    await runLine(`${line} --plan ${HASH.slice(0, 16)}`, { client });
    await runLine(line, { client });
    expect(approvals).toEqual([
      { operation: 'op', approved: true, plan: HASH },
      { operation: 'op', approved: true, plan: HASH.slice(0, 16) },
      { operation: 'op', approved: true },
    ]);
  });
});
