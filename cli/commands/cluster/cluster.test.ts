import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationRequest, OperationResult } from '../../../core/operation/operation.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { runLine } from '../../fake-run.js';
import { type FakeOptions, fakeClient, inventoryNamed, resultOf } from '../../fake-session.js';

const STEP: PlannedStep = { on: 'web-1', title: 'Create the server', change: 'add' };

describe('cluster', () => {
  let folder: string;
  let sent: OperationRequest[];
  beforeEach(async () => {
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

  async function cluster(line: string, infras: string[] = [], options: FakeOptions = {}, end: Partial<OperationResult> = {}) {
    const { client, submitted } = fakeClient((request) => [
      { type: 'end', result: resultOf(request, request.check ? { plan: [STEP] } : end) },
    ]);
    const known = async () => infras;
    const fakes = {
      ...client,
      'infras.list': known,
      'infras.inventory': async ({ infra }: { infra: string }) => (infras.includes(infra) ? inventoryNamed(infra) : undefined),
      'infras.definitions': async () => [],
    };
    const ran = await runLine(`cluster ${line}`, { folder, client: fakes, ...options });
    sent = submitted.filter(({ check }) => !check);
    return { ...ran, err: ran.err.replaceAll(/\S*\/infra\//g, 'infra/').replaceAll(/\S*\/clusters\//g, 'clusters/') };
  }

  describe('create', () => {
    test('writes the definition of a template, with its values and comments, and applies it', async () => {
      const { code } = await cluster('create web --name shop --provider demo --region eu-north --size medium --set count=5 --yes');
      expect([code, sent.map(({ infra, kind, intent }) => [infra, kind, intent])]).toEqual([
        0,
        [['shop', 'cluster', { verb: 'ensure' }]],
      ]);
      const servers = sent[0]?.definition?.servers.map(({ name, plan }) => [name, plan.name]);
      expect(servers?.map(([name]) => name)).toEqual(['hub', 'web-1', 'web-2', 'web-3', 'web-4', 'web-5']);
      const text = await says('shop');
      expect(text).toContain('infra: shop\nprovider: demo\nregion: eu-north\n');
      expect(text).toContain('    size: medium\n');
      expect(text).toContain('    # How many web servers\n    count: 5\n');
      expect(text).toContain('    # plan: medium\n');
    });

    test('shows the file, and removes it again if a person says no or nothing was done', async () => {
      const no = await cluster('create web --name shop --provider demo', [], { interactive: true, answers: [false] });
      expect([no.code, sent, await exists('shop')]).toEqual([5, [], false]);
      expect(no.out).toContain('+infra: shop\n');
      const failed = await cluster('create web --name shop --provider demo --yes', [], {}, { status: 'failed', left: [] });
      expect([failed.code, await exists('shop')]).toEqual([1, false]);
      expect(failed.out).toContain('shop.yaml is removed again: nothing of it is on hosts\n');
    });

    test('with --check writes nothing', async () => {
      const { code, out } = await cluster('create etcd --check --json --provider demo');
      expect([code, sent, await exists('etcd')]).toEqual([0, [], false]);
      expect(JSON.parse(out).files).toMatchObject([{ file: expect.stringMatching(/infra\/etcd.yaml$/), lines: expect.any(Array) }]);
    });

    test('has one error for each wrong value', async () => {
      const { code, err } = await cluster(
        'create web --size hgue --set cuont=3 --set count=many --set count=0 --set plan --set plan={{x}} --yes',
      );
      expect(code).toBe(2);
      expect(err).toContain('--size: the variable "size" is one of small, medium, large');
      expect(err).toContain('--set: the template has no parameter "cuont"; did you mean "count"?');
      expect(err).toContain('--set: "count" is a number, and the text is not; write digits');
      expect(err).toContain('--set: the variable "count" is at least 1');
      expect(err).toContain('--set: write NAME=VALUE');
      expect(err).toContain('--set: the value of "plan" is an expression; write it into the definition file');
      expect(await exists('web')).toBe(false);
    });

    test('never writes over a file, and takes no name that an infra has', async () => {
      await writeFile(at('shop'), 'infra: other\n');
      expect(await cluster('create web --name shop --yes')).toMatchObject({
        code: 2,
        err: expect.stringContaining('the file exists'),
      });
      expect(await says('shop')).toBe('infra: other\n');
      const taken = await cluster('create web --name store --yes', ['store']);
      expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('has an infra with this name')]);
      expect(await cluster('create web --name Shop! --yes')).toMatchObject({
        code: 2,
        err: expect.stringContaining('--name NAME'),
      });
      expect(await cluster('create web --plan-out a.plan')).toMatchObject({
        code: 2,
        err: expect.stringContaining('writes no file'),
      });
    });

    test('overlooks no file of its name in another format, and takes no expression', async () => {
      for (const text of ['infra: shop\n', 'infra: [\n']) {
        await writeFile(join(folder, 'infra/shop.yml'), text);
        const { code, err } = await cluster('create web --name shop --provider demo --yes');
        expect([code, err]).toEqual([2, expect.stringMatching(/infra\/shop\.yml: the file exists/)]);
      }
      const escaped = JSON.stringify(['{{ env.HOME }}']).replaceAll('{', '\\u007b').replaceAll(' ', '');
      const listed = await cluster(`create postgresql --set networks=${escaped} --provider demo --yes`);
      expect([listed.code, listed.err]).toEqual([2, expect.stringContaining('the value of "networks" is an expression')]);
      for (const option of ['--provider', '--region']) {
        const { code, err } = await cluster(`create web --name store ${option} {{env.HOME}} --yes`);
        expect([code, err]).toEqual([2, expect.stringContaining(`${option}: its value is an expression`)]);
      }
      expect(await exists('store')).toBe(false);
    });

    test('needs a choice if an infra and a template have the name, and neither is guessed', async () => {
      const both = await cluster('create web --yes', ['web']);
      expect([both.code, both.err]).toEqual([
        2,
        expect.stringContaining('cluster create --infra web; the template: provisioning cluster create web --name NAME'),
      ]);
      expect((await cluster('create web --name shop --provider demo --yes', ['web'])).code).toBe(0);
      const none = await cluster('create wbe --yes', ['shop']);
      expect([none.code, none.err]).toEqual([2, expect.stringContaining('did you mean "web"?')]);
    });

    test('applies the file of an infra in the workspace', async () => {
      await writeFile(at('shop'), 'infra: shop\nprovider: demo\nservers: [{ name: solo }]\n');
      expect((await cluster('create shop --yes')).code).toBe(0);
      expect(sent[0]?.definition?.servers.map(({ name }) => name)).toEqual(['solo']);
      const { code, err } = await cluster('create shop --size small --yes');
      expect([code, err]).toEqual([2, expect.stringContaining('provisioning cluster scale shop --set')]);
    });
  });

  describe('scale', () => {
    const TEXT = '# ours\ninfra: shop\nprovider: demo\nuse:\n  web:\n    count: 2 # enough\n';

    test('changes the file, keeps its comments, and applies it as apply does', async () => {
      await writeFile(at('shop'), TEXT);
      const { code, out } = await cluster('scale shop web=4 --yes');
      expect([code, await says('shop')]).toEqual([0, TEXT.replace('count: 2', 'count: 4')]);
      expect(sent.map(({ intent }) => intent)).toEqual([{ verb: 'ensure', prune: true }]);
      expect(sent[0]?.definition?.servers).toHaveLength(5);
      expect(out).toContain('shop.yaml has the new values\n');
      await cluster('scale shop --size large --set plan=medium --yes');
      expect(await says('shop')).toBe(TEXT.replace('count: 2 # enough', 'count: 4 # enough\n    size: large\n    plan: medium'));
      expect((await cluster('scale shop --size large --yes')).out).toContain('has these values already');
    });

    test('restores the file if a person says no, and refuses what the template does not allow', async () => {
      await writeFile(at('shop'), TEXT);
      const no = await cluster('scale shop web=4', [], { interactive: true, answers: [false] });
      expect([no.code, sent, await says('shop')]).toEqual([5, [], TEXT]);
      const { code, err } = await cluster('scale shop web=0 hub=2 wbe=3 db --set cuont=3 --yes');
      expect([code, sent, await says('shop')]).toEqual([2, [], TEXT]);
      expect(err).toContain('web: the variable "count" is at least 1');
      expect(err).toContain('the template web fixes the number of servers "hub"');
      expect(err).toContain('the definition has no servers "wbe"; did you mean "web"?');
      expect(err).toContain('write GROUP=NUMBER, not "db"');
      expect(err).toContain('--set: the template has no parameter "cuont"; did you mean "count"?');
    });

    test('finds the number of servers in the definition itself, also in a variable', async () => {
      const own =
        'infra: shop\nprovider: demo\nvars:\n  many: { type: number, default: 2 } # web servers\nservers:\n  - name: web\n    count: "{{ vars.many }}"\n  - name: db\n';
      await writeFile(at('shop'), own);
      expect((await cluster('scale shop web=3 --yes')).code).toBe(0);
      expect(await says('shop')).toBe(own.replace('default: 2', 'default: 3'));
      expect(sent[0]?.definition?.servers.map(({ name }) => name)).toEqual(['web-1', 'web-2', 'web-3', 'db']);
    });

    test('gives no count to a server without one, because its name and its data would go', async () => {
      const own = 'infra: shop\nprovider: demo\nservers:\n  - name: db\n  - name: web\n    count: 1\n';
      await writeFile(at('shop'), own);
      for (const number of [1, 2]) {
        const { code, err } = await cluster(`scale shop db=${number} web=2 --yes`);
        expect([code, sent, await says('shop')]).toEqual([2, [], own]);
        expect(err).toContain('infra/shop.yaml:4:5: servers[0]: the entry of the server "db" has no count');
        expect(err).toContain('add another entry to servers, such as db2');
      }
    });

    test('needs a file and a value', async () => {
      expect(await cluster('scale shop web=3', ['shop'])).toMatchObject({ code: 2, err: expect.stringContaining('--file FILE') });
      expect(await cluster('scale shop', ['shop'])).toMatchObject({ code: 2, err: expect.stringContaining('no value is given') });
    });
  });

  test('templates has parameters, sizes and outputs', async () => {
    const { out } = await cluster('templates web --json');
    expect(JSON.parse(out)).toMatchObject({
      name: 'web',
      builtIn: true,
      parameters: [
        { name: 'count', type: 'number', default: 2, min: 1, max: 100, description: 'How many web servers' },
        {},
        {},
        {},
        {},
      ],
      sizes: { small: { count: 2 }, medium: { count: 3 }, large: { count: 6 } },
      outputs: [{ name: 'url', description: 'Where the web servers answer' }, {}, {}],
    });
    const text = (await cluster('templates web')).out;
    expect(text).toContain('  medium  count=3, plan=medium, hub_plan=large\n');
    expect(text).toContain('provisioning cluster create web --name NAME --size small\n');
    const all = JSON.parse((await cluster('templates --json')).out).templates.map(({ name }: { name: string }) => name);
    expect(all).toEqual(['etcd', 'postgresql', 'postgresql-ha', 'web']);
  });
});
