import { setTimeout as sleep } from 'node:timers/promises';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Asks a provider, takes a server in that was made elsewhere, and compares the cloud with the inventory; `keep` saves a history. */
export async function recordClouds(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  const { meddle } = demoAccount(engine);
  const whose = { workspace: 'default', infra: 'taken-in' };
  const ended = async (type: string): Promise<string> => {
    for (;;) {
      const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Completed'`;
      for await (const { workflowId } of engine.temporal.workflow.list({ query })) return workflowId;
      await sleep(50);
    }
  };
  await client.providers.plans({ provider: 'demo' });
  await keep('ask-plans', await ended('ask'));

  await meddle(({ elsewhere }) => {
    elsewhere['x-1'] = { id: 'x-1', name: 'legacy', plan: 'demo-medium', image: 'debian-12', zone: 'demo-eu-1' };
  });
  await client.servers.import({ ...whose, provider: 'demo', server: 'x-1', name: 'legacy' });
  await keep('import-server', await ended('importServer'));

  await meddle(({ servers }) => {
    delete servers['default/taken-in/legacy'];
  });
  await client.infras.refresh({ ...whose, record: true });
  await keep('refresh-recorded', await ended('refresh'));
}
