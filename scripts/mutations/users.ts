import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { inputsOf } from '../proofs/inputs.js';
import { moduleGraph } from '../proofs/module-graph.js';
import { record } from '../proofs/record.js';

/** Of each module the unit tests that it is an input of, by the rule of proofs. */
export type Users = ReadonlyMap<string, readonly string[]>;

/** @param file is read if it is there, and written if not */
export async function readUsers(root: string, file?: string): Promise<Users> {
  if (file && existsSync(file)) return new Map(Object.entries(JSON.parse(await readFile(file, 'utf8'))));
  const { recorded } = await record(root, [], ['unit', 'slow']);
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  const graph = await moduleGraph(root, stdout.split('\n'), [...recorded.keys()]);
  const loaded = new Set([...recorded.values()].flatMap((one) => one.loaded));
  const users = new Map<string, string[]>();
  for (const [test, used] of recorded)
    for (const path of inputsOf(test, used, loaded, graph)) users.set(path, [...(users.get(path) ?? []), test]);
  if (file) await writeFile(file, JSON.stringify(Object.fromEntries(users)));
  return users;
}

/** Tests of the module itself, then those of its folder, its room and all others. */
export function nearestFirst(path: string, tests: readonly string[]): string[] {
  const distance = (test: string): number => {
    if (test === path.replace(/\.ts$/, '.test.ts')) return 0;
    if (dirname(test) === dirname(path)) return 1;
    return test.split('/')[0] === path.split('/')[0] ? 2 : 3;
  };
  return [...tests].sort((one, other) => distance(one) - distance(other) || (one < other ? -1 : 1));
}
