import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bundle } from '../../../core/definition/bundle.js';
import { addressOf } from '../../../core/infra/definition-log.js';
import type { OperationRequest, OperationResult } from '../../../core/operation/operation.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { addressOfFile } from '../../../definition/source/file-address.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, type Fakes, fakeClient, inventoryNamed, resultOf } from '../../fake-session.js';

const STEP: PlannedStep = { on: 'web-1', title: 'Create the server', change: 'add' };

describe('the environment of a cluster', () => {
  let folder: string;
  let sent: OperationRequest[];
  beforeEach(async () => {
    applied = undefined;
    folder = await mkdtemp(join(tmpdir(), 'cluster-'));
    await mkdir(join(folder, 'infra'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const at = (name: string) => join(folder, 'infra', `${name}.yaml`);
  const says = (name: string) => readFile(at(name), 'utf8');
  const exists = (name: string) =>
    stat(at(name)).then(
      () => true,
      () => false,
    );

  /** Bundle of the definition in force. Absent: its files are not known. */
  let applied: Partial<Bundle> | undefined;
  async function cluster(line: string, infras: string[] = [], options: FakeOptions = {}, end: Partial<OperationResult> = {}) {
    const { client, submitted } = fakeClient((request) => [
      { type: 'end', result: resultOf(request, request.check ? { plan: [STEP] } : end) },
    ]);
    const known = async () => infras;
    const fakes = {
      ...client,
      'infras.list': known,
      'infras.inventory': async ({ infra }: { infra: string }) => (infras.includes(infra) ? inventoryNamed(infra) : undefined),
      'infras.definitions': async () =>
        applied ? [{ operation: 'op-1', actor: 'ann', at: '2026-11-01T00:00:00Z', hash: applied.definition, inForce: true }] : [],
      'operations.request': async () => ({ bundle: 'b'.repeat(64) }),
      'bundles.read': async () => ({ workspace: 'default', files: [], ...applied }),
    } as unknown as Fakes;
    const ran = await runLine(`cluster ${line}`, { folder, client: fakes, ...options });
    sent = submitted.filter(({ check }) => !check);
    return { ...ran, err: ran.err.replaceAll(/\S*\/infra\//g, 'infra/').replaceAll(/\S*\/clusters\//g, 'clusters/') };
  }

  const TEXT = '# ours\ninfra: shop\nprovider: demo\nuse:\n  web:\n    count: 2 # enough\n';

  test('create refuses values that an overlay of its environment determines', async () => {
    await writeFile(at('shop.prod'), 'use: { web: { count: 7 } }\n');
    const { code, err } = await cluster('create web --name shop --set count=5 --provider demo --env prod --yes');
    expect([code, sent, await exists('shop')]).toEqual([2, [], false]);
    expect(err).toContain('infra/shop.prod.yaml:1:22 sets it as well');
  });

  test('reads a file in infra/ only in the environment in which the infra is applied', async () => {
    await writeFile(at('shop'), TEXT);
    await writeFile(at('shop.prod'), 'servers: [{ name: extra }]\n');
    applied = { definition: 'd'.repeat(64), environment: 'prod', main: 'infra/shop.yaml' };
    for (const line of ['scale shop web=4 --yes', `scale shop web=4 --yes --file ${at('shop')}`, 'create shop --yes']) {
      const { code, err } = await cluster(line, ['shop']);
      expect([line, code, sent, await says('shop')]).toEqual([line, 2, [], TEXT]);
      expect(err).toContain('the infra "shop" is applied with the environment "prod", and this command has no environment');
      expect(err).toContain('add --env prod');
    }
    const { out } = await cluster('scale shop web=4 --yes --json', ['shop']);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'other-environment' } });
    expect((await cluster('scale shop web=4 --env prod --yes', ['shop'])).code).toBe(0);
    expect(sent[0]?.definition?.servers.map(({ name }) => name)).toContain('extra');
    applied = { definition: 'd'.repeat(64), main: 'infra/shop.yaml' };
    expect((await cluster('scale shop web=5 --env prod --yes', ['shop'])).err).toContain('is applied with no environment');
    expect((await cluster('create shop --env prod --yes', ['shop'])).err).toContain('omit --env');
    expect((await cluster('scale shop web=5 --yes', ['shop'])).code).toBe(0);
  });

  test('reads the last applied file with its environment', async () => {
    const [file, overlay] = ['own', 'own.prod'].map(at) as [string, string];
    await writeFile(file, TEXT);
    await writeFile(overlay, 'servers: [{ name: extra }]\n');
    const first = await cluster(`create --file ${file} --env prod --yes`);
    expect(first.err).toBe('');
    const definition = sent[0]?.definition;
    if (!definition) throw new Error('nothing was sent');
    const address = addressOfFile('default', TEXT);
    applied = {
      ...{ definition: addressOf(definition), environment: 'prod', main: 'infra/own.yaml' },
      files: [{ path: 'infra/own.yaml', address, size: TEXT.length }],
    };
    expect(await cluster('scale shop web=4 --yes', ['shop'], { cwd: process.cwd() })).toMatchObject({ code: 0, err: '' });
    expect(await readFile(file, 'utf8')).toBe(TEXT.replace('count: 2', 'count: 4'));
    expect(sent[0]?.definition?.servers.map(({ name }) => name)).toEqual(expect.arrayContaining(['web-4', 'extra']));
  });

  test('refuses a value that another file determines, with its place', async () => {
    const refused = async (line: string, text: string) => {
      const { code, err } = await cluster(line);
      expect([line, code, sent, await says('shop')]).toEqual([line, 2, [], text]);
      return err;
    };
    await writeFile(at('shop'), TEXT);
    for (const own of [3, 4]) {
      await writeFile(at('shop.prod'), `use:\n  web:\n    count: ${own}\n`);
      expect(await refused('scale shop web=4 --env prod --yes', TEXT)).toContain('infra/shop.prod.yaml:3:12 sets it as well');
      expect(await refused('scale shop --set count=4 --env prod --yes', TEXT)).toContain('infra/shop.prod.yaml:3:12');
      await writeFile(at('shop.prod'), `servers: [{ name: web, count: ${own} }]\n`);
      expect(await refused('scale shop web=4 --env prod --yes', TEXT)).toMatch(/another file or an option of this command/);
    }
    // The file has the value, and the overlay another.
    expect(await refused('scale shop web=2 --env prod --yes', TEXT)).toContain('would have 4 servers, not 2');
    const own =
      'infra: shop\nprovider: demo\nvars:\n  many: 2\nservers:\n  - name: web\n    count: "{{ vars.many }}"\n  - name: db\n    count: 1\n';
    await writeFile(at('shop'), own);
    await writeFile(at('shop.prod'), 'protect: false\n');
    await mkdir(join(folder, 'infra/environments'));
    for (const value of [3, 4]) {
      await writeFile(join(folder, 'infra/environments/prod.yaml'), `vars: { many: ${value} }\n`);
      const err = await refused('scale shop web=4 --env prod --yes', own);
      expect(err).toContain(value === 3 ? 'would have 3 servers, not 4' : 'determines the value already');
    }
    expect(await refused('scale shop web=4 --var many=5 --yes', own)).toContain('would have 5 servers, not 4');
    await writeFile(at('shop.prod'), 'servers: [{ name: zoo }]\n');
    expect((await cluster('scale shop db=2 --env prod --yes')).code).toBe(0);
    expect(sent[0]?.definition?.servers.map(({ name }) => name)).toEqual(expect.arrayContaining(['db-2', 'zoo', 'web-4']));
  });
});
