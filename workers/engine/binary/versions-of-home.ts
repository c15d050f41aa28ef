import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { countPinned, describeFleet, locateFleet, promote } from '../../../app/fleet/fleet.js';
import type { EngineRecord, ServedEngine } from '../../../core/engine/engine.js';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { describeRecordedService } from '../../../settings/temporal-service.js';

/**
 * Time until the service knows a new worker after its first poll, in milliseconds; less than the limit of a
 * connection.
 */
const HEARD_MS = 12_000;

/** Runs `work` on a connection to the service that a home has recorded. */
export async function useService<T>(
  record: ServedEngine,
  env: NodeJS.ProcessEnv,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { useConnection } = await import('../temporal-service/namespace.js');
  const service = await describeRecordedService(record, env);
  return useConnection({ ...service?.connection, address: record.address }, work);
}

/**
 * Checks that this build continues all running workflows, before their present worker is stopped.
 *
 * @throws inputError `former-workflows`, `newer-workflows`
 */
export async function checkRunning(home: Home, record: EngineRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const [{ openEncryption }, { payloadFiles }, { createSealedClient }, { checkVersions }] = await Promise.all([
    import('../../../encryption/open-encryption.js'),
    import('../../../stores/files/payload-files.js'),
    import('../../../app/temporal/sealed-client.js'),
    import('../../checked-workflows.js'),
  ]);
  // Versions are in memos, which are too small to be stored as payloads.
  const codec = (await openEncryption(home, env)).codec(record.namespace, payloadFiles(home.payloads), 'mark');
  await useService(record, env, (connection) =>
    checkVersions(home, createSealedClient({ connection, namespace: record.namespace, codec }), codec, record, 'later'),
  );
}

/**
 * Sees that a worker of a fleet may go: operations that are pinned to its build
 * would wait forever.
 *
 * @throws inputError `version-in-use`
 */
export async function keepNeeded(record: ServedEngine, build: string, env: NodeJS.ProcessEnv): Promise<void> {
  const place = locateFleet(record);
  const count = await useService(record, env, (connection) => countPinned(connection, place, build));
  if (count === 0) return;
  throw inputError({
    code: 'version-in-use',
    what: 'replace the worker',
    on: `${place.deployment}, build ${build}`,
    why: `${count} ${count === 1 ? 'operation that began on it has' : 'operations that began on it have'} not ended, and only a worker of that build can continue them`,
    hint: 'let them end (`provisioning fleet status`), or run the new build in another home beside it; docs/operate/fleet.md',
  });
}

/**
 * Makes the first worker's version the current one of a fleet: without a current version no operation would start.
 *
 * @throws unreachableError `unknown-version` if the service does not learn of the worker
 */
export async function beginFleet(record: ServedEngine, build: string, env: NodeJS.ProcessEnv, report: Reporter): Promise<void> {
  const place = locateFleet(record);
  await useService(record, env, async (connection) => {
    for (const until = Date.now() + HEARD_MS; Date.now() < until; await sleep(200)) {
      const { versions } = await describeFleet(connection, place);
      if (versions.some(({ state }) => state === 'current')) return;
      if (!versions.some((version) => version.build === build)) continue;
      await promote(connection, place, build);
      report({ task: 'worker', text: `build ${build} is the first of ${place.deployment}: operations begin on it`, state: 'done' });
      return;
    }
    throw unreachableError({
      code: 'unknown-version',
      what: `begin the fleet ${place.deployment}`,
      on: `build ${build}`,
      why: `the service did not register it within ${HEARD_MS / 1000} s, and no version is current`,
      hint: 'run `provisioning up` again; until then no operation begins',
    });
  });
}
