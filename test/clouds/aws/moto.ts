import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { messageOf } from '../../../core/errors.js';
import { cacheOf } from '../../../home/home.js';
import { holdLock } from '../../../workers/engine/processes/lock.js';
import { freePorts } from '../../support/free-ports.js';
import { AMIS } from './amis.js';

/** Version of moto, a public EC2 emulator in Python. */
const VERSION = '5.2.1';

/** Time limit for moto to listen, in milliseconds: it first reads all instance types. */
const START_MS = 60_000;

/**
 * Returns the Python of a virtual environment with moto in the user's cache, and installs it if needed. Parallel calls
 * install once. Measured with an empty cache: 25 s, 314 MB.
 */
export async function installMoto(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = join(cacheOf(env), `moto-${VERSION}`);
  const python = join(folder, 'bin/python');
  return holdLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, 'installed'))) return python;
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await execa('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `moto[ec2,server]==${VERSION}`];
    await execa(python, install, { timeout: 300_000 });
    await writeFile(join(folder, 'installed'), '');
    return python;
  });
}

let problem: Promise<string | undefined> | undefined;

/** Returns the reason why moto cannot run here, if any. */
export function whyNoMoto(): Promise<string | undefined> {
  problem ??= installMoto().then(
    () => undefined,
    (error: unknown) => `moto cannot be installed: ${messageOf(error).slice(0, 300)}`,
  );
  return problem;
}

export interface Moto {
  url: string;
  stop(): Promise<void>;
}

/** Starts moto in a separate process on 127.0.0.1, with the images of real publishers. */
export async function startMoto(): Promise<Moto> {
  const python = await installMoto();
  const folder = await mkdtemp(join(tmpdir(), 'moto-'));
  const images = join(folder, 'amis.json');
  await writeFile(images, JSON.stringify(AMIS));
  const [port = 0] = await freePorts(1);
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const moto = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env.PATH,
      MOTO_AMIS_PATH: images,
      MOTO_ENABLE_AMI_VALIDATION: 'true',
      MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: 'true',
      MOTO_ENABLE_KEYPAIR_VALIDATION: 'true',
    },
  });
  // A killed test must leave nothing behind.
  const end = () => moto.kill('SIGKILL');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await listening(moto, url, log);
  return {
    url,
    async stop() {
      process.off('exit', end);
      end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listening(moto: ChildProcess, url: string, log: string): Promise<void> {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(100)) {
    if (moto.exitCode !== null) throw new Error(`moto ended at once: ${readFileSync(log, 'utf8').slice(-500)}`);
    if (
      await fetch(`${url}/moto-api/`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
  }
  throw new Error(`moto does not listen: ${readFileSync(log, 'utf8').slice(-500)}`);
}
