import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SavedPlan } from '../../authoring/plan/plan-file.js';
import type { OperationRequest, Progress } from '../../core/operation/operation.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { endAll, eventually, requestOf, runWell, submit, untilStatus } from '../support/operations.js';

/** A parsed plan file and its text. */
type Content = { plan: SavedPlan; text: string };

describe('a plan that was saved', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const at = (name: string) => join(engine.home.root, name);

  beforeAll(async () => {
    engine = await startTestEngine();
    account = demoAccount(engine);
  });
  afterAll(() => engine?.stop());
  afterEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  const yaml = (infra: string, port = 6379, count = 1) =>
    [
      `infra: ${infra}`,
      'provider: demo',
      `servers: [{ name: web, count: ${count} }]`,
      'taskservs:',
      '  - { name: nginx, on: all }',
      `  - { name: redis, on: all, config: { port: ${port} } }`,
      '',
    ].join('\n');
  const command = (line: string) => provisioning(engine, line.split(' '));
  const well = async (line: string) => {
    const { code, stdout, stderr } = await command(line);
    expect([line, code, code === 0 ? '' : `${stdout}${stderr}`]).toEqual([line, 0, '']);
    return stdout;
  };
  const document = async (line: string, code: number) => {
    const ended = await command(`${line} --json`);
    expect([line, ended.code, ended.code === code ? '' : `${ended.stdout}${ended.stderr}`]).toEqual([line, code, '']);
    return JSON.parse(ended.stdout);
  };
  const planIn = async (name: string): Promise<Content> => {
    const text = await readFile(at(name), 'utf8');
    return { text, plan: JSON.parse(text) };
  };
  /** Number of effects in the account, and the services on its hosts. */
  const state = async () => {
    const { effects, servers } = await account.read();
    return { effects: effects.length, hosts: Object.values(servers).map(({ name, services }) => [name, services]) };
  };
  /** Undoes the effect of a step on a host. */
  const drift = (infra: string, server: string, taskserv: string, title: string) =>
    account.meddle(({ servers }) => {
      const service = servers[`default/${infra}/${server}`]?.services[taskserv];
      expect(service?.steps.map((step) => step.title)).toContain(title);
      if (service) service.steps = service.steps.filter((step) => step.title !== title);
    });
  const lines = (plan: { on: string; taskserv?: string; title: string }[]) =>
    plan.map(({ on, taskserv, title }) => [on, taskserv, title]);

  test('is carried out as it was shown, from the file and whatever becomes of the definition', async () => {
    await writeFile(at('kept.yaml'), yaml('kept'));
    const said = await well(`apply ${at('kept.yaml')} --plan-out ${at('kept.plan')}`);
    const { plan, text } = await planIn('kept.plan');
    expect(said).toContain(`Saved the plan to ${at('kept.plan')} (hash ${plan.hash.slice(0, 16)}). Apply it: provisioning apply`);
    expect((await stat(at('kept.plan'))).mode & 0o777).toBe(0o600);
    expect(text).not.toContain('apt-get');
    expect((await state()).effects).toBe(0);

    await writeFile(at('kept.yaml'), yaml('kept', 6390, 2));
    const done = await document(`apply ${at('kept.plan')} --yes`, 0);
    expect(lines(done.plan)).toEqual(lines(plan.steps));
    expect([done.status, done.planHash, done.steps.executed]).toEqual(['done', plan.hash, plan.steps.length]);
    const inventory = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'kept' });
    expect(Object.keys(inventory?.servers ?? {})).toEqual(['web-1']);
    expect(inventory?.definition?.servers[0]?.taskservs[1]?.config).toMatchObject({ port: 6379 });

    // After the plan was executed, the remaining steps differ from it.
    const again = await document(`apply ${at('kept.plan')} --yes`, 2);
    expect([again.error.code, again.planChanges.length]).toEqual(['plan-changed', plan.steps.length]);
  });

  test('is refused after drift, with what has changed, and nothing is done', async () => {
    await writeFile(at('shop.yaml'), yaml('shop', 6379, 2));
    await well(`apply ${at('shop.yaml')} --yes`);
    await writeFile(at('shop.yaml'), yaml('shop', 6390, 2));
    const preview = await document(`apply ${at('shop.yaml')} --plan-out ${at('shop.plan')}`, 0);
    const { plan } = await planIn('shop.plan');
    expect([preview.planFile, preview.planHash]).toEqual([at('shop.plan'), plan.hash]);

    await drift('shop', 'web-2', 'nginx', 'Install the package nginx');
    await drift('shop', 'web-1', 'redis', 'Install the package redis-server');
    const before = await state();
    const refused = await document(`apply ${at('shop.plan')} --yes`, 2);
    expect([refused.status, refused.error.code, refused.steps.executed]).toEqual(['failed', 'plan-changed', 0]);
    expect(refused.planChanges).toEqual([
      { on: 'web-1', taskserv: 'redis', title: 'Install the package redis-server', change: 'add', is: 'new' },
      { on: 'web-2', taskserv: 'nginx', title: 'Install the package nginx', change: 'add', is: 'new' },
    ]);
    expect(await state()).toEqual(before);
    const { stdout } = await command(`apply ${at('shop.plan')} --yes`);
    expect(stdout).toContain(
      [
        'planned now, and not in the plan:',
        '  web-1/redis',
        '    + Install the package redis-server',
        '  web-2/nginx',
        '    + Install the package nginx',
        '',
      ].join('\n'),
    );
    // The plan can also be checked without an apply.
    expect((await document(`apply ${at('shop.plan')} --check`, 2)).error.code).toBe('plan-changed');

    await well(`apply ${at('shop.yaml')} --yes`);
    await drift('shop', 'web-2', 'nginx', 'Install the package nginx');
    expect((await document(`apply ${at('shop.plan')} --yes`, 2)).planChanges.map(({ is }: { is: string }) => is)).toEqual([
      'new',
      ...plan.steps.map(() => 'gone'),
    ]);
  });

  test('is held to while it is carried out: what changes meanwhile is not touched', async () => {
    await writeFile(at('mid.yaml'), yaml('mid'));
    await well(`apply ${at('mid.yaml')} --yes`);
    await drift('mid', 'web-1', 'nginx', 'Install the package nginx');
    await drift('mid', 'web-1', 'redis', 'Install the package redis-server');
    await well(`apply ${at('mid.yaml')} --plan-out ${at('mid.plan')} --on-failure keep`);
    expect((await planIn('mid.plan')).plan.steps).toHaveLength(2);

    await account.behave({ latencyMs: { 'host.step': 3_000 } });
    const { operation } = await document(`apply ${at('mid.plan')} --yes --no-wait`, 0);
    const client = await engine.client();
    await eventually(async () => {
      const { cells } = await client.operations.progress({ operation });
      expect(cells).toContainEqual(expect.objectContaining({ taskserv: 'nginx', state: 'running' }));
    });
    await drift('mid', 'web-1', 'redis', 'Start redis-server');
    const ended = await client.operations.result({ operation });
    expect([ended.status, ended.error?.code, ended.error?.exitCode, ended.error?.on, ended.steps]).toEqual([
      'failed',
      'plan-changed',
      2,
      'web-1/redis',
      { executed: 1, planned: 2 },
    ]);
    expect(ended.planChanges).toEqual([{ on: 'web-1', taskserv: 'redis', title: 'Start redis-server', is: 'new' }]);
    const { effects } = await account.read();
    expect(effects.at(-1)?.name).toBe('web-1/nginx: Install the package nginx');
  });

  test('adds a server beside those that are there, of which more is known only then', async () => {
    await writeFile(at('more.yaml'), yaml('more'));
    await well(`apply ${at('more.yaml')} --yes`);
    await writeFile(at('more.yaml'), yaml('more').replace('name: web', 'name: web, plan: large').replace('count: 1', 'count: 2'));
    await well(`apply ${at('more.yaml')} --plan-out ${at('more.plan')} --allow-destroy`);
    const { plan } = await planIn('more.plan');
    // The declared properties of a machine belong to the plan, although no line shows them.
    expect(plan.steps.filter(({ machine }) => machine === 'create').every(({ wants }) => wants)).toBe(true);
    const done = await document(`apply ${at('more.plan')} --yes`, 0);
    expect(lines(done.plan)).toEqual(lines(plan.steps));
  });

  test('can delete, and only what it names', async () => {
    await writeFile(at('gone.yaml'), yaml('gone'));
    await well(`apply ${at('gone.yaml')} --yes`);
    await well(`delete gone --plan-out ${at('gone.plan')}`);
    await writeFile(at('gone.yaml'), yaml('gone', 6379, 2));
    await well(`apply ${at('gone.yaml')} --yes --allow-destroy`);
    const refused = await document(`apply ${at('gone.plan')} --yes`, 2);
    expect(refused.planChanges.map(({ title, is }: { title: string; is: string }) => [is, title])).toContainEqual([
      'new',
      'Delete the server web-2',
    ]);
    await well(`delete gone --plan-out ${at('gone.plan')}`);
    expect((await document(`apply ${at('gone.plan')} --yes`, 0)).status).toBe('done');
    await eventually(async () => {
      expect(Object.keys((await account.read()).servers).filter((id) => id.includes('/gone/'))).toEqual([]);
    });
  });

  test('that was edited, or is of elsewhere, is refused before anything is asked', async () => {
    await writeFile(at('own.yaml'), yaml('own'));
    await well(`apply ${at('own.yaml')} --plan-out ${at('own.plan')}`);
    const { plan, text } = await planIn('own.plan');
    const refusal = async (content: string, more = '') => {
      await writeFile(at('other.plan'), content);
      const { error } = await document(`apply ${at('other.plan')} --yes${more}`, 2);
      return [error.code, error.why];
    };
    expect(await refusal(text.replace('6379', '6390'))).toEqual(['bad-plan', expect.stringContaining('checksum')]);
    expect(await refusal(JSON.stringify({ ...plan, provisioningPlan: 2 }))).toEqual([
      'bad-plan',
      'it is of form 2, and this version reads up to 1',
    ]);
    expect(await refusal(text, ' --workspace other')).toEqual(['other-plan', expect.stringContaining('workspace "default"')]);
    expect(await refusal(text, ' --on-failure keep')).toEqual(['bad-arguments', expect.stringContaining('runs without changes')]);
    expect(await refusal('no plan')).toEqual(['bad-plan', expect.stringContaining('neither a saved plan nor a definition')]);
    expect((await document(`apply ${at('own.yaml')} --plan-out ${at('own.yaml')}`, 2)).error.code).toBe('bad-plan-file');
    expect((await document(`apply ${at('own.yaml')} --yes --plan-out ${at('own.plan')}`, 2)).error.code).toBe('bad-arguments');

    const elsewhere = await startTestEngine();
    const there = await provisioning(elsewhere, ['apply', at('own.plan'), '--yes', '--json']).finally(() => elsewhere.stop());
    expect([there.code, JSON.parse(there.stdout).error]).toEqual([2, expect.objectContaining({ code: 'other-plan' })]);
    expect(Object.keys((await account.read()).servers).filter((id) => id.includes('/own/'))).toEqual([]);
  });

  test('is previewed and applied by methods alone, and refused for another definition', async () => {
    const { plans, operations } = await engine.client();
    const definition = (port: number) =>
      demoDefinition('asked', { servers: [{ name: 'web' }], taskservs: [{ name: 'redis', config: { port } }] });
    const preview = async (request: OperationRequest) =>
      plans.result({ operation: (await plans.preview({ request })).operation, cost: true });

    const untouched = await state();
    const first = requestOf({ infra: 'asked', definition: definition(6379) });
    const shown = await preview(first);
    expect([shown.result.operation, shown.result.status, shown.places.map(({ on }) => on), shown.destroys]).toEqual([
      first.id.replace('ensure', 'check'),
      'done',
      ['network/asked', 'web'],
      [],
    ]);
    expect(shown.cost).toMatchObject({
      changes: [{ server: 'web', after: { provider: 'demo', cost: { currency: 'EUR', monthly: 6 } } }],
      difference: [{ currency: 'EUR', monthly: 6 }],
    });
    expect(await state()).toEqual(untouched);
    await expect(plans.preview({ request: first })).rejects.toMatchObject({ details: { code: 'operation-exists' } });
    const hash = shown.hash ?? '';
    const done = await operations.result(await plans.apply({ request: first, hash }));
    expect([done.status, done.planHash, lines(done.plan)]).toEqual(['done', hash, lines(shown.result.plan)]);

    const second = requestOf({ infra: 'asked', definition: definition(6390) });
    const seen = await preview(second);
    // The hash of the preview with another definition: the operation detects the difference and changes nothing.
    const before = await state();
    const other = await operations.result(
      await plans.apply({ request: { ...second, definition: definition(6391) }, hash: seen.hash ?? '' }),
    );
    expect([other.status, other.error?.code, other.steps.executed]).toEqual(['failed', 'plan-changed', 0]);
    // The lines come from the preview.
    expect(other.planChanges?.map(({ on, is }) => [on, is])).toContainEqual(['web', 'different']);
    expect(await state()).toEqual(before);

    const third = requestOf({ infra: 'asked', definition: definition(6390) });
    await preview(third);
    await expect(plans.apply({ request: third, hash })).rejects.toMatchObject({ details: { code: 'plan-changed', on: 'asked' } });
    await expect(operations.progress({ operation: third.id })).rejects.toMatchObject({ details: { code: 'unknown-operation' } });

    const gone = requestOf({ infra: 'asked', intent: { verb: 'delete' }, allowDestroy: ['web'] });
    expect((await preview(gone)).destroys).toEqual(['web']);
  });

  test('an approval is of the plan that was seen', async () => {
    const definition = (port: number) =>
      demoDefinition('seen', { servers: [{ name: 'web' }], taskservs: ['nginx', { name: 'redis', config: { port } }] });
    await runWell(engine, { infra: 'seen', definition: definition(6379) });
    const operation = await submit(engine, { infra: 'seen', definition: definition(6390), approve: ['before-change'] });
    const first = await untilStatus(engine, operation, 'waiting');
    expect(first.planHash).toMatch(/^[0-9a-f]{64}$/);
    const shown = await well(`workflow status ${operation}`);
    expect(shown).toContain(`workflow approve ${operation} --plan ${first.planHash?.slice(0, 16)}\n`);

    const stale = await document(`workflow approve ${operation} --plan ${'0'.repeat(16)}`, 2);
    expect([stale.error.code, (await (await engine.client()).operations.progress({ operation })).status]).toEqual([
      'plan-changed',
      'waiting',
    ]);
    // The operation looks again after the approval. Changes that were not shown need another approval.
    await drift('seen', 'web', 'nginx', 'Install the package nginx');
    await well(`workflow approve ${operation} --plan ${first.planHash?.slice(0, 16)} --no-wait`);
    const second = await eventually(async (): Promise<Progress> => {
      const progress = await (await engine.client()).operations.progress({ operation });
      expect([progress.status, progress.planHash === first.planHash]).toEqual(['waiting', false]);
      return progress;
    });
    expect((await document(`workflow approve ${operation} --plan ${first.planHash}`, 2)).error.code).toBe('plan-changed');
    await well(`workflow approve ${operation} --plan ${second.planHash}`);
    expect((await (await engine.client()).operations.result({ operation })).control.map(({ did }) => did)).toEqual([
      'approved',
      'approved',
    ]);
  });
});
