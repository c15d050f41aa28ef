import { dispatcherOf } from '../app/dispatch.js';
import { engineOf } from '../app/engine.js';
import type { MethodCalls } from '../app/method-calls.generated.js';
import { ownerOf } from '../app/principal.js';
import { storesElsewhere } from '../client/stores-elsewhere.js';
import type { Home } from '../home/home.js';
import { openSecrets } from '../stores/open-secrets.js';
import { temporalOfInfras } from '../test/support/temporal-of-infras.js';

/** For tests: the methods of secrets as the worker of a home runs them. Its infras are those of the test's client. */
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
  const engine = engineOf({ temporal, taskQueue: 'test', stores });
  return dispatcherOf({ engine, principal: ownerOf(actor), checksAnswers: true })
    .call(method, input)
    .finally(close);
}
