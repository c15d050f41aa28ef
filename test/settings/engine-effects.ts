import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { basename, join, relative } from 'node:path';
import { DefaultLogger } from '@temporalio/worker';
import { openConnections } from '../../activities/host/ssh/connections.js';
import { firstContact } from '../../activities/host/ssh/first-contact.js';
import type { Target, Transports } from '../../activities/host/transport.js';
import { limitRequests } from '../../api/limits/request-limits.js';
import { chooseHeadsFolder } from '../../app/audit/heads-folder.js';
import { dispatcherOver } from '../../app/dispatcher.js';
import type { Call } from '../../app/method.js';
import { remoteClient } from '../../client/socket/socket-client.js';
import { messageOf, type ProvisioningError, unreachableError } from '../../core/errors.js';
import { HOSTS } from '../../core/operation/rate-limits.js';
import { readSetting } from '../../settings/settings.js';
import { readConfiguredService } from '../../settings/temporal-service.js';
import { allowsThisHost } from '../../settings/this-host.js';
import { makePair } from '../../stores/key-pair.js';
import type { KeyStore } from '../../stores/keys.js';
import { openStores } from '../../stores/open-stores.js';
import { storeAddress } from '../../stores/postgres/address.js';
import { createPoolConfig } from '../../stores/postgres/database.js';
import { accountLimits } from '../../workers/account-workers.js';
import { apiLimitSettings, openApiLimits } from '../../workers/api/api-limits.js';
import { locateBuiltBinary } from '../../workers/engine/binary/build-binary.js';
import { downloadBinary } from '../../workers/engine/binary/download-binary.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';
import { PINNED_VERSIONS } from '../../workers/engine/binary/version.js';
import { startDaemon } from '../../workers/engine/processes/daemon.js';
import { logBytesIn } from '../../workers/engine/processes/daemon-settings.js';
import { readWantedPorts } from '../../workers/engine/processes/ports.js';
import { startWorker } from '../../workers/engine/processes/worker-process.js';
import { engineNames } from '../../workers/engine/temporal-service/engine-names.js';
import { setRetention } from '../../workers/engine/temporal-service/namespace.js';
import { serveShared } from '../../workers/shared-socket.js';
import { workerSettings } from '../../workers/worker-settings.js';
import { modules } from '../support/modules.js';
import { makeFolder } from '../support/temporary-folder.js';
import { type Effect, type Effects, type Place, withKey } from './effect.js';

const newPlace = () => makeFolder('effect-socket');
/** Error of a promise. */
const failure = async (work: Promise<unknown>): Promise<string> => work.then(() => 'it did not fail', messageOf);

const named = (values: readonly [string, string], of: (names: ReturnType<typeof engineNames>) => unknown): Effect => ({
  values,
  sees: 'itself',
  observe: ({ env }) => of(engineNames(env, 'cafe')),
});

const target = (port: number): Target => ({
  ...{ workspace: 'w', infra: 'i', server: 's' },
  connection: { kind: 'ssh', address: '127.0.0.1', port, user: 'root' },
});

