import { demoDefinition } from './definition.js';
import type { TestEngine } from './engine.js';
import { eventually, submit, untilStatus } from './operations.js';

/** Returns the definition of one bare server. */
const bare = (infra: string) => demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: [] });

/** Starts two operations on each infra: one waits for an approval, the other for its lock. */
export async function waitOnAll(engine: TestEngine, infras: readonly string[]): Promise<{ asked: string[]; queued: string[] }> {
  const client = await engine.client();
  const one = async (infra: string) => {
    const asked = await submit(engine, { infra, definition: bare(infra), approve: ['before-change'] });
    await untilStatus(engine, asked, 'waiting');
    const queued = await submit(engine, { infra, definition: bare(infra) });
    await eventually(async () => {
      const { waiters } = await client.infras.locks({ workspace: 'default', infra });
      if (waiters.length !== 1) throw new Error(`${waiters.length} wait on ${infra}`);
    });
    return { asked, queued };
  };
  const all = await Promise.all(infras.map(one));
  return { asked: all.map(({ asked }) => asked), queued: all.map(({ queued }) => queued) };
}

/** Returns the running activities of a workflow, by type. */
export async function atWork({ temporal }: TestEngine, workflow: string): Promise<string[]> {
  const { raw } = await temporal.workflow.getHandle(workflow).describe();
  // PENDING_ACTIVITY_STATE_STARTED of Temporal's API.
  return (raw.pendingActivities ?? []).flatMap(({ state, activityType }) => (state === 2 ? [activityType?.name ?? ''] : []));
}
