import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Orphan } from '../../core/operation/orphans.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, runWell, submit, untilStatus } from '../support/operations.js';
import { terminateFromOutside } from '../support/temporal-cli.js';

const bin = resolve('bin/provisioning.js');

describe('orphans', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const shop = (count: number) =>
    demoDefinition('shop', { servers: [{ name: 'web', count, volumes: [{ name: 'data', size: '1 GiB', mount: '/srv' }] }] });
  const orphans = async (remove?: Orphan[]) => {
    const { orphans } = await engine.client();
    if (remove) return orphans.remove({ workspace: 'default', remove });
    const { items, unasked } = await orphans.list({ workspace: 'default' });
    return { orphans: items, unasked, removed: [], kept: [], failed: [] };
  };
  const named = (rows: Orphan[]) => rows.filter(({ provider }) => provider === 'demo').map(({ kind, name }) => `${kind} ${name}`);
  const provisioning = (...args: string[]) =>
    execa(process.execPath, [bin, ...args], {
      env: engine.env as Record<string, string>,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });

  /** Leaves a server that an operation had created but not recorded when it was terminated. */
  async function leaveBehind(server: string): Promise<string> {
    await account.behave({ failures: [{ verb: 'servers.create', name: server, times: 1, error: 'silence' }] });
    const operation = await submit(engine, {
      infra: 'shop',
      kind: 'server',
      intent: { verb: 'ensure', servers: [server] },
      definition: shop(3),
    });
    await untilStatus(engine, operation, 'running');
    await eventually(async () => expect(contentOf(await account.read()).servers).toContain(`default/shop/${server}`));
    await terminateFromOutside(engine, operation);
    await eventually(
      async () => expect((await (await engine.client()).infras.locks({ workspace: 'default', infra: 'shop' })).holders).toEqual([]),
      120_000,
    );
    await account.behave({});
    return operation;
  }

  withDemoEngine(async (...started) => {
    [engine, account] = started;
    await runWell(engine, { infra: 'shop', definition: shop(1) });
  });
  beforeEach(() => account.behave({}));
  afterEach(() => endAll(engine));

  test('what is known or worked on is none', async () => {
    expect(named((await orphans()).orphans)).toEqual([]);
    await account.behave({ latencyMs: { boot: 3_000 } });
    const operation = await submit(engine, { infra: 'shop', definition: shop(2) });
    await eventually(async () => expect(contentOf(await account.read()).servers).toHaveLength(2));
    expect(named((await orphans()).orphans)).toEqual([]);
    expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
    expect(named((await orphans()).orphans)).toEqual([]);
  });

  test('what a terminated operation made and nobody recorded is named, with the operation, and removed on request', async () => {
    const operation = await leaveBehind('web-3');
    const found = (await orphans()).orphans.filter(({ provider }) => provider === 'demo');
    expect(named(found)).toEqual(['server web-3', 'volume web-3/data', 'firewall web-3']);
    for (const one of found) {
      expect(one).toMatchObject({ operation, ended: 'terminated', scope: { workspace: 'default', infra: 'shop' } });
      expect(one.reason).toBe('it is not in the inventory of "shop", and no operation works on it');
      expect(one.since).toMatch(/^\d{4}-/);
    }
    const listed = await provisioning('orphans', '--json');
    expect(named(JSON.parse(listed.stdout).orphans)).toEqual(['server web-3', 'volume web-3/data', 'firewall web-3']);
    const refused = await provisioning('orphans', '--remove');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(/there is no terminal to ask on/)]);
    expect((await provisioning('orphans')).stdout).toMatch(/web-3 .*terminated.*no operation works on it/);

    const removed = await provisioning('orphans', '--remove', '--yes', '--json');
    expect(named(JSON.parse(removed.stdout).removed)).toContain('server web-3');
    expect(JSON.parse(removed.stdout).failed).toEqual([]);
    expect(contentOf(await account.read()).servers).toEqual(['default/shop/web-1', 'default/shop/web-2']);
    expect(contentOf(await account.read()).volumes).toEqual(['default/shop/web-1/data', 'default/shop/web-2/data']);
    expect(named((await orphans()).orphans)).toEqual([]);
    expect((await (await engine.client()).infras.locks({ workspace: 'default', infra: 'shop' })).holders).toEqual([]);
  });

  test('what an operation has taken up meanwhile is kept', async () => {
    await leaveBehind('web-3');
    const { orphans: found } = await orphans();
    // The operation adopts servers with the infra's UUID.
    await runWell(engine, { infra: 'shop', definition: shop(3) });
    const report = await orphans(found.filter(({ provider }) => provider === 'demo'));
    expect(named(report.removed)).toEqual([]);
    expect(report.kept.map(({ why }) => why)).toEqual(Array(3).fill('it is in use by now'));
    expect(contentOf(await account.read()).servers).toContain('default/shop/web-3');
  });

  test('one that cannot be removed is named, and stops no other', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(2), allowDestroy: true });
    await leaveBehind('web-3');
    const { orphans: found } = await orphans();
    await account.behave({ failures: [{ verb: 'servers.delete', name: 'web-3', times: 1, error: 'user' }] });
    const report = await orphans(found.filter(({ provider }) => provider === 'demo'));
    expect(named(report.failed)).toEqual(['server web-3']);
    expect(named(report.removed)).toEqual(['volume web-3/data', 'firewall web-3']);
    const again = await orphans((await orphans()).orphans);
    expect(named(again.removed)).toEqual(['server web-3']);
  });

  test('what belongs to an infra that is no more is named, and kept as long as the store can bring that back', async () => {
    await runWell(engine, { infra: 'gone', definition: demoDefinition('gone', { servers: [{ name: 'web' }] }) });
    await terminateFromOutside(engine, 'infra/default/gone');
    const all = ['server web', 'firewall web', 'network gone'];
    const ofGone = async () => (await orphans()).orphans.filter(({ scope }) => scope.infra === 'gone');
    const reasoned = (reason: string) =>
      eventually(async () =>
        expect((await ofGone()).map((one) => [...named([one]), one.reason])).toEqual(all.map((one) => [one, reason])),
      );
    const why = 'the store has a feed of this infra: provisioning infra recover gone';
    await reasoned(why);
    const refused = await orphans(await ofGone());
    expect([named(refused.removed), named(refused.kept), refused.kept[0]?.why]).toEqual([[], all, why]);
    await rm(engine.home.feeds, { recursive: true });
    await reasoned('no infra "gone" lives');
    expect(named((await orphans(await ofGone())).removed)).toEqual(all);
  });
});
