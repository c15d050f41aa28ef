import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DEFAULT_NAMESPACE } from '../../core/names.js';
import { openEncryption } from '../../encryption/open-encryption.js';
import type { Foreign } from '../../encryption/payload-codec.js';
import { payloadFiles } from '../../stores/files/payload-files.js';

/** Golden histories, as Temporal had them: in `former/` those of the former release, in `present/` what this version does otherwise. */
export const HISTORIES = resolve(import.meta.dirname, '../histories');

/** The environment that gives a set-up the key of all recordings, which is no other's. */
export const recordingKey = () => ({ PROVISIONING_ENCRYPTION_KEY: readFileSync(join(HISTORIES, 'key'), 'utf8').trim() });

/** What stands in the file of a recording. */
export interface Recording {
  /** The id under which it ran: payloads are sealed for it, and requests say it. */
  workflowId: string;
  events: { eventType: string; workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }[];
}

/** The names of recordings, such as `former/infra`. */
export function recordingsIn(folder: 'former' | 'present'): string[] {
  // Nothing is done otherwise right after a release.
  const names = existsSync(join(HISTORIES, folder)) ? readdirSync(join(HISTORIES, folder)) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => `${folder}/${name.replace(/\.json$/, '')}`);
}

export const readRecording = async (name: string): Promise<Recording> =>
  JSON.parse(await readFile(join(HISTORIES, `${name}.json`), 'utf8')) as Recording;

/** The history of a recording, sealed as it was. */
export const historyOf = ({ events }: Recording) => historyFromJSON({ events });

/** The codec of a set-up that has the key of the recordings. */
export async function recordingCodec(foreign?: Foreign) {
  // No file of keys, and no payload so large that it would be put aside.
  const nowhere = join(HISTORIES, 'none');
  const { codec } = await openEncryption({ encryption: nowhere }, recordingKey());
  return codec(DEFAULT_NAMESPACE, payloadFiles(nowhere), foreign);
}
