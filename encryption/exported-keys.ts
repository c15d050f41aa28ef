import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../home/durable.js';

const form = z.strictObject({
  /** ISO time. */
  at: z.string(),
  /** Where the copy was written to, or taken from. */
  file: z.string(),
  by: z.enum(['passphrase', 'recipient']),
  /** The ids of the keys in it. */
  keys: z.array(z.string()),
});

/** What is known of the last recovery copy: which keys it has, never a key. */
export type ExportedKeys = z.infer<typeof form>;

/** Beside the keys that it is about. */
const noteOf = (folder: string): string => join(folder, 'exported.json');

/** Notes that a recovery copy of these keys exists. @param folder `home.encryption` */
export const noteExport = (folder: string, noted: ExportedKeys): Promise<void> =>
  replaceFile(noteOf(folder), `${JSON.stringify(noted)}\n`);

/** The last recovery copy; undefined if there is no note of one that can be understood. @param folder `home.encryption` */
export async function lastExport(folder: string): Promise<ExportedKeys | undefined> {
  try {
    return form.parse(JSON.parse(await readFile(noteOf(folder), 'utf8')));
  } catch {
    return undefined;
  }
}
