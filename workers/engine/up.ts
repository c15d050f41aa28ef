import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type EngineRecord, transportOf, type UpResult } from '../../core/engine/engine.js';
import { inputError, messageOf } from '../../core/errors.js';
import type { Reporter } from '../../core/report.js';
import { createKeyFile, environmentKeys } from '../../encryption/keys.js';
import { cacheOf, type Home } from '../../home/home.js';
import { providerSettings, resolveEnvironment } from '../../settings/settings.js';
import { isLocal, readConfiguredService } from '../../settings/temporal-service.js';
import { allowThisHost } from '../../settings/this-host.js';
import { beginSealed, makeFirstKey } from '../../stores/files/sealing.js';
import { refuseUnrestored } from './backup/restoring.js';
import { distFolder } from './binary/package-root.js';
import { dropFormerCertificates } from './former/former-certificates.js';
import { ensureEngineIdentity } from './identity.js';
import { readApi } from './processes/api-process.js';
import { ensureWorker, type Supervision } from './processes/ensure-worker.js';
import { holdLock } from './processes/lock.js';
import { isAlive } from './processes/process.js';
import { readSupervisor } from './processes/supervisor-process.js';
import { readRecord } from './record.js';
import { serveBeside } from './serve-beside.js';
import { stateFile } from './state-file.js';
import { ownEngine } from './temporal-service/own-engine.js';
import { markSealedOnly, takesSealedOnly } from './temporal-service/sealed-only.js';
import { warningsOf } from './temporal-service/warnings-of.js';

