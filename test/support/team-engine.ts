import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { connectTemporal } from '../../app/temporal/connect-temporal.js';
import { DEFAULT_NAMESPACE } from '../../core/names.js';
import type { Reporter } from '../../core/report.js';
import { readConfiguredService } from '../../settings/temporal-service.js';
import { buildServer } from './build-server.js';
import { testDaemon } from './daemon.js';
import { freePorts } from './free-ports.js';
import { startPostgres, storeOf, type TestDatabase, type TestPostgres } from './postgres.js';
import { temporalCli } from './temporal-cli.js';

const HOST = '127.0.0.1';
const deploy = join(import.meta.dirname, '../../deploy');

/**
 * Temporal as a team runs it: its own server on PostgreSQL with advanced visibility, over mutual TLS, created by the
 * scripts of deploy/.
 */
export interface TeamEngine {
  address: string;
  namespace: string;
  /** Ports on which its server listens: frontend, history, matching, worker, and their membership ports. */
  ports: readonly number[];
  /** Environment of an authorized user. */
  settings: NodeJS.ProcessEnv;
  /** Environment of a colleague, who has only a certificate. */
  colleague: NodeJS.ProcessEnv;
  postgres: TestPostgres;
  /** Empty database for the team's store. */
  store: TestDatabase;
  /** Kills Temporal's server with kill -9. */
  kill(): Promise<void>;
  /** Starts it again, and returns when it serves. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTeamEngine(report: Reporter = () => {}): Promise<TeamEngine> {
  const say = (text: string) => report({ task: 'server', text, state: 'running' });
  const [programs, cli] = await Promise.all([buildServer(report), temporalCli(report)]);
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-team-'));
  say('starting PostgreSQL');
  const postgres = await startPostgres();
  try {
    const [frontend = 0, ...ports] = await freePorts(9);
    const address = `${HOST}:${frontend}`;
    const certificates = join(folder, 'certificates');
    await execa('sh', [join(deploy, 'certificates.sh'), certificates, 'ann', 'bob']);
    const settings = settingsOf(address, certificates, 'ann');
    // The scripts of deploy/ expect the tools under their names in Temporal's images.
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
      command: [programs.server, 'start'],
      env: { ...env, ...(await serverEnvironment(postgres, frontend, ports, certificates)) },
      log: join(folder, 'server.log'),
      ready: () => answers(settings),
    });
    say('starting the server');
    await daemon.start();
    say('making the namespace');
    const wanted = { ...settingsOf(address, certificates, 'namespace'), NAMESPACE: DEFAULT_NAMESPACE };
    await execa('sh', [join(deploy, 'namespace.sh')], { env: { ...env, ...wanted }, extendEnv: false });
    report({ task: 'server', text: `serves at ${address}`, state: 'done' });
    return {
      address,
      namespace: DEFAULT_NAMESPACE,
      settings,
      colleague: settingsOf(address, certificates, 'bob'),
      ports: [frontend, ...ports.slice(0, 7)],
      postgres,
      store: await storeOf(postgres),
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

/** Returns the environment of temporal-dev.yml with local paths and ports instead of the containers'. */
async function serverEnvironment(postgres: TestPostgres, frontend: number, ports: readonly number[], certificates: string) {
  const { services } = parse(await readFile(join(deploy, '../temporal-dev.yml'), 'utf8'));
  const given = Object.entries(services.temporal.environment as Record<string, string>).map(([name, value]) => [
    name,
    value.replace(/^\/certificates\//, `${certificates}/server/`),
  ]);
  const names = ['MATCHING', 'HISTORY', 'WORKER'];
  const grpc = names.map((name, index) => [`${name}_GRPC_PORT`, String(ports[index])]);
  const members = ['FRONTEND', ...names].map((name, index) => [`${name}_MEMBERSHIP_PORT`, String(ports[names.length + index])]);
  return {
    ...(Object.fromEntries(given) as Record<string, string>),
    ...Object.fromEntries([...grpc, ...members]),
    FRONTEND_GRPC_PORT: String(frontend),
    BIND_ON_IP: HOST,
    TEMPORAL_BROADCAST_ADDRESS: HOST,
    POSTGRES_SEEDS: HOST,
    DB_PORT: String(postgres.port),
    POSTGRES_USER: postgres.user,
    POSTGRES_PWD: postgres.password,
    NUM_HISTORY_SHARDS: '4',
    DYNAMIC_CONFIG_FILE_PATH: join(deploy, 'dynamicconfig.yaml'),
    LOG_LEVEL: 'warn',
  };
}

/** Returns the settings of a user named to deploy/certificates.sh. */
const settingsOf = (address: string, certificates: string, name: string) => ({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: DEFAULT_NAMESPACE,
  TEMPORAL_TLS_SERVER_NAME: 'localhost',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(certificates, name, 'ca.pem'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: join(certificates, name, 'client.pem'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: join(certificates, name, 'client.key'),
});

async function answers(settings: NodeJS.ProcessEnv): Promise<boolean> {
  const service = await readConfiguredService(settings);
  try {
    await (await connectTemporal({ ...service?.connection, connectTimeout: 1_000 })).close();
    return true;
  } catch {
    return false;
  }
}
