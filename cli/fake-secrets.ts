import { createDispatcher } from '../app/dispatch.js';
import { createEngine } from '../app/engine.js';
import type { MethodCalls } from '../app/method-calls.generated.js';
import { createOwner } from '../app/principal.js';
import { storesElsewhere } from '../client/stores-elsewhere.js';
import type { Home } from '../home/home.js';
import { openSecrets } from '../stores/open-secrets.js';
import { temporalOfInfras } from '../test/support/temporal-of-infras.js';

/** For tests: provides the methods of secrets like a home's worker. Its infras are those of the test's client. */
export async function fakeSecrets(
  { home, env, actor }: { home: Home; env: NodeJS.ProcessEnv; actor: string },
  infras: { [Verb in 'list' | 'inventory' as `infras.${Verb}`]?: MethodCalls['infras'][Verb] },
  method: string,
  input: unknown,
): Promise<unknown> {
  const { secrets, close } = await openSecrets(home, env);
  const temporal = temporalOfInfras({
    list: async (workspace) => (await infras['infras.list']?.({ workspace })) ?? [],
    inventory: async (place) => (await infras['infras.inventory']?.(place)) ?? undefined,
  });
  const stores = { ...storesElsewhere(home), secrets };
  const engine = createEngine({ temporal, taskQueue: 'test', stores });
  return createDispatcher({ engine, principal: createOwner(actor), checksAnswers: true })
    .call(method, input)
    .finally(close);
}
