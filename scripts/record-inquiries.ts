import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Query workflows, which change nothing: the name of each recording, its type, and the call that runs it. */
const INQUIRIES: Readonly<Record<string, { type: string; run: (client: Client) => Promise<unknown> }>> = {
  'ask-plans': { type: 'ask', run: ({ providers }) => providers.plans({ provider: 'demo' }) },
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
  for (const [name, { type, run }] of Object.entries(INQUIRIES)) {
    await run(client);
    await keep(name, await endedOf(engine, type));
  }
}

/** Returns the id of a completed workflow with this type, as soon as it is listed. */
export async function endedOf({ temporal }: TestEngine, type: string): Promise<string> {
  for (;;) {
    const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId } of temporal.workflow.list({ query })) return workflowId;
    await sleep(50);
  }
}
