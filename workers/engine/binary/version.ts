import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { engineEnvironment } from '../service/environment.js';

const run = promisify(execFile);

/** A binary that runs a Temporal server, with its own statements. */
export interface Binary {
  path: string;
  /** Version of the CLI whose modules it is built from (`1.8.2`). */
  version: string;
  /** Version of its server (`1.31.2`). */
  serverVersion: string;
  /** Whether it is the engine of workers/engine/temporal, which serves over mutual TLS. Temporal's own CLI cannot. */
  mutualTls: boolean;
}

/** The versions of the engine that go.mod pins. */
export const PINNED_VERSIONS = { version: '1.8.2', serverVersion: '1.31.2' } as const;

/** Older servers lack features that the workflows use (update-with-start, priorities). */
const OLDEST_SERVER = '1.28';

/** Returns major and minor version: servers of one line use one schema of the database. */
export const lineOf = (serverVersion: string): string => serverVersion.split('.').slice(0, 2).join('.');

/** Queries a binary for its versions; undefined if it does not include a Temporal server. */
export async function inspectBinary(path: string): Promise<Binary | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 15_000, env: engineEnvironment(process.env) });
    return parseVersion(path, stdout);
  } catch {
    return undefined;
  }
}

export function parseVersion(path: string, text: string): Binary | undefined {
  const [, version, serverVersion] = /version v?(\S+) \(Server v?([0-9][^,)]*)/.exec(text) ?? [];
  if (!version || !serverVersion) return undefined;
  return { path, version, serverVersion, mutualTls: text.startsWith('provisioning-engine ') };
}

/** Whether the server inside is new enough. */
export const isNewEnough = (binary: Binary): boolean => compareLines(lineOf(binary.serverVersion), OLDEST_SERVER) >= 0;

/** Orders dotted numbers: negative when `a` is older. */
export function compareLines(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
