import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Output and exit code of a program, even if it failed. */
export interface Ran {
  code: number;
  out: string;
}

async function ran(program: string, args: readonly string[]): Promise<Ran> {
  try {
    const { stdout } = await run(program, args, { maxBuffer: 16 * 1024 * 1024 });
    return { code: 0, out: stdout.trim() };
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
      message,
    } = error as { code?: unknown; stdout?: string; stderr?: string; message: string };
    if (typeof code !== 'number') throw new Error(`${program}: ${message}`);
    return { code, out: stdout.trim() || stderr.trim() };
  }
}

/** Returns the names of an infra's containers, networks and volumes in Docker. */
export async function remains(infra: string): Promise<string[]> {
  const lists = [
    ['ps', '-a', '--format', '{{.Names}}'],
    ['network', 'ls', '--format', '{{.Name}}'],
    ['volume', 'ls', '--format', '{{.Name}}'],
  ];
  const all = await Promise.all(lists.map((list) => ran('docker', [...list, '--filter', `name=${infra}`])));
  return all.flatMap(({ out }) => out.split('\n').filter(Boolean)).sort();
}

/** Returns the servers of an infra with a running container. */
export async function running(infra: string): Promise<string[]> {
  const { out } = await ran('docker', ['ps', '--filter', `name=-${infra}-`, '--format', '{{.Names}}']);
  return out
    .split('\n')
    .filter(Boolean)
    .map((name) => name.slice(name.indexOf(`-${infra}-`) + infra.length + 2, name.lastIndexOf('-')))
    .sort();
}

async function containerOf(infra: string, server: string): Promise<string> {
  const { out } = await ran('docker', ['ps', '--filter', `name=-${infra}-${server}-`, '--format', '{{.Names}}']);
  const [name] = out.split('\n').filter((one) => one.slice(0, one.lastIndexOf('-')).endsWith(`-${infra}-${server}`));
  if (!name) throw new Error(`no container of ${server} runs`);
  return name;
}

/** Runs a script as root on a server, like a person at its console. */
export async function at(infra: string, server: string, script: string): Promise<Ran> {
  return ran('docker', ['exec', await containerOf(infra, server), 'bash', '-c', script]);
}

/** Runs a script that must succeed. */
export async function doAt(infra: string, server: string, script: string): Promise<string> {
  const { code, out } = await at(infra, server, script);
  if (code !== 0) throw new Error(`on ${server}: "${script}" ended with ${code}: ${out}`);
  return out;
}

/** Returns the address of a server on its network. */
export async function addressOf(infra: string, server: string): Promise<string> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  return (await ran('docker', ['inspect', '-f', format, await containerOf(infra, server)])).out;
}

/** Returns the status for a client outside: `200`, or curl's exit code as `curl 7`, and the body. */
export async function curl(url: string, seconds = 20): Promise<{ status: string; body: string }> {
  const { code, out } = await ran('curl', ['-s', '-m', `${seconds}`, '-w', '\n%{http_code}', url]);
  const cut = out.lastIndexOf('\n');
  return code === 0 ? { status: out.slice(cut + 1), body: out.slice(0, Math.max(0, cut)) } : { status: `curl ${code}`, body: '' };
}

/** Waits for a condition on a busy machine. After so many seconds it throws with the last observation. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 120): Promise<void> {
  for (const deadline = Date.now() + seconds * 1_000; !(await holds()); await sleep(500))
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
}
