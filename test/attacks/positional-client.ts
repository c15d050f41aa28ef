import { type Client, clientOver } from '../../client/client.js';

type Positional = Record<string, (...args: unknown[]) => Promise<unknown>>;
type Input = Record<string, unknown>;

const BY = { actor: 'attacked@desk' };

/** Calls of a former client by method, with positional arguments. */
const FORMER: Record<string, (client: Positional, input: Input) => Promise<unknown> | undefined> = {
  'operations.submit': (client, { request }) => client.submit?.(request),
  'operations.result': (client, { operation }) => client.result?.(operation),
  'operations.progress': (client, { operation }) => client.progress?.(operation),
  'operations.pause': (client, { operation }) => client.pause?.(operation, BY),
  'operations.resume': (client, { operation }) => client.resume?.(operation, BY),
  'operations.approve': (client, { operation, approved }) => client.approve?.(operation, { ...BY, approved }),
  'operations.cancel': (client, { operation }) => client.cancel?.(operation, BY.actor),
  'infras.inventory': (client, { workspace, infra }) => client.inventory?.(workspace, infra),
  'infras.locks': (client, { workspace, infra }) => client.locks?.(workspace, infra),
  'infras.refresh': (client, input) => client.refresh?.({ ...input, ...BY }),
  'servers.import': (client, input) => client.importServer?.({ ...input, ...BY }),
  'orphans.list': (client, input) => client.orphans?.({ ...input, ...BY }),
  'providers.plans': (client, { provider }) => client.askProvider?.({ provider, topic: 'plans' }),
  'batches.submit': (client, input) => client.submitBatch?.({ ...BY, ...input }),
  'batches.state': (client, { batch }) => client.batch?.(batch),
  'batches.result': (client, { batch }) => client.batchResult?.(batch),
  'batches.approve': (client, { batch }) => client.approveBatch?.(batch, BY),
  'batches.cancel': (client, { batch }) => client.cancelBatch?.(batch, BY),
};

/** Returns a client for any commit. It calls former clients, which had positional functions instead of methods. */
export function clientOfAnyCommit(connected: Client | Positional): Client {
  if ('operations' in connected) return connected as Client;
  const former = connected as Positional;
  return clientOver({
    async call(name, input) {
      const answered = FORMER[name]?.(former, input as Input);
      if (!answered) throw new Error(`the former client has no ${name}`);
      return answered;
    },
    stream() {
      throw new Error('of a former client nothing is followed');
    },
    close: async () => void (await former.close?.()),
  });
}
