import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LostReport } from '../../core/recovery/lost-infras.js';
import type { RecoveryReport } from '../../core/recovery/recovery-report.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf, type Written } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { containersOf, pauseHost, shellOf, sweep, unpauseHost, whyNoHosts } from '../support/hosts.js';
import { loseEngine } from '../support/lost-engine.js';
import { type Machines, startMachines } from '../support/machines.js';
import { runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const MACHINES = `their-machines-${process.pid}`;
const INFRA = `mixed-${process.pid}`;
const OWN = `own-${process.pid}`;
const timing = { healthMs: 20_000, heartbeatMs: 5_000 };

describe.skipIf(why)('an infra without a feed that the engine has lost', () => {
  let engine: TestEngine;
  let machines: Machines;
  withHostEngine(MACHINES, async (started) => {
    engine = started;
    machines = await startMachines(engine, MACHINES, ['one', 'two', 'three']);
  });

  const box = shellOf(MACHINES, 'one');
  /** Writes a definition file. Returns its path and the request to apply it. */
  async function written(file: Written) {
    const path = join(engine.home.root, `${file.infra}.json`);
    await writeFile(path, JSON.stringify(file));
    return { path, wish: { infra: file.infra, definition: definitionOf(file), onFailure: 'keep' as const, timing } };
  }
  async function recover(...more: string[]) {
    const { code, stdout, stderr } = await provisioning(engine, ['infra', 'recover', ...more, '--json']);
    return { code, stderr, said: JSON.parse(stdout) };
  }
  const reportOf = async (...more: string[]) => {
    const { code, said } = await recover(...more);
    return { code, report: said as RecoveryReport };
  };
  const inventory = async (infra: string) => (await engine.client()).infras.inventory({ workspace: 'default', infra });
  const keysOf = async (infra: string) => {
    const folder = join(engine.home.keys, 'default', infra);
    const names = (await readdir(folder, { recursive: true })).sort();
    return [names, await readFile(join(folder, 'known_hosts'), 'utf8')];
  };
  const loseFeeds = async () => {
    await rm(engine.home.feeds, { recursive: true });
    await loseEngine(engine);
  };
  const says = ({ servers, left = [] }: RecoveryReport) =>
    [...servers, ...left].map(({ name, state, host }) => `${name}: ${state}, ${host?.says}`);

  test('is listed, and comes back with what labels confirm and machines prove: then there is nothing to do', async () => {
    const { path, wish } = await written({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'a' }, { name: 'box', host: machines.host('one') }],
      taskservs: ['redis'],
    });
    await runWell(engine, wish);
    await box('redis-cli set kept yes');
    const [before, containers] = [await inventory(INFRA), await containersOf(INFRA, 'a')];
    const none = await recover();
    expect([none.code, (none.said as LostReport).infras]).toEqual([0, []]);

    await loseEngine(engine);
    const { infras } = (await recover()).said as LostReport;
    expect(infras).toMatchObject([{ infra: INFRA, key: true, feed: { uuid: before?.uuid, servers: 2, networks: 1 } }]);
    expect(infras[0]?.labelled).toMatchObject({ server: 1, network: 1 });
    const status = await provisioning(engine, ['status']);
    expect([status.code, status.stdout]).toEqual([3, expect.stringContaining(`${INFRA}: \`provisioning infra recover\``)]);

    await loseFeeds();
    expect((await provisioning(engine, ['status'])).code).toBe(0);
    const without = (await recover()).said as LostReport;
    expect(without.infras.map(({ infra, feed, key }) => [infra, feed, key])).toEqual([[INFRA, undefined, true]]);
    const keys = await keysOf(INFRA);
    const named = await reportOf(INFRA, '--check');
    expect([named.code, named.report.source, says(named.report)]).toEqual([0, 'labels', ['a: confirmed, confirmed']]);
    const { code, report } = await reportOf('--file', path, '--check');
    expect([code, report.uuid, says(report)]).toEqual([0, before?.uuid, ['a: confirmed, confirmed', 'box: confirmed, confirmed']]);
    expect(report.servers.map(({ by }) => by)).toEqual(['label', 'mark']);
    for (const { host } of report.servers)
      expect(host?.services).toMatchObject([
        { taskserv: 'redis', outcome: 'done', version: wish.definition.servers[0]?.taskservs[0]?.version },
      ]);
    expect([await inventory(INFRA), await keysOf(INFRA)]).toEqual([undefined, keys]);

    expect((await reportOf('--file', path, '--yes')).report).toEqual({ ...report, recovered: true });
    expect(Object.keys((await inventory(INFRA))?.servers ?? {})).toEqual(['a', 'box']);
    expect((await runWell(engine, wish)).steps).toEqual({ executed: 0, planned: 0 });
    expect([await containersOf(INFRA, 'a'), await box('redis-cli get kept')]).toEqual([containers, 'yes']);
    const after = await inventory(INFRA);
    expect([after?.uuid, Object.keys(after?.servers.box?.services ?? {})]).toEqual([before?.uuid, ['redis']]);
    await runWell(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true });
    expect(await box('ls -d /var/lib/provisioning 2>/dev/null || true')).toBe('');
    await sweep(INFRA);
  });

  test('comes back without what bears another mark, or cannot be asked: that is named', async () => {
    const { path, wish } = await written({
      infra: OWN,
      provider: 'local',
      servers: ['one', 'two', 'three'].map((name) => ({ name, host: machines.host(name) })),
      taskservs: ['redis'],
    });
    await runWell(engine, wish);
    const uuid = (await inventory(OWN))?.uuid;
    await loseFeeds();
    const marked = shellOf(MACHINES, 'two');
    const mark = await marked('cat /var/lib/provisioning/owner');
    await marked(`echo '11111111-2222-3333-4444-555555555555 default ${OWN}' >/var/lib/provisioning/owner`);
    await pauseHost(MACHINES, 'three');
    try {
      const { code, report } = await reportOf('--file', path, '--check');
      expect([code, report.source, report.uuid]).toEqual([3, 'marks', uuid]);
      const expected = ['one: confirmed, confirmed', 'three: unconfirmed, not-reached', 'two: contradicted, contradicted'];
      expect(says(report)).toEqual(expected);
      const told = await provisioning(engine, ['infra', 'recover', '--file', path, '--check']);
      expect(told.stdout).toMatch(/unconfirmed +server +three .* is not brought back: the host cannot be looked at/);
      expect(told.stdout).toMatch(/contradicted +server +two .*11111111-2222-3333-4444-555555555555/);
      expect((await reportOf('--file', path, '--yes')).code).toBe(3);
      expect(Object.keys((await inventory(OWN))?.servers ?? {})).toEqual(['one']);
    } finally {
      await unpauseHost(MACHINES, 'three');
    }
    // The next apply adopts the remaining hosts, as soon as they have this infra's mark and answer.
    await marked(`echo '${mark}' >/var/lib/provisioning/owner`);
    const applied = await runWell(engine, wish);
    expect(applied.plan.map(({ title }) => title).sort()).toEqual(['Adopt the host three', 'Adopt the host two']);
    expect((await runWell(engine, wish)).steps).toEqual({ executed: 0, planned: 0 });

    // Answers of a host without a known key are ignored.
    await loseFeeds();
    await rm(join(engine.home.keys, 'default', OWN, 'hosts'), { recursive: true });
    const { code, said } = await recover('--file', path, '--yes');
    expect([code, said.error.code, said.error.why]).toEqual([
      2,
      'nothing-to-recover',
      expect.stringContaining('one cannot be looked at: the store has no host key of the server'),
    ]);
    await expect(readdir(join(engine.home.keys, 'default', OWN, 'hosts'))).rejects.toThrow('ENOENT');
  });
});
