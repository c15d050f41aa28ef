import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { RecoveryReport } from '../../core/recovery/recovery-report.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, shellOf, whyNoHosts } from '../support/hosts.js';
import { loseEngine } from '../support/lost-engine.js';
import { runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `lost-${process.pid}`;

describe.skipIf(why)('an infra on hosts of this machine that the engine has lost', () => {
  let engine: TestEngine;
  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  const volumes = [{ name: 'data', size: '1GiB', mount: '/srv/data' }];
  const definition = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'a', volumes }], taskservs: ['redis'] });
  const wish = { infra: INFRA, definition, onFailure: 'keep' as const, timing: { healthMs: 20_000, heartbeatMs: 5_000 } };
  const recover = async () => {
    const { code, stdout, stderr } = await provisioning(engine, ['infra', 'recover', INFRA, '--yes', '--json']);
    expect([code, stderr, code === 0 ? '' : stdout]).toEqual([0, '', '']);
    return JSON.parse(stdout) as RecoveryReport;
  };
  /** Creates the infra with data, unless another test has created it. */
  const make = async () => {
    await runWell(engine, wish);
    await shellOf(INFRA, 'a')('redis-cli set kept yes');
  };
  const inventory = async () => (await engine.client()).infras.inventory({ workspace: 'default', infra: INFRA });

  test('comes back from its feed, and its apply has nothing to do', async () => {
    await make();
    const [before, containers] = [await inventory(), await containersOf(INFRA, 'a')];
    await loseEngine(engine);
    expect(await recover()).toMatchObject({ source: 'feed', servers: [{ name: 'a', state: 'confirmed' }], others: [] });
    expect(await inventory()).toEqual(before);
    expect((await runWell(engine, wish)).steps).toEqual({ executed: 0, planned: 0 });
    expect([await containersOf(INFRA, 'a'), await shellOf(INFRA, 'a')('redis-cli get kept')]).toEqual([containers, 'yes']);
  });

  test('comes back from labels where there is no feed, and what runs on its hosts is found there', async () => {
    await make();
    const [before, containers] = [await inventory(), await containersOf(INFRA, 'a')];
    await rm(engine.home.feeds, { recursive: true });
    await loseEngine(engine);
    expect(await recover()).toMatchObject({ source: 'labels', servers: [{ name: 'a', state: 'confirmed' }], others: [] });
    // None of its resources is reported as untracked, including its volume.
    const { items: orphans } = await (await engine.client()).orphans.list({ workspace: 'default' });
    expect(orphans.filter(({ scope }) => scope.infra === INFRA)).toEqual([]);
    expect((await runWell(engine, wish)).steps.executed).toBe(0);
    const after = await inventory();
    expect(Object.keys(after?.servers.a?.services ?? {})).toEqual(Object.keys(before?.servers.a?.services ?? {}));
    expect([await containersOf(INFRA, 'a'), await shellOf(INFRA, 'a')('redis-cli get kept')]).toEqual([containers, 'yes']);
    await runWell(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true });
    expect(await containersOf(INFRA, 'a')).toEqual([]);
  });
});
