import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type Outcome, provisioning } from './command-line.js';
import type { TestEngine } from './engine.js';

/** Registered workspace `default` in a separate folder, with commands that run in it. */
export interface TestWorkspace {
  root: string;
  write(path: string, text: string): Promise<void>;
  run(...args: string[]): Promise<Outcome>;
  /** The same with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has a document of its own
  json(...args: string[]): Promise<any>;
  remove(): Promise<void>;
}

/**
 * Creates a workspace.
 *
 * @param files texts by path in the folder, in addition to its `provisioning.yaml`
 */
export async function workspaceOf(engine: TestEngine, files: Readonly<Record<string, string>>): Promise<TestWorkspace> {
  const root = await mkdtemp(join(tmpdir(), 'provisioning-workspace-'));
  const run = (...args: string[]) => provisioning(engine, args, '', root);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries({ 'provisioning.yaml': 'name: default\n', ...files })) await write(path, text);
  expect((await run('workspace', 'register', '.')).code).toBe(0);
  return {
    ...{ root, write, run },
    json: async (...args) => JSON.parse((await run(...args, '--json')).stdout),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
