import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineRecord } from '../../../core/engine/engine.js';
import type { Reporter } from '../../../core/report.js';
import type { Home } from '../../../home/home.js';
import { readFingerprint } from '../../../home/home-certificates.js';
import { certificatesAt } from '../../../home/state-folder.js';
import { readSetting } from '../../../settings/settings.js';
import { describeRecordedService } from '../../../settings/temporal-service.js';
import { PINNED_VERSIONS } from '../binary/version.js';
import { bringCertificates } from '../former/former-certificates.js';
import { ensureEngineIdentity, rememberPorts } from '../identity.js';
import { choosePorts, readWantedPorts, type WantedPorts } from '../processes/ports.js';
import { isAlive } from '../processes/process.js';
import { writeRecord } from '../record.js';
import { lineOfState, wrongLine } from '../state-file.js';
import { needRenewal } from './certificates.js';
import { engineNames } from './engine-names.js';
import { describeReached, startServer, stopServer, stopStrays } from './server.js';
import { isServing } from './serving.js';
import { readSharedStore } from './shared-store.js';

export interface OwnOptions {
  env: NodeJS.ProcessEnv;
  cache: string;
  rebuild?: boolean;
}

/**
 * Returns the home's own Temporal, and records it: the recorded one if it runs as required, otherwise a new one on the
 * same state. A server without mutual TLS is replaced by one with it, if available.
 */
export async function ownEngine(
  home: Home,
  recorded: EngineRecord | undefined,
  { env, cache, rebuild }: OwnOptions,
  report: Reporter,
): Promise<{ record: EngineRecord; started: boolean }> {
  const { id, ports: remembered } = await ensureEngineIdentity(home);
  const folder = certificatesAt(env, id);
  const { namespace, taskQueue, deployment } = engineNames(env, id);
  const store = (await readSharedStore(home, env))?.name;
  const wanted = readWantedPorts(env);
  const runs = recorded?.server !== undefined && !rebuild && (await runsAsWanted(recorded, namespace, wanted, folder));
  const goesOn = () => ({ record: { ...(recorded as EngineRecord), taskQueue, store, deployment }, started: false });
  if (runs && recorded?.certificates) return goesOn();
  const live = recorded?.server && isAlive(recorded.server) ? recorded.server : undefined;
  const line = await lineOfState(home);
  if (!live) {
    await stopStrays(home);
    // A port in use is reported before the build, which takes minutes.
    await choosePorts(wanted, remembered);
  }
  const { findBinary } = await import('../binary/find-binary.js');
  const binary = await findBinary({ env, cache, rebuild, line }, report);
  if (!binary) throw wrongLine(home, line ?? '', PINNED_VERSIONS.serverVersion);
  if (runs && !binary.mutualTls) return goesOn();
  report({
    task: 'engine',
    text: `starting Temporal ${binary.version} (server ${binary.serverVersion}), ${binary.path}`,
    state: 'running',
  });
  if (live) await stopServer(live);
  const ports = await choosePorts(wanted, remembered);
  await rememberPorts(home, ports);
  await bringCertificates(home, folder);
  const server = await startServer(home, binary, ports, namespace, folder, env);
  const reached = describeReached(home, binary, ports, folder);
  const record: EngineRecord = {
    kind: 'own',
    namespace,
    taskQueue,
    ...reached,
    fingerprint: reached.certificates && readFingerprint(reached.certificates),
    store,
    deployment,
    server,
    worker: recorded?.worker,
  };
  await writeRecord(home, record);
  try {
    const { setRetention, useConnection } = await import('./namespace.js');
    const service = await describeRecordedService(record, env);
    const connection = { ...service?.connection, address: record.address };
    await useConnection(connection, (open) => setRetention(open, namespace, readSetting(env, 'engine.retention')));
  } catch (error) {
    await stopServer(server);
    throw error;
  }
  return { record, started: true };
}

/**
 * Returns whether the recorded process serves at its address, with the requested configuration and lasting
 * certificates.
 */
async function runsAsWanted(record: EngineRecord, namespace: string, wanted: WantedPorts, folder: string): Promise<boolean> {
  const { server, address, ui, certificates } = record;
  if (!server || !isAlive(server) || record.namespace !== namespace) return false;
  if (wanted.grpc !== undefined && !address.endsWith(`:${wanted.grpc}`)) return false;
  if (certificates && certificates !== folder) return false;
  if (certificates ? needRenewal(certificates) : wanted.ui !== undefined && !ui?.endsWith(`:${wanted.ui}`)) return false;
  // A busy machine may answer late; a server that is alive gets a few chances.
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await isServing(address, 2_000, certificates)) return true;
    if (!isAlive(server)) return false;
    await sleep(200);
  }
  return false;
}
