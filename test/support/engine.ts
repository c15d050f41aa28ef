import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as Temporal } from '@temporalio/client';
import { connectTemporal } from '../../app/temporal/connect-temporal.js';
import { createSealedClient } from '../../app/temporal/sealed-client.js';
import type { Client } from '../../client/client.js';
import { connect } from '../../client/connect.js';
import { type Encryption, openEncryption } from '../../encryption/open-encryption.js';
import type { PayloadStore } from '../../encryption/payload-store.js';
import { cacheOf, type Home, homeOf } from '../../home/home.js';
import { describeRecordedService } from '../../settings/temporal-service.js';
import { payloadFiles } from '../../stores/files/payload-files.js';
import { down } from '../../workers/engine/down.js';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readRecord } from '../../workers/engine/record.js';
import { up } from '../../workers/engine/up.js';
import { HOMES } from './engines.js';
import { hostImage } from './host-image.js';

/** Returns the environment that gives another home access to an engine: the certificates of the engine's home. */
export const letIn = (certificates = '') => ({
  TEMPORAL_TLS_SERVER_NAME: 'localhost',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(certificates, 'ca.pem'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: join(certificates, 'client.pem'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: join(certificates, 'client.pem'),
});

/** Separate set-up, as `provisioning up` creates it: a real server, and the built worker in a separate process. */
export interface TestEngine {
  home: Home;
  /** Environment of its worker, and of commands that use it. */
  env: NodeJS.ProcessEnv;
  taskQueue: string;
  /** Returns the platform's client. It is valid until the worker ends. */
  client(): Promise<Client>;
  /** Temporal itself, to inspect data behind the platform. */
  temporal: Temporal;
  /** Its keys. `codec(namespace)` decodes the data in Temporal. */
  encryption: Encryption;
  /** Store of its large payloads. */
  payloads: PayloadStore;
  /** Starts the processes that do not run. */
  up(): Promise<void>;
  /** Kills the worker with kill -9, and waits for its end. */
  killWorker(): Promise<void>;
  /** Sends SIGTERM, which lets the worker finish, and waits for its end. Returns the elapsed milliseconds. */
  termWorker(): Promise<number>;
  /** Stops worker and server (SIGSTOP) for this number of milliseconds. */
  suspend(ms: number): Promise<void>;
  /** Kills Temporal's server with kill -9. `up` starts it again with its file. */
  killServer(): Promise<void>;
  stop(): Promise<void>;
}

const quiet = () => {};

/**
 * Starts an engine with an empty home. The user's own settings have no effect.
 *
 * @param options `before` prepares the home; `parent` is the folder in which the home is created
 */
export async function startTestEngine(
  more: NodeJS.ProcessEnv = {},
  {
    supervise = false,
    parent = process.env[HOMES] ?? tmpdir(),
    before,
  }: { supervise?: boolean; parent?: string; before?(home: Home, env: NodeJS.ProcessEnv): Promise<void> } = {},
): Promise<TestEngine> {
  const place = await mkdtemp(join(parent, 'engine-'));
  const root = join(place, 'home');
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_|VITEST|XDG_STATE_HOME$)/.test(name));
  const env = {
    ...Object.fromEntries(own),
    HOME: place,
    PROVISIONING_HOME: root,
    PROVISIONING_CACHE: cacheOf(),
    PROVISIONING_CHECK_ANSWERS: '1',
    ...(hostImage() !== undefined && { PROVISIONING_PROVIDERS_LOCAL_IMAGE: hostImage() }),
    // Keys that tests create, and a path that does not exist.
    PROVISIONING_WORKER_IDENTITIES: `${root}/*,/nowhere/key`,
    ...more,
  };
  const home = homeOf(env);
  const raise = () => up(home, { env, supervise }, quiet);
  await before?.(home, env);
  const { address, namespace, taskQueue } = await raise().catch(async (error: unknown) => {
    await down(home);
    await rm(place, { recursive: true, force: true });
    throw error;
  });
  const reach = async (address: string) => {
    const record = await readRecord(home);
    const service = record && (await describeRecordedService(record, env));
    return connectTemporal({ ...service?.connection, address });
  };
  let connection = await reach(address);
  const encryption = await openEncryption(home, env);
  const payloads = payloadFiles(home.payloads);
  let open: Client | undefined;
  let openTo: number | undefined;
  let severed = false;
  const clientOf = () => createSealedClient({ connection, namespace, codec: encryption.codec(namespace, payloads) });

  /** Signals one of our processes and waits for its end. Returns the elapsed milliseconds. */
  async function end(which: 'worker' | 'server', signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const running = (await readRecord(home))?.[which];
    if (!running || !isAlive(running)) throw new Error(`no ${which} runs`);
    const started = performance.now();
    process.kill(running.pid, signal);
    while (isAlive(running)) await sleep(5);
    return performance.now() - started;
  }

  const engine: TestEngine = {
    home,
    env,
    taskQueue,
    temporal: clientOf(),
    encryption,
    payloads,
    async client() {
      // A command may have replaced the worker.
      const worker = (await readRecord(home))?.worker?.pid;
      if (openTo !== worker) {
        await open?.close();
        open = undefined;
      }
      openTo = worker;
      open ??= await connect({ home, env });
      return open;
    },
    async up() {
      const worker = (await readRecord(home))?.worker;
      const { address: now } = await raise();
      if ((await readRecord(home))?.worker?.pid !== worker?.pid) {
        await open?.close();
        open = undefined;
      }
      if (!severed) return;
      severed = false;
      await connection.close();
      connection = await reach(now);
      engine.temporal = clientOf();
    },
    async killWorker() {
      await end('worker', 'SIGKILL');
      await open?.close();
      open = undefined;
    },
    async termWorker() {
      const took = await end('worker', 'SIGTERM');
      await open?.close();
      open = undefined;
      return took;
    },
    async killServer() {
      await end('server', 'SIGKILL');
      severed = true;
    },
    async suspend(ms) {
      const record = await readRecord(home);
      const pids = [record?.worker, record?.server].flatMap((one) => (one && isAlive(one) ? [one.pid] : []));
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await sleep(ms);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
    async stop() {
      await open?.close();
      await connection.close();
      await down(home);
      await rm(place, { recursive: true, force: true });
    },
  };
  return engine;
}
