import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { readSetting, resolveEnvironment } from '../../settings/settings.js';
import type { Context } from '../context.js';

/**
 * Returns the folders that programs which evaluate definitions may read, according to the operator. The workspace
 * itself is not in the list.
 */
export async function languageFolders({ home, env }: Pick<Context, 'home' | 'env'>): Promise<string[]> {
  const list = readSetting<string>(await resolveEnvironment(home, env), 'languages.folders') ?? '';
  const paths = list.split(',').map((one) => one.trim());
  return paths.map((path) => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)).filter(isAbsolute);
}
