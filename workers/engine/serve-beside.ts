import { createFirstAdministrator } from '../../app/access/first-administrator.js';
import type { EngineRecord, UpResult } from '../../core/engine/engine.js';
import { messageOf } from '../../core/errors.js';
import type { Reporter } from '../../core/report.js';
import type { Home } from '../../home/home.js';
import { ensureApi, forgetApi } from './processes/api-process.js';
import type { WorkerOptions } from './processes/worker-process.js';

interface Asked {
  /** Arguments of `serve`; absent: the former ones. */
  api?: readonly string[];
  /** The calling supervisor: it continues without an API server, and retries. */
  supervisor?: number;
}

/**
 * Ensures that the API server of a home runs, if it is requested. As long as there is no administrator, the caller
 * gets a code for the first one.
 *
 * @throws ProvisioningError if a requested server does not start; any other failure is a warning
 */
export async function serveBeside(
  home: Home,
  engine: EngineRecord,
  worker: WorkerOptions,
  { api, supervisor }: Asked,
  report: Reporter,
): Promise<Pick<UpResult, 'api'>> {
  try {
    const found = await ensureApi(home, engine, worker, api, report);
    if (!found) return {};
    const { record, how } = found;
    const code = api && supervisor === undefined ? await createCode(home, worker.env) : undefined;
    const { url = '', everywhere, authority, compat } = record;
    const listens = everywhere === undefined ? {} : { everywhere };
    const more = { ...listens, ...(authority !== undefined && { authority }), ...(compat !== undefined && { compat }) };
    return { api: { how, url, ...more, ...(code !== undefined && { code }) } };
  } catch (error) {
    report({ task: 'api', text: messageOf(error), state: 'failed' });
    if (supervisor !== undefined || !api) return {};
    await forgetApi(home);
    throw error;
  }
}

async function createCode(home: Home, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { openStores } = await import('../../stores/open-stores.js');
  const stores = await openStores(home, env);
  try {
    return await createFirstAdministrator(stores);
  } finally {
    await stores.close();
  }
}
