import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DEFAULT_NAMESPACE } from '../../core/names.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import type { Foreign } from '../../encryption/payload-codec.js';
import { payloadFiles } from '../../stores/files/payload-files.js';

/**
 * Golden histories as recorded in Temporal. `former/` has those of the former release, and `present/` those that
 * differ in this version.
 */
export const HISTORIES = resolve(import.meta.dirname, '../histories');

/** Returns the environment with the key of all recordings, which is used for nothing else. */
export const recordingKey = () => ({ PROVISIONING_ENCRYPTION_KEY: readFileSync(join(HISTORIES, 'key'), 'utf8').trim() });

/** Content of a recording's file. */
export interface Recording {
  /** Id under which it ran: payloads are sealed for it, and requests contain it. */
  workflowId: string;
  events: { eventType: string; workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }[];
}

/** Returns the names of recordings, such as `former/infra`. */
export function recordingsIn(folder: 'former' | 'present'): string[] {
  // Right after a release, nothing differs.
  const names = existsSync(join(HISTORIES, folder)) ? readdirSync(join(HISTORIES, folder)) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => `${folder}/${name.replace(/\.json$/, '')}`);
}

export const readRecording = async (name: string): Promise<Recording> =>
  JSON.parse(await readFile(join(HISTORIES, `${name}.json`), 'utf8')) as Recording;

/** Returns the history of a recording, still sealed. */
export const historyOf = ({ events }: Recording) => historyFromJSON({ events });

/** Returns the codec of a set-up with the key of the recordings. */
export async function recordingCodec(foreign?: Foreign) {
  // No key file exists, and no payload is large enough for the store.
  const nowhere = join(HISTORIES, 'none');
  const { codec } = await openEncryption({ encryption: nowhere }, recordingKey());
  return codec(DEFAULT_NAMESPACE, payloadFiles(nowhere), foreign);
}
