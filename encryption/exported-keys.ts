import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../home/durable.js';

const form = z.strictObject({
  /** ISO time. */
  at: z.string(),
  /** Path to which the copy was written, or from which it was imported. */
  file: z.string(),
  by: z.enum(['passphrase', 'recipient']),
  /** Ids of the keys in it. */
  keys: z.array(z.string()),
});

/** Record of the last recovery copy, with the ids of its keys. */
export type ExportedKeys = z.infer<typeof form>;

/** Returns the path of the record, beside the keys that it describes. */
const noteOf = (folder: string): string => join(folder, 'exported.json');

/** Records that a recovery copy of these keys exists. @param folder `home.encryption` */
export const noteExport = (folder: string, noted: ExportedKeys): Promise<void> =>
  replaceFile(noteOf(folder), `${JSON.stringify(noted)}\n`);

/** Returns the last recovery copy; undefined without a valid record. @param folder `home.encryption` */
export async function lastExport(folder: string): Promise<ExportedKeys | undefined> {
  try {
    return form.parse(JSON.parse(await readFile(noteOf(folder), 'utf8')));
  } catch {
    return undefined;
  }
}
