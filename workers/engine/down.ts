import { join } from 'node:path';
import type { DownResult } from '../../core/engine/engine.js';
import type { Reporter } from '../../core/report.js';
import type { Home } from '../../home/home.js';
import { stopApi } from './processes/api-process.js';
import { holdLock } from './processes/lock.js';
import { isAlive } from './processes/process.js';
import { stopSupervisor } from './processes/supervisor-process.js';
import { stopStrayWorkers, stopWorker } from './processes/worker-process.js';
import { readRecord, removeRecord } from './record.js';
import { stopServer, stopStrays } from './temporal-service/server.js';

/**
 * Ends the API server, the worker, then the home's own server: only the recorded processes. Operations continue at the
 * next `up`.
 */
export async function down(home: Home, report: Reporter = () => {}): Promise<DownResult> {
  // Otherwise this command would have to wait for the supervisor's current work.
  await stopSupervisor(home);
  return holdLock(join(home.engine, 'up.lock'), async () => {
    await stopSupervisor(home);
    const record = await readRecord(home);
    const api = await stopApi(home, report);
    const worker = record?.worker && isAlive(record.worker) ? record.worker : undefined;
    if (worker) {
      report({ task: 'worker', text: `draining (pid ${worker.pid})`, state: 'running' });
      await stopWorker(worker);
      report({ task: 'worker', text: 'stopped', state: 'done' });
    }
    const server = record?.server && isAlive(record.server) ? record.server : undefined;
    if (server) {
      report({ task: 'engine', text: `stopping (pid ${server.pid})`, state: 'running' });
      await stopServer(server);
      report({ task: 'engine', text: 'stopped; its state is kept', state: 'done' });
    }
    await stopStrayWorkers(home);
    await stopStrays(home);
    await removeRecord(home);
    const engine = record?.kind === 'configured' ? 'configured' : server ? 'stopped' : 'absent';
    return { worker: worker ? 'stopped' : 'absent', engine, ...(api && { api: 'stopped' }) };
  });
}
