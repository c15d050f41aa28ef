import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Workflows that ask something, and change nothing: under which name each is recorded, its type, and what runs it. */
const INQUIRIES: Readonly<Record<string, { type: string; run: (client: Client) => Promise<unknown> }>> = {
  'ask-plans': { type: 'ask', run: ({ providers }) => providers.plans({ provider: 'demo' }) },
  // What it finds nothing of, it refuses to bring back.
  labels: {
    type: 'labels',
    run: ({ infras }) => infras.recover({ workspace: 'default', infra: 'lost', check: true }).catch(() => {}),
  },
  // Nothing was made in it: its removal finds nothing.
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

/** Whether nothing but an inquiry has to be played to record these. */
export const areInquiries = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => Object.hasOwn(INQUIRIES, name));

/** Plays the inquiries; `keep` saves a history. */
export async function recordInquiries(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  for (const [name, { type, run }] of Object.entries(INQUIRIES)) {
    await run(client);
    await keep(name, await endedOf(engine, type));
  }
}

/** The id of a workflow of this type that ended, as soon as lists have it. */
export async function endedOf({ temporal }: TestEngine, type: string): Promise<string> {
  for (;;) {
    const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId } of temporal.workflow.list({ query })) return workflowId;
    await sleep(50);
  }
}