/** Returns, in words, the time-out for a host that accepts the connection and does not answer. */
async function loginOf({ env }: Place): Promise<unknown> {
  const sockets: { destroy(): void }[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const pair = makePair('ours');
  const keys = { infraKey: async () => pair, pinned: async () => undefined, pin: async () => {} } as unknown as KeyStore;
  const transports = openConnections(keys, workerSettings(env).connections);
  const said = await failure(transports.open(target(port)).then((transport) => transport.exec('true')));
  transports.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
  return /within \d+ s/.exec(said)?.[0] ?? said;
}

/** Contacts a new machine that accepts connections only after this time, and answers all scripts. */
async function contact({ env }: Place, afterMs: number): Promise<{ failed?: string; scripts: string[] }> {
  const began = Date.now();
  const scripts: string[] = [];
  const exec = async (script: string) => {
    scripts.push(script);
    return { stdout: 'done\n', stderr: '' };
  };
  const open = async () => {
    if (Date.now() - began < afterMs) throw unreachableError({ code: 'host-unreachable', what: 'connect', why: 'not yet' });
    return { exec };
  };
  const transports = { open, forget: () => {} } as unknown as Transports;
  const limits = { ...workerSettings(env).activities.firstContact, pauseMs: 50 };
  const failed = await firstContact({ transports, target: target(1), beat: () => {}, limits }).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  return { failed, scripts };
}

/** Starts a worker that never becomes ready. */
async function startOf({ home, env, put }: Place): Promise<unknown> {
  await put('dist/build-id', 'b\n');
  await put('dist/worker.js', 'setInterval(() => {}, 1000);\n');
  await put('dist/workflow-threads.cjs', '');
  await put('dist/package.json', '{"type":"module"}');
  const dist = join(home.root, 'dist');
  const said = await failure(startWorker(home, { dist, cache: home.root, env }, async () => {}));
  return /within \d+ s/.exec(said)?.[0] ?? said;
}

const ARCHIVE = 'not really an archive';

/** Reports whether a download is rejected because of its hash. */
async function isRefusedByHash(env: NodeJS.ProcessEnv, cache: string): Promise<boolean> {
  const releases = createHttpServer((_, response) => void response.end(ARCHIVE));
  await new Promise<void>((resolve) => releases.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(releases.address() as { port: number }).port}/`;
  const said = await downloadBinary({ cache, env, url }, () => {}).catch((error: ProvisioningError) => error.details?.code);
  releases.closeAllConnections();
  releases.close();
  return said === 'engine-hash';
}

/** Returns the file name of the chosen engine if one is built and a `temporal` is on PATH. */
async function binaryIn({ home, env, put }: Place): Promise<unknown> {
  const cache = join(home.root, 'cache');
  const versions = `(Server ${PINNED_VERSIONS.serverVersion}, UI 2.51.0)`;
  const made = [
    await put('bin/temporal', `#!/bin/sh\necho 'temporal version ${PINNED_VERSIONS.version} ${versions}'\n`),
    await put(
      relative(home.root, locateBuiltBinary(cache)),
      `#!/bin/sh\necho 'provisioning-engine version ${PINNED_VERSIONS.version} ${versions}'\n`,
    ),
  ];
  for (const path of made) await chmod(path, 0o700);
  const found = await findBinary({ env: { ...env, PATH: join(home.root, 'bin') }, cache }, () => {});
  return found && basename(found.path);
}

/** Returns the number of requests before the first rejection. */
async function firstRefused(env: NodeJS.ProcessEnv, policy: 'account' | 'address'): Promise<number> {
  const { count } = limitRequests(apiLimitSettings(env).rates);
  for (let allowed = 0; ; allowed++)
    try {
      await count(policy, 'one');
    } catch {
      return allowed;
    }
}

