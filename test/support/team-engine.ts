import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { cacheOf } from '../../config/home.js';
import { DEFAULT_NAMESPACE } from '../../core/names.js';
import type { Reporter } from '../../core/report.js';
import { findBinary } from '../../workers/engine/find-binary.js';
import { isServing } from '../../workers/engine/serving.js';
import { buildServer } from './build-server.js';
import { testDaemon } from './daemon.js';
import { freePorts } from './free-ports.js';
import { startPostgres, type TestDatabase, type TestPostgres } from './postgres.js';

const HOST = '127.0.0.1';
const deploy = join(import.meta.dirname, '../../deploy');

/** Temporal as a team runs it: its own server on PostgreSQL with advanced visibility, made by the scripts of deploy/. */
export interface TeamEngine {
  address: string;
  namespace: string;
  postgres: TestPostgres;
  /** An empty database for the team's store. */
  store: TestDatabase;
  /** kill -9 of Temporal's server. */
  kill(): Promise<void>;
  /** Starts it again, and answers when it serves. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTeamEngine(report: Reporter = () => {}): Promise<TeamEngine> {
  const say = (text: string) => report({ task: 'server', text, state: 'running' });
  const [programs, cli] = await Promise.all([buildServer(report), findBinary({ env: process.env, cache: cacheOf() }, report)]);
  if (!cli) throw new Error('no Temporal CLI was found');
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-team-'));
  say('starting PostgreSQL');
  const postgres = await startPostgres();
  try {
    const [frontend = 0, ...ports] = await freePorts(9);
    const address = `${HOST}:${frontend}`;
    const config = join(folder, 'server.yaml');
    await writeFile(config, stringify(serverConfig(postgres, frontend, ports)), { mode: 0o600 });
    // The scripts of deploy/ find the tools under the names that Temporal's images give them.
    const tools = join(folder, 'bin');
    await mkdir(tools);
    await symlink(programs.sql, join(tools, 'temporal-sql-tool'));
    const env = { PATH: [tools, dirname(cli.path), process.env.PATH].join(delimiter), HOME: folder };
    say('making the schemas');
    const sql = {
      SQL_PLUGIN: 'postgres12',
      SQL_HOST: HOST,
      SQL_PORT: String(postgres.port),
      SQL_USER: postgres.user,
      SQL_PASSWORD: postgres.password,
    };
    await execa('sh', [join(deploy, 'schema.sh')], { env: { ...env, ...sql }, extendEnv: false });
    const daemon = testDaemon({
      name: "Temporal's server",
      command: [programs.server, '--config-file', config, 'start'],
      log: join(folder, 'server.log'),
      ready: () => isServing(address),
    });
    say('starting the server');
    await daemon.start();
    say('making the namespace');
    const wanted = { TEMPORAL_ADDRESS: address, NAMESPACE: DEFAULT_NAMESPACE };
    await execa('sh', [join(deploy, 'namespace.sh')], { env: { ...env, ...wanted }, extendEnv: false });
    report({ task: 'server', text: `serves at ${address}`, state: 'done' });
    return {
      address,
      namespace: DEFAULT_NAMESPACE,
      postgres,
      store: await postgres.database('provisioning'),
      kill: () => daemon.kill('SIGKILL'),
      start: () => daemon.start(),
      async stop() {
        await daemon.kill('SIGKILL');
        await postgres.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function serverConfig({ port, user, password }: TestPostgres, frontend: number, ports: readonly number[]) {
  const connection = { pluginName: 'postgres12', connectAddr: `${HOST}:${port}`, connectProtocol: 'tcp', user, password };
  const store = (databaseName: string) => ({ sql: { ...connection, databaseName, maxConns: 20, maxIdleConns: 20 } });
  const [history = 0, matching = 0, worker = 0, ...membership] = ports;
  const rpc = (grpcPort: number, member = 0) => ({ rpc: { grpcPort, membershipPort: member, bindOnLocalHost: true } });
  return {
    persistence: {
      numHistoryShards: 4,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: HOST } },
    services: {
      frontend: rpc(frontend, membership[0]),
      history: rpc(history, membership[1]),
      matching: rpc(matching, membership[2]),
      worker: rpc(worker, membership[3]),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `${HOST}:${frontend}` },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    log: { stdout: true, level: 'warn' },
  };
}
