import { resolve } from 'node:path';
import type { WorkEvent } from '../../app/backup/stream-reports.js';
import { OTHER_VERSION } from '../../app/pipeline.js';
import { readContextSetting } from '../../authoring/settings/config-place.js';
import { askPlatform, isRemote } from '../../client/ask-platform.js';
import type { Client } from '../../client/client.js';
import { runEngine } from '../../client/engine-program/run-engine.js';
import { inputError, unreachableError } from '../../core/errors.js';
import type { RecoveryCopy } from '../../encryption/recovery-copy.js';
import type { Session } from '../program/session.js';
import { reportsFor } from '../render/reports.js';

/** Returns the folder of backups from the command's settings; undefined for the home's folder. */
export const backupFolder = (session: Session): Promise<string | undefined> => readContextSetting<string>(session, 'backup.folder');

/**
 * Returns the place of a backup as absolute paths, because the worker has a different current directory.
 *
 * @param asked `option` names the path for an error
 * @throws inputError `bad-arguments` for a path on the machine of another user's worker
 */
export async function backupPlace(
  session: Session,
  { option, file, folder }: { option: string; file?: string | undefined; folder?: string | undefined },
): Promise<{ file?: string; folder?: string }> {
  if (isRemote(session)) {
    if (file === undefined && folder === undefined) return {};
    throw inputError({
      code: 'bad-arguments',
      what: 'choose the place of the backup',
      on: file ?? folder ?? '',
      why: `PROVISIONING_SOCKET names the worker of another user, which uses only its own folder of backups`,
      hint: `leave out ${option}`,
    });
  }
  if (file !== undefined) return { file: resolve(session.cwd, file) };
  const chosen = folder ?? (await backupFolder(session));
  return chosen === undefined ? {} : { folder: resolve(session.cwd, chosen) };
}

/**
 * Calls a method of backups and shows its progress.
 *
 * @throws as `askPlatform`
 */
export function watchBackup<T>(session: Session, ask: (backups: Client['backups']) => AsyncIterable<WorkEvent<T>>): Promise<T> {
  const reports = reportsFor(session);
  return askPlatform(session, 'backups', async (backups) => {
    for await (const event of ask(backups)) {
      if ('result' in event) return event.result;
      reports.report(event.report);
    }
    throw unreachableError({
      code: 'engine-not-answering',
      what: 'ask the worker',
      why: 'its answer ended without a result',
      hint: OTHER_VERSION,
    });
  }).finally(reports.end);
}

/** Returns a session whose engine has only the keys of a recovery copy in its environment. */
export const addRecoveryKeys = (session: Session, { keys }: RecoveryCopy): Session => {
  const given = keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',');
  const env = { ...session.env, PROVISIONING_ENCRYPTION_KEYS: given, PROVISIONING_ENCRYPTION_KEY: '' };
  return Object.create(session, { env: { value: env } });
};

/** Runs the engine's `backup …` and shows its progress. Returns and throws like `runEngine`. */
export function runBackup<T>(session: Session, ...args: string[]): Promise<{ result: T; exitCode: number }> {
  const reports = reportsFor(session);
  return runEngine<T>(session, ['backup', ...args], reports.report).finally(reports.end);
}