export const ENGINE_EFFECTS: Effects = {
  'engine.profile': {
    values: ['team', 'other'],
    sees: ['team.example:7233', 'other.example:7233'],
    async observe({ home, env, put }) {
      const profiles = ['team', 'other'].map((name) => `[profile.${name}]\naddress = "${name}.example:7233"\n`);
      await put('.config/temporalio/temporal.toml', profiles.join(''));
      return (await readConfiguredService({ HOME: home.root, ...env }))?.address;
    },
  },
  'engine.namespace': named(['a', 'b'], ({ namespace }) => namespace),
  'engine.taskQueue': named(['a', 'b'], ({ taskQueue }) => taskQueue),
  'engine.deployment': named(['a', 'b'], ({ deployment }) => deployment),
  'ui.url': named(['http://a', 'http://b'], ({ ui }) => ui),
  'engine.port': { values: [7301, 7302], sees: 'itself', observe: ({ env }) => readWantedPorts(env).grpc },
  'ui.port': { values: [7401, 7402], sees: 'itself', observe: ({ env }) => readWantedPorts(env).ui },
  'engine.binary': { values: ['path', 'built'], sees: ['temporal', 'engine'], observe: binaryIn },
  'engine.sha256': {
    values: [createHash('sha256').update(ARCHIVE).digest('hex'), 'b'.repeat(64)],
    // The archive is invalid, which is detected only if its hash matches.
    sees: [false, true],
    observe: ({ home, env }) => isRefusedByHash(env, home.root),
  },
  'engine.retention': {
    values: [7, 90],
    sees: [7 * 86_400, 90 * 86_400],
    async observe({ env }) {
      let asked: { seconds?: { toNumber(): number } | number | null } | null | undefined;
      const workflowService = {
        updateNamespace: async ({ config }: { config: { workflowExecutionRetentionTtl: typeof asked } }) => {
          asked = config.workflowExecutionRetentionTtl;
        },
      };
      await setRetention({ workflowService } as never, 'n', readSetting(env, 'engine.retention'));
      return Number(asked?.seconds);
    },
  },
  'store.url': {
    values: ['postgres://ann@127.0.0.1:1/a', 'postgres://ann@127.0.0.1:1/b'],
    sees: ['127.0.0.1:1/a', '127.0.0.1:1/b'],
    async observe({ home, env }) {
      await withKey({ home });
      // No process listens there, and the error names the address.
      return /127\.0\.0\.1:1\/\w+/.exec(String(await openStores(home, env).catch((error: unknown) => error)))?.[0];
    },
  },
  'store.passwordFile': {
    values: ['/dev/null', '/nowhere/at/all'],
    sees: ['read', 'not read'],
    observe: ({ env }) => {
      try {
        storeAddress('postgres://ann@db/x', env);
        return 'read';
      } catch {
        return 'not read';
      }
    },
  },
  'store.connections': {
    values: [2, 20],
    sees: 'itself',
    observe: ({ env }) => createPoolConfig(storeAddress('postgres://ann@db/x', env), env).max,
  },
  'worker.allowThisHost': { values: [true, false], sees: 'itself', observe: ({ home }) => allowsThisHost(home, {}) },
  'worker.limits': {
    values: [{ hosts: 5 }, { hosts: 6 }],
    sees: [5, 6],
    observe: ({ env }) => accountLimits(modules.providers, 'q', env.PROVISIONING_LIMITS).get(HOSTS)?.limit.perSecond,
  },
  'worker.concurrency': {
    values: [20, 400],
    sees: 'itself',
    observe: ({ env }) => workerSettings(env).limits.maxConcurrentActivityTaskExecutions,
  },
  'audit.heads': {
    values: async () => [await newPlace(), await newPlace()],
    sees: 'itself',
    observe: ({ env, home }) => chooseHeadsFolder(home, env),
  },
  'worker.socket': {
    values: async () => [join(await newPlace(), 'worker.sock'), join(await newPlace(), 'worker.sock')],
    sees: 'itself',
    async observe({ env, value }) {
      const gateway = await serveShared(env, () => dispatcherOver({} as Call, {}));
      const client = await remoteClient(String(value));
      await client.close();
      await gateway?.close();
      return value;
    },
  },
  'api.requestsPerAccount': { values: [10, 20], sees: 'itself', observe: ({ env }) => firstRefused(env, 'account') },
  'api.requestsPerAddress': { values: [10, 20], sees: 'itself', observe: ({ env }) => firstRefused(env, 'address') },
  'api.failedSignIns': {
    values: [3, 6],
    sees: 'itself',
    observe({ env }) {
      const { signIns } = openApiLimits(env, () => Promise.reject(new Error('no store')));
      let count = 0;
      for (; signIns.blockedFor('192.0.2.1', 'bad') === undefined; count++) signIns.failed('192.0.2.1');
      signIns.stop();
      return count;
    },
  },
  'api.trustedProxies': {
    values: ['10.0.0.5', '10.0.0.6, 10.0.0.5'],
    sees: [['10.0.0.5'], ['10.0.0.6', '10.0.0.5']],
    observe: ({ env }) => [...apiLimitSettings(env).trustedProxies],
  },
  'worker.grace': { values: [5, 20], sees: ['5 s', '20 s'], observe: ({ env }) => workerSettings(env).limits.shutdownGraceTime },
  'worker.logLevel': {
    values: ['info', 'error'],
    sees: [2, 1],
    observe({ env }) {
      let lines = 0;
      const logger = new DefaultLogger(workerSettings(env).logLevel, () => void lines++);
      logger.info('one');
      logger.error('two');
      return lines;
    },
  },
  'worker.logSize': {
    values: [1, 4],
    sees: [true, false],
    async observe({ home, env, put }) {
      const log = await put('logs/x.log', 'x'.repeat(2 * 1024 * 1024));
      await mkdir(home.root, { recursive: true });
      const logBytes = logBytesIn(env);
      await startDaemon({ command: process.execPath, args: ['-e', 'setTimeout(() => {}, 200)'], cwd: '/', env, log, logBytes });
      return existsSync(`${log}.1`);
    },
  },
  'worker.identities': {
    values: ['/etc/one,/etc/two', '/etc/three/*'],
    sees: [undefined, 'definitions must not use this private key'],
    observe: async ({ env }) => (await workerSettings(env).connections.forbiddenKey('/etc/two'))?.why,
  },
  'worker.privateAddresses': {
    values: ['10.0.0.0/8', 'mirror.example.org'],
    sees: [true, false],
    observe: async ({ env }) => workerSettings(env).privateAddresses.allows('other.example.org', '10.1.2.3'),
  },
  'timeouts.start': { values: [1, 2], sees: ['within 1 s', 'within 2 s'], observe: startOf },
  'timeouts.login': { values: [1, 2], sees: ['within 1 s', 'within 2 s'], observe: loginOf },
  'timeouts.firstAnswer': {
    values: [1, 60],
    sees: [true, false],
    observe: async (place) => (await contact(place, 3_000)).failed !== undefined,
  },
  'timeouts.firstBoot': {
    values: [5, 7],
    sees: ['timeout 5 ', 'timeout 7 '],
    observe: async (place) => /timeout \d+ /.exec((await contact(place, 0)).scripts.join('\n'))?.[0],
  },
};
