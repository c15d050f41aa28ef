import type { Limits } from '../../api/limits/admit.js';
import { createEngine } from '../../app/engine.js';
import { limitCalls } from '../../app/limits/limit-calls.js';
import type { Call } from '../../app/method.js';
import type { Principal } from '../../app/principal.js';
import { recordCalls } from '../../app/record-calls.js';
import { connectTemporal } from '../../app/temporal/connect-temporal.js';
import { createSealedClient } from '../../app/temporal/sealed-client.js';
import { onlyWithWorker, workerWatch } from '../../app/temporal/worker-there.js';
import { backupProgram } from '../../client/engine-program/backup-program.js';
import { unreachableError } from '../../core/errors.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import type { Home } from '../../home/home.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { describeRecordedService } from '../../settings/temporal-service.js';
import { openStores } from '../../stores/open-stores.js';
import type { Stores } from '../../stores/stores.js';
import { readRecord } from '../engine/record.js';
import { openApiLimits } from './api-limits.js';
import { keepKeysFew } from './keep-keys-few.js';

/** What answers the calls of an API server. */
export interface OpenPlatform {
  stores: Stores;
  limits: Limits;
  callFor(principal: Principal): Call;
  /** @throws if Temporal or the stores do not answer */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the engine and the stores of a home for a process that runs no workflows. Several such processes, and the worker, can
 * use one home or one store of a team at a time.
 *
 * @throws unreachableError `engine-not-running`
 */
export async function openPlatform(home: Home, given: NodeJS.ProcessEnv): Promise<OpenPlatform> {
  const env = await resolveEnvironment(home, given);
  const record = await readRecord(home);
  if (!record) throw noEngine(home);
  const { address, namespace, taskQueue } = record;
  const service = await describeRecordedService(record, env);
  const connection = await connectTemporal({ ...service?.connection, address });
  const [stores, encryption] = await Promise.all([openStores(home, env), openEncryption(home, env)]).catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  const codec = encryption.codec(namespace, stores.payloads);
  const worker = workerWatch(connection, record);
  const engine = createEngine({
    temporal: createSealedClient({ connection, namespace, codec }, onlyWithWorker(worker)),
    taskQueue,
    ...(record.deployment !== undefined && { deployment: record.deployment }),
    ...(record.worker?.build !== undefined && { build: record.worker.build }),
    stores,
    beside: { home, env: given },
    backups: backupProgram({ ...given, PROVISIONING_HOME: home.root }),
    elsewhere: { worker, patient: createSealedClient({ connection, namespace, codec }) },
  });
  const checksAnswers = env.PROVISIONING_CHECK_ANSWERS === '1';
  const limits = openApiLimits(env, stores.rows);
  const cleaning = keepKeysFew(stores.rows);
  const hooks = { ...recordCalls(stores.rows), ...limitCalls(stores) };
  return {
    stores,
    limits,
    callFor: (principal) => ({ engine, principal, checksAnswers, ...hooks }),
    async ready() {
      await connection.workflowService.describeNamespace({ namespace });
      await stores.rows();
    },
    async close() {
      cleaning.stop();
      limits.signIns.stop();
      await connection.close();
      await stores.close();
    },
  };
}

const noEngine = ({ root }: Home) =>
  unreachableError({
    code: 'engine-not-running',
    what: 'find the engine',
    on: root,
    why: 'no engine is running for this home',
    hint: 'provisioning up',
  });
