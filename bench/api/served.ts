import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestEngine } from '../../test/support/engine.js';

/** A server of the API, in a process of its own, as `serve` runs it. */
export interface ServedApi {
  url: string;
  /** Process id of the server. */
  pid: number;
  /** Authority that clients trust, as PEM. */
  ca: string;
  /** Its certificate and its key, for a server beside it. */
  tls: { cert: string; key: string };
  /** The code for the first administrator. */
  code: string;
  /** Returns the log so far. */
  logged(): string;
  /** SIGTERM; returns once it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts `dist/serve.js`, which `provisioning serve` starts as well.
 *
 * @param profile a folder that gets a CPU profile of it at its end
 */
export async function serveApiOf({ env, home }: TestEngine, settings: NodeJS.ProcessEnv, profile?: string): Promise<ServedApi> {
  const program = fileURLToPath(new URL('../../dist/serve.js', import.meta.url));
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...flags, program, '--listen', '127.0.0.1:0'], {
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let logged = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged = (logged + text).slice(-10_000);
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    child.once('exit', (code) => reject(new Error(`the server ended with exit code ${code}: ${logged}`)));
  });
  const { result, error } = JSON.parse(line) as { result?: { url: string; code: string; authority: string }; error?: object };
  if (!result) throw new Error(`the server did not start: ${JSON.stringify(error)}`);
  const [ca, cert, key] = await Promise.all(
    [result.authority, join(home.engine, 'api/server.pem'), join(home.engine, 'api/server-key.pem')].map((path) =>
      readFile(path, 'utf8'),
    ),
  );
  return {
    ...{ url: result.url, code: result.code, pid: child.pid ?? 0, ca: ca ?? '', tls: { cert: cert ?? '', key: key ?? '' } },
    logged: () => logged,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
