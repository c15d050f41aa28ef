import { addAbortListener } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AsyncCompletionClient } from '@temporalio/client';
import { type ActivityInterceptorsFactory, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { artifactCache, createFetches } from '../activities/artifacts/artifact-cache.js';
import { createHostScripts } from '../activities/host/host-scripts.js';
import { openConnections } from '../activities/host/ssh/connections.js';
import { createActivities } from '../activities/index.js';
import { createSealingInterceptors } from '../activities/sealing.js';
import { releasePlaces } from '../activities/without-place.js';
import { decideAgain } from '../app/access/decide-again.js';
import { needsPublicAddresses } from '../app/access/needs-public-addresses.js';
import { chooseHeadsFolder } from '../app/audit/heads-folder.js';
import { createDispatcher } from '../app/dispatch.js';
import { createEngine } from '../app/engine.js';
import { limitCalls } from '../app/limits/limit-calls.js';
import { readListRetention } from '../app/operation/prune-ended.js';
import { createOwner } from '../app/principal.js';
import { recordCalls } from '../app/record-calls.js';
import { countPollers } from '../app/temporal/pollers.js';
import { STICKY_MS } from '../app/temporal/repeat-late-queries.js';
import { createSealedClient } from '../app/temporal/sealed-client.js';
import { listWorkflows } from '../app/temporal/visibility.js';
import { recordEnvironmentEnds } from '../app/test-environments/record-end.js';
import { backupProgram } from '../client/engine-program/backup-program.js';
import type { EngineRecord } from '../core/engine/engine.js';
import { messageOf, ProvisioningError } from '../core/errors.js';
import { allAccounts } from '../core/machine/account.js';
import { workerIdentity } from '../core/names.js';
import { loadModules } from '../core/registry.js';
import { createKeyFile, environmentKeys } from '../encryption/keys.js';
import { openEncryption } from '../encryption/open-encryption.js';
import { homeOf } from '../home/home.js';
import { principal } from '../home/principal.js';
import { makePrivate } from '../home/private-folder.js';
import { providers as providerRegistry } from '../providers/registry.generated.js';
import { resolveEnvironment } from '../settings/settings.js';
import { describeRecordedService } from '../settings/temporal-service.js';
import { allowsThisHost } from '../settings/this-host.js';
import { openStores } from '../stores/open-stores.js';
import { taskservs as taskservRegistry } from '../taskservs/registry.generated.js';
import { accountLimits, runAccountWorkers } from './account-workers.js';
import { checkVersions, keepChecked } from './checked-workflows.js';
import { createDataConverter } from './data-converter.js';
import { dropFormerTimeouts } from './former-time-outs.js';
import { createFreezeWatch } from './freeze-watch.js';
import { serveGateway } from './gateway.js';
import { createEndKeeper } from './keep-ends.js';
import { keepLists } from './keep-lists.js';
import { refuseKeysOfOneMachine, refuseWithoutKeys } from './key-check.js';
import { spreadLastNet } from './last-net.js';
import { serveShared } from './shared-socket.js';
import { takeOver } from './take-over.js';
import { sweepIdleTransfers } from './transfer-sweep.js';
import { deploymentOptions } from './versioning.js';
import { warmCommands } from './warm-commands.js';
import { workGuard } from './work-guard.js';
import { workerLog } from './worker-log.js';
import { workerSettings } from './worker-settings.js';

/** A worker of this home: runs workflows and activities, and answers the front doors of this machine, until SIGTERM. */
async function main(): Promise<void> {
  spreadLastNet();
  const home = homeOf();
  const env = await resolveEnvironment(home);
  const settings = workerSettings(env);
  const dist = fileURLToPath(new URL('.', import.meta.url));
  const engine = JSON.parse(await readFile(join(home.engine, 'engine.json'), 'utf8')) as EngineRecord;
  const build = (await readFile(join(dist, 'build-id'), 'utf8')).trim();
  const [providers, taskservs] = await Promise.all([loadModules(providerRegistry), loadModules(taskservRegistry)]);
  Runtime.install({ logger: workerLog(settings.logLevel), shutdownSignals: ['SIGTERM', 'SIGINT'] });
  const service = await describeRecordedService(engine, env);
  const connection = await NativeConnection.connect({ ...service?.connection, address: engine.address });
  const encryption = await openEncryption(home, env);
  const stores = await openStores(home, env);
  const { keys, logs, blobs, secrets, sequences, feeds, rollbacks } = stores;
  const temporal = createSealedClient({
    connection,
    namespace: engine.namespace,
    codec: encryption.codec(engine.namespace, stores.payloads),
  });
  await refuseWithoutKeys(temporal, engine.taskQueue, encryption.keyring);
  if (stores.shared && environmentKeys(env).length === 0) {
    const wrappedBy = await createKeyFile({ folder: home.encryption, env }).wrappedBy();
    refuseKeysOfOneMachine(await countPollers(temporal.connection, engine), wrappedBy);
  }
  const codec = encryption.codec(engine.namespace, stores.payloads, 'mark');
  const workflows = await checkVersions(home, temporal, codec, engine);
  const mayUseThisHost = () => allowsThisHost(home);
  const transports = openConnections(keys, settings.connections);
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  const accounts = await allAccounts(providers, env, secrets);
  const limits = accountLimits(providers, engine.taskQueue, env.PROVISIONING_LIMITS, accounts);
  const identity = workerIdentity(build, process.pid, hostname());
  const dataConverter = createDataConverter(codec, dist);
  const completions = new AsyncCompletionClient({ connection, namespace: engine.namespace, identity, dataConverter });
  const waits = releasePlaces(completions, engine.namespace, stopping.signal);
  const guard = workGuard(home);
  const freezes = createFreezeWatch(stores.rows);
  const records = recordCalls(stores.rows, { heads: chooseHeadsFolder(home, env), drops: true });
  // A signal may arrive while the worker starts: parts that start later must end too.
  const atStop = (close: () => void) => addAbortListener(stopping.signal, () => close());
  atStop(guard.close);
  endedByItself = guard.close;
  const shared = {
    connection,
    namespace: engine.namespace,
    taskQueue: engine.taskQueue,
    identity,
    ...deploymentOptions(engine.deployment, build),
    dataConverter,
    activities: createActivities({
      providers,
      taskservs,
      transports,
      keys,
      logs,
      blobs,
      artifacts: artifactCache(home.artifacts, (folder) => makePrivate(folder, 'keep artifacts for hosts'), {
        fetchFor: createFetches(settings.privateAddresses),
      }),
      secrets,
      sealer: encryption.cipher,
      sequences,
      feeds,
      rollbacks,
      env,
      temporal,
      list: (query, pageSize) => listWorkflows(temporal, query, pageSize),
      taskQueue: engine.taskQueue,
      limits,
      allowsThisHost: mayUseThisHost,
      needsPublicAddresses: needsPublicAddresses(stores.rows),
      decideAuthority: decideAgain(stores.rows, records.note),
      recordEnd: recordEnvironmentEnds(records.note),
      stopping: stopping.signal,
      ...settings.activities,
    }),
    interceptors: {
      activity: [
        waits.interceptor,
        createSealingInterceptors(stores.claims, temporal),
        freezes.interceptor,
        guard.interceptor,
      ] as ActivityInterceptorsFactory[],
    },
    ...settings.limits,
    // Heartbeats show the current step to followers: they must not be delayed for long.
    maxHeartbeatThrottleInterval: '1 s',
    defaultHeartbeatThrottleInterval: '1 s',
  } satisfies WorkerOptions;
  const ends = createEndKeeper(stores.rows);
  const worker = await Worker.create({
    ...shared,
    sinks: ends.sinks,
    workflowBundle: { codePath: join(dist, 'workflows.js') },
    // A workflow task that waits for a local activity keeps its slot, and may wait for another workflow's task.
    maxConcurrentWorkflowTaskExecutions: 200,
    maxCachedWorkflows: 600,
    stickyQueueScheduleToStartTimeout: STICKY_MS,
  });
  const others = await runAccountWorkers(limits, shared);
  const local = createEngine({
    temporal,
    taskQueue: engine.taskQueue,
    besideWorker: engine.deployment === undefined,
    ...(engine.deployment !== undefined && { deployment: engine.deployment }),
    build,
    stores,
    beside: { home, env: process.env },
    backups: backupProgram(process.env, join(dist, 'engine.js')),
    hostScripts: createHostScripts({ keys, login: settings.connections, allowsThisHost: mayUseThisHost }),
    allowsThisHost: mayUseThisHost,
  });
  atStop(freezes.follow(local).stop);
  atStop(sweepIdleTransfers(local, stores.rows).stop);
  atStop(keepLists(local, stores.rows, { holder: identity, retention: readListRetention(env) }).stop);
  // A caller through the socket is the owner of its folder, whatever the call contains.
  const warm = warmCommands(home, dist);
  atStop(warm.close);
  const hooks = { ...records, ...limitCalls(stores) };
  const calls = { engine: local, checksAnswers: env.PROVISIONING_CHECK_ANSWERS === '1', ...hooks };
  const owner = { principal: createOwner(principal()), door: { kind: 'socket' as const } };
  const gateway = await serveGateway(home.socket, createDispatcher({ ...calls, ...owner }), { onWarm: warm.want });
  // Operations do not need this socket.
  const sharedGateway = await serveShared(env, (member) =>
    createDispatcher({ ...calls, principal: member, door: { kind: 'shared socket' } }),
  ).catch((error: unknown) => console.error(`the second socket: ${messageOf(error)}`));
  await dropFormerTimeouts(temporal, workflows).catch((error: unknown) => console.error(`former time-outs: ${messageOf(error)}`));
  const running = Promise.all([worker, others].map((one) => one.run()));
  if (engine.kind === 'own')
    await takeOver(temporal, guard.atWork).catch((error: unknown) => console.error(`taking over: ${messageOf(error)}`));
  const checkLater = () => checkVersions(home, temporal, codec, engine, 'later');
  atStop(keepChecked(engine, checkLater));
  console.log('worker ready');
  await running;
  await waits.ended();
  await ends.settled();
  await gateway.close();
  await sharedGateway?.close();
  transports.close();
  await connection.close();
  await records.close();
  await stores.close();
}

/** Records a regular end of the worker, for which no running activity is to blame. */
let endedByItself = () => {};

// Without `await`: a packed module is a function (cli/start/pack.ts).
void main().catch((error: unknown) => {
  endedByItself();
  // `up` shows the end of the log: the error itself, without its stack.
  const known = error instanceof ProvisioningError;
  console.error(known ? [error.message, error.details.hint].filter(Boolean).join('; ') : error);
  process.exit(1);
});
