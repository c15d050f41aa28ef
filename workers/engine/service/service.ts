import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ServiceStatus } from '../../../core/engine/engine.js';
import { inputError, messageOf, unreachableError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import { stateFolderOf } from '../../../home/state-folder.js';
import { down } from '../down.js';
import { ensureEngineIdentity, readIdentity } from '../identity.js';
import { readApi } from '../processes/api-process.js';
import { isAlive } from '../processes/process.js';
import { readSupervisor } from '../processes/supervisor-process.js';
import { readRecord } from '../record.js';
import { unitText } from './service-unit.js';

/** How long the service may take to start a worker that has been started before, in milliseconds. */
const START_MS = 120_000;

/** Time limit of an answer of systemd, in milliseconds; its jobs have no limit. */
const ANSWER_MS = 10_000;

/** Unit folder of this user, and the service manager. */
export interface Units {
  scope: 'user' | 'system';
  folder: string;
  /** Runs `systemctl` for this scope. */
  systemctl(...args: string[]): Promise<unknown>;
}

/** Returns the unit folder: the system's for root, otherwise the user's own. */
export function openUnits(env: NodeJS.ProcessEnv): Units {
  const scope = process.getuid?.() === 0 ? 'system' : 'user';
  const config = env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config');
  return {
    scope,
    folder: scope === 'system' ? '/etc/systemd/system' : join(config, 'systemd/user'),
    systemctl: (...args) => {
      const timeout = args[0] === 'show' ? ANSWER_MS : undefined;
      return promisify(execFile)('systemctl', [...(scope === 'user' ? ['--user'] : []), ...args], { env, timeout });
    },
  };
}

export interface ServiceOptions {
  cache: string;
  dist: string;
  env: NodeJS.ProcessEnv;
  units?: Units;
}

/**
 * Writes the unit of a home and has systemd start it with the machine (root) or the user's session.
 *
 * @returns the path of the unit
 * @throws inputError `no-systemd`, before anything is written
 */
export async function installUnit(home: Home, { cache, dist, env, units = openUnits(env) }: ServiceOptions): Promise<string> {
  await units.systemctl('show', '--property=Version').catch((error: unknown) => {
    const hint = 'run `provisioning up` without --install-service: a supervisor then restarts the worker';
    throw inputError({
      code: 'no-systemd',
      what: 'install the service',
      why: `systemd does not answer: ${messageOf(error)}`,
      hint,
    });
  });
  const { path, name } = await unitOf(home, units);
  const state = stateFolderOf(env);
  const api = (await readApi(home))?.options;
  const profile = env.TEMPORAL_PROFILE || (await readRecord(home))?.profile;
  const text = unitText({
    scope: units.scope,
    home: home.root,
    cache,
    state,
    dist,
    node: process.execPath,
    env: profile ? { TEMPORAL_PROFILE: profile } : {},
    ...(api && { api }),
  });
  await mkdir(units.folder, { recursive: true });
  await mkdir(cache, { recursive: true });
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeFile(`${path}.${process.pid}`, text, { mode: 0o644 });
  await rename(`${path}.${process.pid}`, path);
  await units.systemctl('daemon-reload');
  await units.systemctl('enable', name);
  return path;
}

/** Starts the service of a home, which replaces the running processes. @throws unreachableError `service-start` */
export async function startService(home: Home, env: NodeJS.ProcessEnv, units = openUnits(env)): Promise<void> {
  const { name } = await unitOf(home, units);
  await down(home);
  await units.systemctl('restart', name);
  for (const until = Date.now() + START_MS; ; await sleep(200)) {
    const [record, supervisor] = await Promise.all([readRecord(home), readSupervisor(home)]);
    if (record?.worker && isAlive(record.worker) && supervisor && isAlive(supervisor)) return;
    if (Date.now() < until) continue;
    const hint = `${units.scope === 'user' ? 'journalctl --user' : 'journalctl'} -u ${name}`;
    const why = `no worker is running after ${START_MS / 1000} s`;
    throw unreachableError({ code: 'service-start', what: 'start the service', on: name, why, hint });
  }
}

/** Removes the service of a home, and stops its processes. @returns whether there was one */
export async function uninstallUnit(home: Home, env: NodeJS.ProcessEnv, units = openUnits(env)): Promise<boolean> {
  const { path, name } = await unitOf(home, units);
  if (!existsSync(path)) return false;
  await units.systemctl('disable', '--now', name);
  await rm(path, { force: true });
  await units.systemctl('daemon-reload');
  return true;
}

/** Returns the service of a home and its state; undefined if it is not installed. */
export async function findService(home: Home, env: NodeJS.ProcessEnv, units = openUnits(env)): Promise<ServiceStatus | undefined> {
  if (!(await readIdentity(home))) return undefined;
  const { path, name } = await unitOf(home, units);
  if (!existsSync(path)) return undefined;
  const answer = await units.systemctl('show', '--property=ActiveState,UnitFileState', name).catch(() => undefined);
  const said = String((answer as { stdout?: string } | undefined)?.stdout ?? '');
  const property = (key: string) => new RegExp(`^${key}=(.+)$`, 'm').exec(said)?.[1];
  return {
    unit: name,
    scope: units.scope,
    active: property('ActiveState') ?? 'unknown',
    enabled: property('UnitFileState') === 'enabled',
  };
}

async function unitOf(home: Home, { folder }: Units): Promise<{ path: string; name: string }> {
  const name = `provisioning-${(await ensureEngineIdentity(home)).id}.service`;
  return { path: join(folder, name), name };
}
