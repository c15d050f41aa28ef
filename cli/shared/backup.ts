import { settingOf } from '../../app/settings/config-place.js';
import { reportsFor } from '../render/reports.js';
import type { Session } from '../session.js';
import { runEngine } from './engine.js';

/** Where backups lie: in the folder that is named, else in that of the settings; undefined for that of the home. */
export const backupFolder = async (session: Session, named?: string): Promise<string | undefined> =>
  named ?? (await settingOf<string>(session, 'backup.folder'));

/** Runs the engine's `backup …` and shows how far it is; answers and throws as `runEngine` does. */
export function runBackup<T>(session: Session, ...args: string[]): Promise<{ result: T; exitCode: number }> {
  const reports = reportsFor(session);
  return runEngine<T>(session, ['backup', ...args], reports.report).finally(reports.end);
}
