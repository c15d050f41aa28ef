import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';
import { endedOf } from './record-inquiries.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Imports a server, and compares the cloud with the inventory. `keep` saves a history. */
export async function recordClouds(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  const { meddle } = demoAccount(engine);
  const whose = { workspace: 'default', infra: 'taken-in' };
  await meddle(({ elsewhere }) => {
    elsewhere['x-1'] = { id: 'x-1', name: 'legacy', plan: 'demo-medium', image: 'debian-12', zone: 'demo-eu-1' };
  });
  await client.servers.import({ ...whose, provider: 'demo', server: 'x-1', name: 'legacy' });
  await keep('import-server', await endedOf(engine, 'importServer'));

  await meddle(({ servers }) => {
    delete servers['default/taken-in/legacy'];
  });
  await client.infras.refresh({ ...whose, record: true });
  await keep('refresh-recorded', await endedOf(engine, 'refresh'));
}
