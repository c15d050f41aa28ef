import { spawn } from 'node:child_process';
import Docker from 'dockerode';
import type { ExecResult, Transport } from '../../activities/host/transport.js';
import { dockerImage } from '../../providers/local/images.js';
import { outputOf } from './output-of.js';

const docker = new Docker();

/** Idle container that serves as a host for scripts, without init and SSH. */
export interface ShellHost {
  /** Runs scripts as root, like SSH. */
  transport: Transport;
  /** Runs a script as root, or as another user. Throws if it fails. */
  shell(script: string, user?: string): Promise<string>;
  remove(): Promise<void>;
}

export async function startShellHost(): Promise<ShellHost> {
  const container = await docker.createContainer({
    Image: dockerImage({}, 'debian-12'),
    Cmd: ['sleep', 'infinity'],
    Labels: { 'provisioning.test.shell-host': String(process.pid) },
    HostConfig: { Init: true },
  });
  await container.start();
  const run = (script: string, user: string, onOutput?: (chunk: string) => void): Promise<ExecResult> =>
    outputOf(spawn('docker', ['exec', '-i', '-u', user, container.id, 'bash', '-s'], { stdio: 'pipe' }), script, onOutput);
  return {
    transport: { exec: (script, { onOutput } = {}) => run(script, 'root', onOutput) },
    async shell(script, user = 'root') {
      const { exit, stdout, stderr } = await run(`set -euo pipefail\n${script}`, user);
      if (exit !== 0) throw new Error(`"${script}" ended with ${exit}: ${stderr.slice(-500)}`);
      return stdout.trim();
    },
    remove: () => container.remove({ force: true, v: true }),
  };
}
