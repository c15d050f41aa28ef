import type { ConfigPlace } from '../../settings/layers/layers.js';
import { resolveConfig } from '../../settings/layers/resolve.js';
import type { Value } from '../../settings/layers/values.js';
import type { Context } from '../context.js';

type Asking = Pick<Context, 'home' | 'env' | 'folder' | 'environment'>;

/** What settings are resolved for by who asks. */
export const configPlace = ({ home, env, folder, environment }: Asking, infra?: string): ConfigPlace => ({
  home,
  env,
  ...(folder === undefined ? {} : { workspaceFolder: folder }),
  ...(infra === undefined ? {} : { infra }),
  ...(environment === undefined ? {} : { environment }),
});

/**
 * The value of a setting, as its key says its type; undefined where it has none.
 *
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function readContextSetting<T extends Value = number>(context: Asking, name: string): Promise<T | undefined> {
  const found = (await resolveConfig(configPlace(context))).settled.get(name);
  if (!found) throw new Error(`there is no setting ${name}`);
  return found.value as T | undefined;
}
