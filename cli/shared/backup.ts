import { readContextSetting } from '../../authoring/settings/config-place.js';
import type { RecoveryCopy } from '../../encryption/recovery-copy.js';
import type { Session } from '../program/session.js';
import { reportsFor } from '../render/reports.js';
import { runEngine } from './engine.js';

/** Where backups lie: in the folder that is named, else in that of the settings; undefined for that of the home. */
export const backupFolder = async (session: Session, named?: string): Promise<string | undefined> =>
  named ?? (await readContextSetting<string>(session, 'backup.folder'));

/** The session whose engine has the keys of a recovery copy, and no others in its environment. */
export const addRecoveryKeys = (session: Session, { keys }: RecoveryCopy): Session => {
  const given = keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',');
  const env = { ...session.env, PROVISIONING_ENCRYPTION_KEYS: given, PROVISIONING_ENCRYPTION_KEY: '' };
  return Object.create(session, { env: { value: env } });
};

/** Runs the engine's `backup …` and shows how far it is; answers and throws as `runEngine` does. */
export function runBackup<T>(session: Session, ...args: string[]): Promise<{ result: T; exitCode: number }> {
  const reports = reportsFor(session);
  return runEngine<T>(session, ['backup', ...args], reports.report).finally(reports.end);
}
