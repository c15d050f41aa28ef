import type { EngineRecord } from '../../../core/engine/engine.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import type { ConfiguredService } from '../../../settings/temporal-service.js';
import { ensureEngineIdentity } from '../identity.js';
import { isAlive } from '../processes/process.js';
import { writeRecord } from '../record.js';
import { engineNames } from './engine-names.js';
import { readSharedStore } from './shared-store.js';

/**
 * Checks the service that the user named, at every call: it must answer, have the namespace, and know the search
 * attributes.
 *
 * @throws inputError `engine-already-own` while this home runs a server of its own
 */
export async function askConfiguredEngine(
  home: Home,
  recorded: EngineRecord | undefined,
  service: ConfiguredService,
  env: NodeJS.ProcessEnv,
): Promise<EngineRecord> {
  if (recorded?.server && isAlive(recorded.server)) {
    throw inputError({
      code: 'engine-already-own',
      what: 'use the Temporal service',
      on: service.address,
      why: `this home runs its own engine at ${recorded.address}, which has its data`,
      hint: 'run `provisioning down` first, or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE, or choose another PROVISIONING_HOME',
    });
  }
  const { namespace } = engineNames(env, '', service.namespace);
  const { prepareNamespace, useConnection } = await import('./namespace.js');
  const retentionDays = await useConnection(service.connection, (connection) => prepareNamespace(connection, namespace)).catch(
    async (error) => {
      throw error instanceof ProvisioningError ? error : await faultOfConnection(error, service);
    },
  );
  const store = await readSharedStore(home, env);
  const setUp = store?.id ?? (await ensureEngineIdentity(home)).id;
  const record: EngineRecord = {
    kind: 'configured',
    address: service.address,
    ...engineNames(env, setUp, service.namespace),
    profile: env.TEMPORAL_PROFILE || undefined,
    store: store?.name,
    retentionDays,
    worker: recorded?.worker,
  };
  await writeRecord(home, record);
  return record;
}

async function faultOfConnection(error: unknown, service: ConfiguredService) {
  const { connectionFault } = await import('../../../app/temporal/connection-fault.js');
  return connectionFault(error, service.connection);
}
