import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import Docker from 'dockerode';
import { containersOf, shellOf } from '../support/hosts.js';
import type { Sickness } from '../support/sick-server.js';

const docker = new Docker();
const ROOT = resolve(import.meta.dirname, '../..');

/** Stops a host's SSH server and its sessions. Their processes continue. It runs on the host. */
export const NO_SSH = "systemctl stop ssh.socket ssh.service 2>/dev/null || true; pkill -KILL -f '^sshd: ' || true";

/** A sick server that can replace a host's SSH server on its own address. */
export interface SickPlace {
  /** Replaces the SSH server. Must follow `NO_SSH`. */
  fallSick(): Promise<void>;
  heal(): Promise<void>;
}

/** Prepares the replacement, so that the host can fall sick immediately. */
export async function sickPlace(infra: string, server: string, sickness: Sickness): Promise<SickPlace> {
  const [id] = await containersOf(infra, server);
  if (!id) throw new Error(`no container of ${infra}/${server}`);
  const { State } = await docker.getContainer(id).inspect();
  const script = ['--import', 'tsx', 'test/support/sick-server-main.ts', sickness];
  const child = spawn('nsenter', [`--net=/proc/${State.Pid}/ns/net`, process.execPath, ...script], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = createInterface(child.stdout)[Symbol.asyncIterator]();
  const hear = async (word: string) => {
    const { value } = await said.next();
    if (value !== word) throw new Error(`the sick server said ${value} instead of ${word}`);
  };
  await hear('ready');
  return {
    async fallSick() {
      child.stdin.write('\n');
      await hear('listens');
    },
    async heal() {
      if (child.exitCode === null && child.signalCode === null) {
        const end = once(child, 'exit');
        child.stdin.end();
        await end;
      }
      await shellOf(infra, server)('systemctl start ssh.service');
    },
  };
}
