import type { ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { absentError, inputError, type Reporter, unreachableError } from '../../../sdk/index.js';
import { DEFAULT_SOCKET, type LocalConfig, socketOf } from '../config.js';
import { alone } from './build-lock.js';
import { has, install, mayInstall } from './packages.js';
import { runProgram, startProgram } from './run-program.js';

const TASK = 'container engine';
const LOG = '/var/log/provisioning-dockerd.log';
const START_MS = 60_000;
const GIVE_WAY_MS = 10_000;

/**
 * Ensures a running Docker Engine: uses the running one, or starts the installed one, or installs Debian's `docker.io`.
 *
 * @throws inputError `docker-not-running` if that requires more rights
 */
export async function prepareEngine(docker: Docker, config: LocalConfig, report: Reporter): Promise<void> {
  const problem = await ping(docker);
  if (!problem) return report({ task: TASK, text: 'runs', fraction: 1, state: 'done' });
  if (problem === 'EACCES' || !(await mayInstall()) || socketOf(config) !== DEFAULT_SOCKET) {
    report({ task: TASK, text: 'is missing', state: 'failed' });
    throw refusal(problem, socketOf(config));
  }
  await alone(
    'container-engine',
    () => bringUp(docker, report),
    () => report({ task: TASK, text: 'is being started', state: 'running' }),
  );
  report({ task: TASK, text: 'runs', fraction: 1, state: 'done' });
}

async function bringUp(docker: Docker, report: Reporter): Promise<void> {
  if (!(await ping(docker))) return;
  if (!(await has('dockerd'))) {
    report({ task: TASK, text: 'is being installed', fraction: 0.1, state: 'running' });
    await install(['docker.io', 'iptables', 'ca-certificates', ...((await cgroupsMounted()) ? [] : ['cgroupfs-mount'])]);
  }
  report({ task: TASK, text: 'starts', fraction: 0.8, state: 'running' });
  const init = (await readFile('/proc/1/comm', 'utf8').catch(() => '')).trim();
  if (init === 'systemd') await runProgram('systemctl', ['enable', '--now', 'docker'], { reject: false });
  const until = { at: Date.now() + START_MS };
  if (init !== 'systemd') {
    const engine = await startDetached();
    // The package may have started an engine already, and ours then exits: wait for that engine.
    engine.once('exit', () => Object.assign(until, { at: Date.now() + GIVE_WAY_MS }));
  }
  while (await ping(docker)) {
    if (Date.now() > until.at) {
      const log = init === 'systemd' ? 'journalctl -u docker' : LOG;
      throw unreachableError({
        code: 'docker-not-running',
        what: 'start the Docker Engine',
        why: 'the Docker Engine does not answer',
        hint: `see ${log}`,
      });
    }
    await sleep(200);
  }
}

/** Starts a detached engine that outlives us, on machines without systemd as their init. */
async function startDetached(): Promise<ChildProcess> {
  if (!(await cgroupsMounted()) && (await has('cgroupfs-mount'))) await runProgram('cgroupfs-mount', [], { reject: false });
  await mkdir('/var/log', { recursive: true });
  const log = openSync(LOG, 'a');
  return startProgram('dockerd', [], log);
}

async function cgroupsMounted(): Promise<boolean> {
  return (await readdir('/sys/fs/cgroup').catch(() => [])).length > 0;
}

/** Returns the reason why the engine does not answer; undefined if it answers. */
async function ping(docker: Docker): Promise<string | undefined> {
  try {
    await docker.ping();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'no answer';
  }
}

function refusal(problem: string, socket: string) {
  const permitted = problem !== 'EACCES';
  return (permitted ? absentError : inputError)({
    code: permitted ? 'docker-not-running' : 'docker-not-permitted',
    what: 'reach the Docker Engine',
    on: socket,
    why: permitted ? 'no Docker Engine answers there' : 'this user has no permission to use it',
    hint: permitted
      ? 'install and start Docker, or run `provisioning up --local` as root on Debian or Ubuntu'
      : 'add the user to the group docker, or run as root',
  });
}