export interface UpOptions extends Supervision {
  /** Gets this machine ready for local hosts at the same time. */
  local?: boolean;
  /** Builds the engine's binary again and restarts it. */
  rebuild?: boolean;
  /** Lets definitions name this machine (`host: this`); remembered in the settings of the home. */
  allowThisHost?: boolean;
  /**
   * Arguments of `serve`: an API server runs beside the worker until `down`. Absent: only if it was requested before.
   */
  api?: readonly string[];
  /** A profile of Temporal's configuration file; remembered until `down`. */
  profile?: string;
  /** Default true; without it only the engine is seen to. */
  worker?: boolean;
  /** Folder of the built worker; default `dist` of this package. */
  dist?: string;
  /** Default: this process's. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Ensures that a Temporal service and a worker of the current build run for this home. Running processes are kept, and
 * missing ones are started. State survives `down`, a killed server, and a restart of the machine.
 *
 * @throws ProvisioningError: input for faults that the user can fix, transient if a process does not answer or start
 */
export async function up(home: Home, options: UpOptions, report: Reporter): Promise<UpResult> {
  // Histories and logs disclose the operations and their places, so only the user may read them.
  await mkdir(home.root, { recursive: true, mode: 0o700 });
  refuseUnrestored(home);
  if (options.allowThisHost) await allowThisHost(home);
  const env = await resolveEnvironment(home, options.env ?? process.env);
  if (!(await beginSealed(home, env))) await makeFirstKey(home, env);
  const [engine, local] = await Promise.allSettled([
    holdLock(
      join(home.engine, 'up.lock'),
      () => {
        // A restore may have begun since: its mark and this lock are made before each looks for the other.
        refuseUnrestored(home);
        return engineAndWorker(home, options, report);
      },
      (pid) => report({ task: 'engine', text: `waiting for process ${pid}, which is at it`, state: 'running' }),
    ),
    options.local ? prepareLocal(home, options, report) : undefined,
  ]);
  if (engine.status === 'rejected') {
    if (local.status === 'rejected') report({ task: 'local', text: messageOf(local.reason), state: 'failed' });
    throw engine.reason;
  }
  if (local.status === 'rejected') throw local.reason;
  return engine.value;
}

/**
 * Starts the worker or the API server of a home again for its supervisor, and the engine if that has ended as well.
 * Nothing is started if both run, or another supervisor was recorded since.
 */
export async function revive(home: Home, supervisor: number, dist: string, report: Reporter): Promise<void> {
  await holdLock(join(home.engine, 'up.lock'), async () => {
    const worker = (await readRecord(home))?.worker;
    const api = await readApi(home);
    const isWell = (!worker || isAlive(worker)) && (!api || isAlive(api));
    if (!worker || isWell || (await readSupervisor(home))?.pid !== supervisor) return;
    await engineAndWorker(home, { supervise: false, supervisor, dist }, report);
  });
}

async function engineAndWorker(home: Home, options: UpOptions, report: Reporter): Promise<UpResult> {
  const before = await readRecord(home);
  const given = options.env ?? process.env;
  const asked = options.profile ? { ...given, TEMPORAL_PROFILE: options.profile } : given;
  const env = rememberingProfile(await resolveEnvironment(home, asked), before);
  const cache = cacheOf(env);
  const begins = !existsSync(stateFile(home));
  const { record, how } = await findOrStart(home, before, { env, cache, rebuild: options.rebuild }, report);
  const version = record.server?.serverVersion;
  const what = how === 'configured' ? 'configured' : how === 'running' ? 'runs already' : 'started';
  report({ task: 'engine', text: `${what}: Temporal${version ? ` ${version}` : ''} at ${record.address}`, state: 'done' });
  if (!takesSealedOnly(home)) {
    if (record.kind === 'own' && begins) await markSealedOnly(home);
    else await (await import('./former/move-former-home.js')).moveFormerHome(home, record, env, report);
  }
  const beforeStart = async () => (await import('./former/seal-home.js')).sealHome(home, env, report);
  const worker =
    options.worker === false
      ? 'absent'
      : await ensureWorker(home, record, { dist: options.dist ?? distFolder(), env, cache }, report, { ...options, beforeStart });
  if (worker === 'absent' && !(record.worker && isAlive(record.worker))) await beforeStart();
  await dropFormerCertificates(home, record);
  const api = await serveBeside(home, record, { dist: options.dist ?? distFolder(), env, cache }, options, report);
  const { address, ui, namespace, taskQueue, store } = record;
  const build = (await readRecord(home))?.worker?.build;
  const transport = transportOf(record);
  const warnings = [...warningsOf(record), ...(store ? await keyWarnings(home, env) : [])];
  return { address, ui, namespace, taskQueue, store, engine: how, worker, version, transport, warnings, build, ...api };
}

/** Returns warnings to a team about keys that only one machine can open. */
async function keyWarnings(home: Home, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (environmentKeys(env).length > 0) return [];
  const wrappedBy = await createKeyFile({ folder: home.encryption, env }).wrappedBy();
  return wrappedBy.includes('local')
    ? [
        'the encryption keys are wrapped for this machine alone: a worker of a second machine needs a key service, or keys in the environment (docs/operate/encryption.md)',
      ]
    : [];
}

/** Keeps the profile of the former start until `down`, or until another service is named. */
function rememberingProfile(env: NodeJS.ProcessEnv, before: EngineRecord | undefined): NodeJS.ProcessEnv {
  const named = env.TEMPORAL_PROFILE || env.TEMPORAL_ADDRESS;
  return before?.profile && !named ? { ...env, TEMPORAL_PROFILE: before.profile } : env;
}

async function findOrStart(
  home: Home,
  before: EngineRecord | undefined,
  options: { env: NodeJS.ProcessEnv; cache: string; rebuild?: boolean },
  report: Reporter,
): Promise<{ record: EngineRecord; how: UpResult['engine'] }> {
  const service = await readConfiguredService(options.env);
  const { ports } = await ensureEngineIdentity(home);
  if (service && !(ports && isLocal(service.address, ports.grpc))) {
    const { askConfiguredEngine } = await import('./temporal-service/configured-engine.js');
    report({ task: 'engine', text: `asking the configured service at ${service.address}`, state: 'running' });
    return { record: await askConfiguredEngine(home, before, service, options.env), how: 'configured' };
  }
  if (before?.kind === 'configured') {
    throw inputError({
      code: 'engine-not-configured',
      what: 'find the engine',
      on: before.address,
      why: 'this home uses that Temporal service, but TEMPORAL_ADDRESS or TEMPORAL_PROFILE no longer selects it',
      hint: 'set it again, or run `provisioning down` to leave that service and use your own engine',
    });
  }
  const { record, started } = await ownEngine(home, before, options, report);
  return { record, how: started ? 'started' : 'running' };
}

async function prepareLocal(home: Home, options: UpOptions, report: Reporter): Promise<void> {
  const env = await resolveEnvironment(home, options.env ?? process.env);
  const { providers } = await import('../../providers/registry.generated.js');
  const local = await providers.local?.load();
  await local?.prepare?.(local.config.parse(providerSettings(env, 'local')), report);
}
