import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.js';
import { demoDefinition } from '../test/support/definition.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Query workflows, which change nothing: the name of each recording, its type, and the call that runs it. */
const INQUIRIES: Readonly<Record<string, { type: string; fails?: true; run: (client: Client) => Promise<unknown> }>> = {
  'ask-plans': { type: 'ask', run: ({ providers }) => providers.plans({ provider: 'demo' }) },
  // Hosts of the demo provider run no scripts: no member makes a share.
  'group-share': {
    type: 'groupShare',
    fails: true,
    run: async ({ operations, infras }) => {
      const place = { workspace: 'default', infra: 'crew' };
      const shop = demoDefinition('crew', { servers: [{ name: 'a' }], taskservs: ['node-exporter'] });
      const [server] = shop.servers;
      const member = server && { ...server, taskservs: server.taskservs.map((one) => ({ ...one, group: 'main' })) };
      const output = { share: 'token', taskserv: 'node-exporter', group: 'main' };
      const definition = { ...shop, servers: member ? [member] : [], outputs: { 'join-token': output } };
      const shared = { kind: 'cluster' as const, ...place, actor: 'recorder', allowDestroy: true };
      await operations.submit({ request: { ...shared, id: 'crew-apply', intent: { verb: 'ensure' }, definition } });
      await operations.result({ operation: 'crew-apply' });
      await infras.revealOutput({ ...place, output: 'join-token' }).catch(() => {});
      await operations.submit({ request: { ...shared, id: 'crew-delete', intent: { verb: 'delete' } } });
      await operations.result({ operation: 'crew-delete' });
    },
  },
  // If it finds no labels, it refuses to recover the infra.
  labels: {
    type: 'labels',
    run: ({ infras }) => infras.recover({ workspace: 'default', infra: 'lost', check: true }).catch(() => {}),
  },
  // It has no resources: its removal finds nothing.
  'test-environment': {
    type: 'testEnvironment',
    run: async ({ testEnvironments }) => {
      const place = { workspace: 'default', infra: 'tried' };
      await testEnvironments.create({ ...place, type: 'single', about: 'redis', ttlMs: 600_000 });
      await testEnvironments.keep(place);
      await testEnvironments.remove(place);
    },
  },
};

/** Returns whether all of these recordings are queries. */
export const areInquiries = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => Object.hasOwn(INQUIRIES, name));

/** Plays the queries. `keep` saves a history. */
export async function recordInquiries(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  for (const [name, { type, fails, run }] of Object.entries(INQUIRIES)) {
    await run(client);
    await keep(name, await endedOf(engine, type, fails ? 'Failed' : 'Completed'));
  }
}

/** Returns the id of an ended workflow with this type, as soon as it is listed. */
export async function endedOf(
  { temporal }: TestEngine,
  type: string,
  status: 'Completed' | 'Failed' = 'Completed',
): Promise<string> {
  for (;;) {
    const query = `WorkflowType = '${type}' AND ExecutionStatus = '${status}'`;
    for await (const { workflowId } of temporal.workflow.list({ query })) return workflowId;
    await sleep(50);
  }
}
