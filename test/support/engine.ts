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

/** What lets another home in to an engine: the certificates of the one whose it is. */
export const letIn = (certificates = '') => ({
  TEMPORAL_TLS_SERVER_NAME: 'localhost',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(certificates, 'ca.pem'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: join(certificates, 'client.pem'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: join(certificates, 'client.pem'),
});

/** A set-up of its own, as `provisioning up` makes it: a real server, the built worker in a process of its own. */
export interface TestEngine {
  home: Home;
  /** The environment of its worker, and of commands run against it. */
  env: NodeJS.ProcessEnv;
  taskQueue: string;
  /** The platform's client. Good until the worker ends: afterwards ask again. */
  client(): Promise<Client>;
  /** Temporal itself, to look behind the platform. */
  temporal: Temporal;
  /** Its keys; `codec(namespace)` decodes what Temporal itself has. */
  encryption: Encryption;
  /** Its large payloads. */
  payloads: PayloadStore;
  /** Starts what does not run. */
  up(): Promise<void>;
  /** kill -9, and gone when it answers. */
  killWorker(): Promise<void>;
  /** SIGTERM, which lets it finish what it can, and gone when it answers; answers the milliseconds that took. */
  termWorker(): Promise<number>;
  /** Stops worker and server (SIGSTOP) for so many milliseconds. */
  suspend(ms: number): Promise<void>;
  /** kill -9 of Temporal's server; `up` starts it again on its file. */
  killServer(): Promise<void>;
  stop(): Promise<void>;
}

const quiet = () => {};

/**
 * Starts an engine with an empty home. Nothing of the user's own settings gets in.
 *
 * @param options `before` puts something into the home first; `parent` is the folder that the home is made in
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
    // Keys that tests make, and one that is not there.
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

  /** Signals one of our processes and waits for its end; answers how long that took, in milliseconds. */
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
