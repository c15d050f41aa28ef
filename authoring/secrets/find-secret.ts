import { generatedRef } from '../../core/taskserv/generated-names.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import { partIn } from '../../secrets/infra-secrets.js';
import { environmentKey, type SecretStore } from '../../stores/secrets.js';
import type { Context } from '../context.js';
import { chooseScope, isKept } from './secret-scope.js';

/** Where a secret was looked for. */
interface FoundSecret {
  /** `infra shop`, `workspace default`, `shared`, `account`, `generated`, or the variable that has it. */
  scope: string;
  /** Reads the value, which is kept as read; absent where it is not set. Undefined where it was deleted meanwhile. */
  read?(): Promise<string | undefined>;
}

/**
 * Looks for a secret in one scope, without reading it. The name may be that of a part of a generated pair. What was generated for another workspace is not found.
 * @throws an input error `bad-arguments` for a scope that does not fit the name
 */
export async function findSecret(
  context: Context,
  store: SecretStore,
  name: string,
  flags: { infra?: string; shared?: boolean },
): Promise<FoundSecret> {
  const chosen = await chooseScope(context, store, name, flags);
  const { secrets, scope } = chosen;
  if (isGenerated(name) && name.split('/')[1] !== context.workspace) return { scope };
  // What all share is taken from the environment first, as the worker does it.
  const variable = environmentKey(name);
  const fromEnvironment = secrets === store ? context.env[variable] : undefined;
  if (fromEnvironment !== undefined) return { scope: `environment ${variable}`, read: async () => fromEnvironment };
  const { kept } = generatedRef(name);
  if (!(await isKept(context, store, kept, chosen, flags.infra))) return { scope };
  const note = () => secrets.noteRead(kept, { at: new Date().toISOString(), by: context.actor, how: 'secret get' });
  const wanted = async () => {
    const value = await secrets.get(kept);
    return kept === name || value === undefined ? value : partIn(name, value);
  };
  // Before the value is shown: what cannot be noted is not given.
  return { scope, read: () => note().then(wanted) };
}
