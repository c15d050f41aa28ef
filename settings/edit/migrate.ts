import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { type ConfigProblem, refuseProblems } from '../config-error.js';
import type { ConfigPlace } from '../layers/layers.js';
import { loadLayer, setAt } from '../layers/read-file.js';
import type { Tree, Value } from '../layers/values.js';
import { readVariable } from '../layers/variables.js';
import { REGISTRY } from '../registry/keys.js';
import type { Key } from '../registry/registry.js';
import { layerFiles, lockLayer, textIn, writeLayer } from './change-layer.js';
import { editValue, treeText } from './edit-text.js';

/** Settings that a migration moves into the user's file, with their sources. */
export interface Migration {
  /** File to write. */
  file: string;
  /** Former file, which is removed. */
  removes?: string;
  moves: { key: Key; value: Value; from: string }[];
  write(): Promise<void>;
}

/**
 * Plans a file for the user layer with the present variables and `settings.yaml`. Variables have precedence over files,
 * as before. Nothing is written until you call `write`.
 *
 * @throws ConfigError `bad-settings` if one of them is invalid
 */
export async function planMigration(place: ConfigPlace): Promise<Migration> {
  const files = layerFiles(place, 'user');
  const loaded = await loadLayer(files, REGISTRY);
  const problems: ConfigProblem[] = [...(loaded?.problems ?? [])];
  const isFormer = loaded !== undefined && loaded.file === files.former;
  const moves: Migration['moves'] = [];
  for (const key of REGISTRY.keys.values()) {
    const variable = readVariable(key, place.env);
    if (variable && 'problem' in variable) problems.push(variable.problem);
    else if (variable) moves.push({ key, value: variable.value, from: variable.variable });
    else if (isFormer) {
      // Keys of former files have two parts.
      const [group = '', name = ''] = key.name.split('.');
      const value = key.former === undefined ? undefined : (loaded.tree[group] as Tree | undefined)?.[name];
      if (value !== undefined) moves.push({ key, value, from: loaded.file });
    }
  }
  refuseProblems(problems);
  const file = loaded && !isFormer ? loaded.file : (files.candidates[0] ?? '');
  const removes = isFormer ? { removes: loaded.file } : {};
  const write = () =>
    lockLayer(files, async () => {
      await writeLayer(files, file, isFormer ? await newText(loaded.file, file, moves) : await changedText(file, moves));
      // Last, when the new file is complete. If the command is killed before, the next one reports that both exist.
      if (isFormer) await rm(loaded.file);
    });
  return { file, ...removes, moves, write };
}

/** Returns the new text, with the comments of the former file at the beginning. */
async function newText(former: string, file: string, moves: Migration['moves']): Promise<string> {
  const comments = (await textIn(former)).split('\n').filter((line) => /^\s*#/.test(line));
  const tree: Tree = {};
  for (const { key, value } of moves) setAt(tree, key.name.split('.'), value);
  return [...comments, await treeText(extname(file), tree)].join('\n');
}

async function changedText(file: string, moves: Migration['moves']): Promise<string> {
  let text = existsSync(file) ? await textIn(file) : '';
  for (const { key, value } of moves) text = await editValue(file, text, key.name.split('.'), value);
  return text;
}
