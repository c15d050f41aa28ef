import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../../home/home.js';

const markOf = (home: Home): string => join(home.engine, 'sealed');
const FORMAT = '2\n';

/** Whether nothing that a former version wrote runs for this home any more. */
export const takesSealedOnly = (home: Home): boolean => existsSync(markOf(home));

/** Marks a home as sealed only, permanently. */
export async function markSealedOnly(home: Home): Promise<void> {
  await mkdir(home.engine, { recursive: true });
  await writeFile(markOf(home), FORMAT, { mode: 0o600 });
}
