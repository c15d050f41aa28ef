import { chooseHeadsFolder } from '../app/audit/heads-folder.js';
import { createOwner } from '../app/principal.js';
import { recordCalls } from '../app/record-calls.js';
import { isRunning } from '../app/temporal/is-running.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { unreachableError } from '../core/errors.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import type { Client } from './client.js';
import { clientOfEngine } from './client-of-engine.js';
import { openEngine } from './open-engine.js';
import { storesElsewhere } from './stores-elsewhere.js';

/** Connects without a worker on this machine: supports only methods that Temporal and a team's store can answer. */
export async function connectDirectly(record: EngineRecord, home: Home, given: NodeJS.ProcessEnv = process.env): Promise<Client> {
  if (record.kind === 'own' && !(record.server && isRunning(record.server.pid))) {
    const why = 'its server has ended';
    throw unreachableError({
      code: 'engine-not-running',
      what: 'find the engine',
      on: record.address,
      why,
      hint: 'provisioning up',
    });
  }
  // Both are exceptions of `WITHOUT_WORKER`.
  const { engine, env, stores, close } = await openEngine(record, home, given, (all, { PROVISIONING_STORE }) =>
    PROVISIONING_STORE ? all : { ...storesElsewhere(home), secrets: all.secrets },
  );
  // A home's own rows are its worker's.
  const records = env.PROVISIONING_STORE ? recordCalls(stores.rows, { heads: chooseHeadsFolder(home, env) }) : undefined;
  return clientOfEngine(
    {
      engine,
      principal: createOwner(principal()),
      door: { kind: 'direct' },
      checksAnswers: env.PROVISIONING_CHECK_ANSWERS === '1',
      ...records,
    },
    async () => {
      await records?.close();
      await close();
    },
  );
}
