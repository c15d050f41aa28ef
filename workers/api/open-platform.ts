import { createHostScripts } from '../../activities/host/host-scripts.js';
import type { Limits } from '../../api/limits/admit.js';
import { chooseHeadsFolder } from '../../app/audit/heads-folder.js';
import { limitCalls } from '../../app/limits/limit-calls.js';
import type { Call } from '../../app/method.js';
import type { Principal } from '../../app/principal.js';
import { type CallRecords, recordCalls } from '../../app/record-calls.js';
import { type ConnectedEngine, openEngine } from '../../client/open-engine.js';
import { unreachableError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';
import { allowsThisHost } from '../../settings/this-host.js';
import type { Stores } from '../../stores/stores.js';
import { readRecord } from '../engine/record.js';
import { workerSettings } from '../worker-settings.js';
import { openApiLimits } from './api-limits.js';
import { cleanHourly } from './clean-hourly.js';
import { followRecord } from './follow-record.js';

/** Parts that answer the calls of an API server. */
export interface OpenPlatform {
  stores: Stores;
  limits: Limits;
  /** Recorder of calls and of other events. */
  records: CallRecords;
  /** @param address that the call came from */
  callFor(principal: Principal, address?: string): Call;
  /** @throws if Temporal or the stores do not answer */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the engine and the stores of a home for a process that runs no workflows. If the engine is recorded otherwise later,
 * such as under another address, it connects to that.
 *
 * @throws unreachableError `engine-not-running`
 */
export async function openPlatform(home: Home, given: NodeJS.ProcessEnv, log: (line: string) => void): Promise<OpenPlatform> {
  const record = await readRecord(home);
  if (!record) throw noEngine(home);
  const opened = await openEngine(record, home, given);
  const { stores, env } = opened;
  const checksAnswers = env.PROVISIONING_CHECK_ANSWERS === '1';
  const records = recordCalls(stores.rows, { heads: chooseHeadsFolder(home, env), drops: true });
  const limits = openApiLimits(env, stores.rows);
  const cleaning = cleanHourly(stores.rows, records);
  const hooks = { ...records, ...limitCalls(stores) };
  // It has the keys of the store, like a worker, so its methods read hosts as those of a worker do.
  const login = workerSettings(env).connections;
  const hostScripts = createHostScripts({ keys: stores.keys, login, allowsThisHost: () => allowsThisHost(home) });
  // One engine for all calls over a connection.
  const withScripts = ({ engine, connection }: ConnectedEngine) => ({ engine: { ...engine, hostScripts }, connection });
  const connected = followRecord({
    ...{ record, made: withScripts(opened), log },
    read: () => readRecord(home),
    make: async (now) => withScripts(await opened.connectTo(now)),
    close: ({ connection }) => connection.close(),
  });
  return {
    stores,
    records,
    limits,
    callFor: (principal, address) => ({
      engine: connected.current().engine,
      principal,
      door: { kind: 'https', address },
      checksAnswers,
      ...hooks,
    }),
    async ready() {
      const { connection, engine } = connected.current();
      await connection.workflowService.describeNamespace({ namespace: engine.temporal.options.namespace });
      await stores.rows();
    },
    async close() {
      cleaning.stop();
      limits.signIns.stop();
      await connected.close();
      await records.close();
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
