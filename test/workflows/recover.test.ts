import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { infraWorkflowId } from '../../core/names.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { LostReport } from '../../core/recovery/lost-infras.js';
import type { RecoveryReport } from '../../core/recovery/recovery-report.js';
import { provisioning, untilCommand } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, NOTHING, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { copyEngine, loseEngine } from '../support/lost-engine.js';
import { eventually, run, runWell } from '../support/operations.js';

const definition = (infra: string, count: number, taskservs: string[] = []) =>
  demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs });

/** Keys, labels and stores exist, and Temporal's data is lost. */
describe('an infra that the engine has lost', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  const inventoryOf = async (of: TestEngine, infra: string) =>
    (await of.client()).infras.inventory({ workspace: 'default', infra });
  const recover = (of: TestEngine, infra: string, ...more: string[]) =>
    provisioning(of, ['infra', 'recover', infra, '--json', ...more]);
  const lost = async (of: TestEngine) => JSON.parse((await provisioning(of, ['infra', 'recover', '--json'])).stdout) as LostReport;
  const refusal = async (of: TestEngine, infra: string) => JSON.parse((await recover(of, infra, '--yes')).stdout).error.code;

  test('is brought back from its feed, and then there is nothing to do', async () => {
    const applied = { infra: 'shop', definition: definition('shop', 2, ['nginx']) };
    await runWell(engine, applied);
    await runWell(engine, { infra: 'shop', definition: definition('shop', 3, ['nginx']) });
    await runWell(engine, { ...applied, allowDestroy: true });
    const before = await inventoryOf(engine, 'shop');
    const definitions = await (await engine.client()).infras.definitions({ workspace: 'default', infra: 'shop' });
    expect(await refusal(engine, 'shop')).toBe('infra-lives');
    const content = contentOf(await account.read());

    await loseEngine(engine);
    // It creates no second infra with this name, and the error names the command that helps.
    const refused = await run(engine, { ...applied, onFailure: 'keep' });
    expect([refused.error?.code, refused.error?.hint]).toEqual(['infra-lost', expect.stringContaining('infra recover shop')]);
    expect(await (await engine.client()).infras.list({ workspace: 'default' })).toEqual([]);

    const listed = await lost(engine);
    expect(listed.infras).toMatchObject([
      { infra: 'shop', feed: { uuid: before?.uuid, servers: 2, networks: 1 }, labelled: { server: 2, network: 1 } },
    ]);
    const status = await provisioning(engine, ['status']);
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining('shop: `provisioning infra recover`')]);

    const checked = await recover(engine, 'shop', '--check');
    const report = JSON.parse(checked.stdout) as RecoveryReport;
    expect([checked.code, report.source, report.recovered]).toEqual([0, 'feed', undefined]);
    expect([...report.servers, ...report.networks].map(({ state }) => state)).toEqual(['confirmed', 'confirmed', 'confirmed']);
    expect(report.others).toEqual([]);
    expect(await inventoryOf(engine, 'shop')).toBeUndefined();

    const { code, stdout, stderr } = await recover(engine, 'shop', '--yes');
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { ...report, recovered: true }]);
    expect([(await lost(engine)).infras, (await provisioning(engine, ['status'])).code]).toEqual([[], 0]);
    expect(await inventoryOf(engine, 'shop')).toEqual(before);
    expect(await (await engine.client()).infras.definitions({ workspace: 'default', infra: 'shop' })).toEqual(definitions);
    expect((await runWell(engine, applied)).steps).toEqual({ executed: 0, planned: 0 });
    expect(contentOf(await account.read())).toEqual(content);
    // Again: the feed continues in the recovered life.
    const { operation } = await runWell(engine, { infra: 'shop', definition: definition('shop', 3, ['nginx']) });
    await loseEngine(engine);
    expect((await recover(engine, 'shop', '--yes')).code).toBe(0);
    expect(Object.keys((await inventoryOf(engine, 'shop'))?.servers ?? {})).toHaveLength(3);
    // An operation that the engine has forgotten is rolled back from the store's data.
    expect(
      (await run(engine, { infra: 'shop', intent: { verb: 'rollback', of: operation }, allowDestroy: true })).error,
    ).toBeUndefined();
    await runWell(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    expect(contentOf(await account.read())).toEqual(NOTHING);

    await loseEngine(engine);
    expect(await refusal(engine, 'shop')).toBe('nothing-to-recover');
    expect([(await lost(engine)).infras, (await provisioning(engine, ['status'])).code]).toEqual([[], 0]);
  });

  test('is brought back from labels where there is no feed', async () => {
    const applied = { infra: 'old', definition: definition('old', 2, ['nginx']) };
    await runWell(engine, applied);
    const before = await inventoryOf(engine, 'old');
    await rm(engine.home.feeds, { recursive: true });
    await loseEngine(engine);
    const { code, stdout } = await recover(engine, 'old', '--yes');
    const report = JSON.parse(stdout) as RecoveryReport;
    expect([code, report.source, report.uuid]).toEqual([0, 'labels', before?.uuid]);
    expect(report.servers.map(({ name, state }) => `${name} ${state}`)).toEqual(['web-1 confirmed', 'web-2 confirmed']);
    const after = await inventoryOf(engine, 'old');
    expect(Object.keys(after?.servers ?? {})).toEqual(['web-1', 'web-2']);
    expect(after?.networks).toEqual(before?.networks);
    expect((await runWell(engine, applied)).steps.executed).toBe(0);
    expect(await inventoryOf(engine, 'old')).toMatchObject({ uuid: before?.uuid, definition: before?.definition });
    expect(serversIn(await account.read(), 'old').sort()).toEqual(['web-1', 'web-2']);
    await runWell(engine, { infra: 'old', intent: { verb: 'delete' }, allowDestroy: true });
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('is not worked on with an older copy of the engine, and is brought back in its place', async () => {
    await runWell(engine, { infra: 'copy', definition: definition('copy', 1) });
    const restore = await copyEngine(engine);
    await runWell(engine, { infra: 'copy', definition: definition('copy', 2) });
    const before = await inventoryOf(engine, 'copy');

    await restore();
    // The restored engine knows one server. Work on that basis is not reported as done.
    const client = await engine.client();
    const { operation } = await client.operations.submit({
      request: {
        ...{ id: 'cluster-ensure-copy-late', kind: 'cluster', workspace: 'default', infra: 'copy', actor: 'tester' },
        ...{ intent: { verb: 'ensure', prune: true }, definition: definition('copy', 1, ['redis']), timing: { healthMs: 1_000 } },
      },
    });
    await eventually(async () => {
      const { status, waiting } = await client.operations.progress({ operation });
      expect([status, waiting]).toEqual(['running', expect.stringContaining('the engine is older than its feed')]);
    });
    const status = await untilCommand(engine, ['status'], ({ stdout }) =>
      expect(stdout).toContain('provisioning infra recover copy'),
    );
    expect(status.code).toBe(3);
    expect((await recover(engine, 'copy', '--yes')).code).toBe(0);
    expect((await client.operations.result({ operation })).status).toBe('done');
    expect(await inventoryOf(engine, 'copy')).toEqual(before);
    await runWell(engine, { infra: 'copy', definition: definition('copy', 2) });
    expect(serversIn(await account.read(), 'copy').sort()).toEqual(['web-1', 'web-2']);
    const entity = engine.temporal.workflow.getHandle(infraWorkflowId('default', 'copy'));
    await eventually(async () => expect(await entity.query('feed')).toMatchObject({ waiting: 0 }));
    expect((await provisioning(engine, ['status'])).code).toBe(0);
  });

  test('whose workflow cannot go on is named, and brought back from its feed', async () => {
    const applied = { infra: 'stuck', definition: definition('stuck', 2, ['nginx']) };
    await runWell(engine, applied);
    const before = await inventoryOf(engine, 'stuck');
    const { workflow } = engine.temporal;
    await workflow.getHandle(infraWorkflowId('default', 'stuck')).terminate();
    // A run whose tasks all fail, like those of a history that does not fit its workflow.
    await workflow.start('infra', {
      workflowId: infraWorkflowId('default', 'stuck'),
      taskQueue: engine.taskQueue,
      args: [{ workspace: 'default', infra: 'stuck', state: { packed: { strings: [], shapes: [], nodes: 'not of ours' } } }],
      typedSearchAttributes: attributesFrom({ workspace: 'default', infra: 'stuck', kind: 'infra' }),
    });
    const status = await untilCommand(engine, ['status'], ({ stdout }) =>
      expect(stdout).toContain('stuck cannot go on, its workflow task fails again and again'),
    );
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining('run `provisioning infra recover stuck`')]);
    expect((await recover(engine, 'stuck', '--yes')).code).toBe(0);
    expect(await inventoryOf(engine, 'stuck')).toEqual(before);
    expect((await runWell(engine, applied)).steps).toEqual({ executed: 0, planned: 0 });
    expect((await provisioning(engine, ['status'])).code).toBe(0);
  });
});
