import type { ConfigPlace } from '../../settings/layers/layers.js';
import { resolveConfig } from '../../settings/layers/resolve.js';
import type { Value } from '../../settings/layers/values.js';
import type { Context } from '../context.js';

type Asking = Pick<Context, 'home' | 'env' | 'folder' | 'environment'>;

/** Returns the place for which a requester's settings are resolved. */
export const configPlace = ({ home, env, folder, environment }: Asking, infra?: string): ConfigPlace => ({
  home,
  env,
  ...(folder === undefined ? {} : { workspaceFolder: folder }),
  ...(infra === undefined ? {} : { infra }),
  ...(environment === undefined ? {} : { environment }),
});

/**
 * Returns the value of a setting with the type of its key, or undefined if it has no value.
 *
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function readContextSetting<T extends Value = number>(context: Asking, name: string): Promise<T | undefined> {
  const found = (await resolveConfig(configPlace(context))).settled.get(name);
  if (!found) throw new Error(`there is no setting ${name}`);
  return found.value as T | undefined;
}
