import { rm } from 'node:fs/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually, runWell, submit } from '../support/operations.js';
import { terminateFromOutside } from '../support/temporal-cli.js';

const INFRA = 'orphans-e2e';
const docker = new Docker();
const problem = await docker.ping().then(
  () => undefined,
  (error: Error) => error.message,
);

/** Returns the kinds and names of all Docker resources with the infra's labels. */
async function left(): Promise<string[]> {
  const filters = { label: [`provisioning.infra=${INFRA}`] };
  const [containers, networks, { Volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const rows = [...containers, ...networks, ...(Volumes ?? [])].map(({ Labels }) => Labels ?? {});
  return rows.map((labels) => `${labels['provisioning.kind']} ${labels['provisioning.name']}`).sort();
}

describe.skipIf(problem)(`orphans in Docker${problem ? ` (left out: ${problem})` : ''}`, { timeout: 120_000 }, () => {
  let engine: TestEngine;
  const definition = (count: number) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'one', count, volumes: [{ name: 'data', size: '1 GiB', mount: '/srv/data' }] }],
    });
  const client = () => engine.client();
  const orphans = async () => {
    const { items, unasked } = await (await client()).orphans.list({ workspace: 'default' });
    return { orphans: items, unasked };
  };

  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(async () => {
    await (await client()).orphans.remove({ workspace: 'default', remove: (await orphans()).orphans });
    await engine?.stop();
  });

  test('a server whose operation was terminated while it was made, then all of an infra that is no more', async () => {
    await runWell(engine, { infra: INFRA, definition: definition(1) });
    expect((await orphans()).orphans).toEqual([]);
    const operation = await submit(engine, {
      infra: INFRA,
      kind: 'server',
      intent: { verb: 'ensure', servers: ['one-2'] },
      definition: definition(2),
    });
    // The volume is visible before the operation can have recorded it, or shortly after. Both happen in practice.
    await eventually(async () => expect(await left()).toContain('volume one-2/data'));
    await terminateFromOutside(engine, operation);
    await eventually(
      async () => expect((await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).holders).toEqual([]),
      120_000,
    );
    const known = Object.keys((await (await client()).infras.inventory({ workspace: 'default', infra: INFRA }))?.servers ?? {});
    // A container may still appear if its creation was running when the operation ended. After that it does not
    // change.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const expected = (await left()).filter((name) => /one-2/.test(name) && !known.includes('one-2'));
    const { orphans: found } = await orphans();
    expect(found.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(expected);
    for (const one of found) expect(one).toMatchObject({ provider: 'local', operation, ended: 'terminated' });

    await terminateFromOutside(engine, `infra/default/${INFRA}`);
    // While the store has its feed, the infra can be recovered, and none of its resources are removed.
    await rm(engine.home.feeds, { recursive: true });
    const all = (await orphans()).orphans;
    expect(all.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(await left());
    const report = await (await client()).orphans.remove({ workspace: 'default', remove: all });
    expect(report.failed).toEqual([]);
    expect(await left()).toEqual([]);
  });
});
