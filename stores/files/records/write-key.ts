import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, replaceFile } from '../../../home/durable.js';
import { derivePublicKey, infraComment } from '../../key-pair.js';
import { contextOfKey } from '../../keys.js';
import { badRecord, keyRecord, parseRecord, type StoreRecord } from '../../records.js';
import { keyFiles } from '../key-files.js';
import type { PrivateText } from '../private-text.js';

/** Stores the record of a key in files. */
export async function writeKey(
  keys: string,
  text: PrivateText,
  [workspace = '', infra = '', server = '']: string[],
  record: StoreRecord,
): Promise<void> {
  const owner = { workspace, infra };
  const { private: secret, pin } = parseRecord(keyRecord, record);
  const path = join(keys, workspace, infra, ...(server === '' ? ['id_ed25519'] : ['hosts', server]));
  if (secret !== undefined) {
    const known = derivePublicKey(secret, server === '' ? infraComment(owner) : server);
    const context = contextOfKey(owner, server);
    const isNew = await createFile(path, await text.encode(secret, context));
    if (!isNew && (await text.decode(await readFile(path), context)) !== secret)
      throw badRecord(record, 'there is another one of this name');
    if (server === '') await replaceFile(`${path}.pub`, `${known}\n`);
    else await keyFiles(keys, text).pin(owner, server, pin ?? known);
  } else if (pin !== undefined && server !== '') await keyFiles(keys, text).pin(owner, server, pin);
  else throw badRecord(record, 'it has no key');
}
