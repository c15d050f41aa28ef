import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** One instance of the API server, in a process group of its own. */
export interface Instance {
  url: string;
  code: string;
  process: ChildProcess;
  agent: Agent;
}

/** Starts an instance on a free port of loopback, and waits until it says its address. */
export async function startInstance(env: NodeJS.ProcessEnv): Promise<Instance> {
  const program = resolve(import.meta.dirname, '../../bin/provisioning.js');
  const args = [program, 'serve', '--listen', '127.0.0.1:0'];
  // A separate process group: `serve` starts the server as a child.
  const process_ = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const said: Record<string, string> = {};
  for await (const line of createInterface({ input: process_.stdout as NodeJS.ReadableStream })) {
    const [name = '', value = ''] = line.split(/\s+/);
    said[name] = value;
    if (name === 'trust') break;
  }
  const agent = new Agent({ ca: await readFile(said.trust ?? ''), keepAlive: true });
  return { url: said.API ?? '', code: said.code ?? '', process: process_, agent };
}

/** Ends an instance as a crash does. Does nothing if it has ended. */
export async function killInstance({ process: { pid, exitCode, signalCode }, process: child, agent }: Instance): Promise<void> {
  agent.destroy();
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-pid, 'SIGKILL');
  await closed;
}
