import { reportsFor } from '../render/reports.js';
import type { Session } from '../session.js';
import { runEngine } from './engine.js';

/** Runs the engine's `backup …` and shows how far it is; answers and throws as `runEngine` does. */
export function runBackup<T>(session: Session, ...args: string[]): Promise<{ result: T; exitCode: number }> {
  const reports = reportsFor(session);
  return runEngine<T>(session, ['backup', ...args], reports.report).finally(reports.end);
}
