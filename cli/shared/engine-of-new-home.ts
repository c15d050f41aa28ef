import { existsSync, readdirSync } from 'node:fs';
import { isRemote } from '../../client/ask-platform.js';
import { runEngine } from '../../client/engine-program/run-engine.js';
import type { UpResult } from '../../core/engine/engine.js';
import { settingsFile } from '../../settings/settings.js';
import type { Session } from '../program/session.js';
import { reportsFor } from '../render/reports.js';

/** Variables that refer to an external service. No engine is started for them automatically. */
const SERVICES = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'PROVISIONING_STORE'];

/**
 * Starts the engine of a home that never had one, so that the first operation needs no command before it. After a
 * `down`, or with a configured service or store, the user must start it.
 */
export async function startFirstEngine(session: Session): Promise<void> {
  const { home, env } = session;
  if (isRemote(session)) return;
  if (hasBeenUsed(home.engine) || existsSync(settingsFile(home)) || SERVICES.some((name) => env[name])) return;
  session.note('no engine runs for this home yet: starting one, as provisioning up does');
  // Standard output has only the answer of the command.
  const reports = reportsFor(Object.create(session, { out: { value: session.err } }));
  await runEngine<UpResult>(session, ['up'], reports.report).finally(reports.end);
}

/** Returns whether the engine ran before: its database and logs stay after a `down`. */
function hasBeenUsed(engine: string): boolean {
  try {
    return readdirSync(engine).length > 0;
  } catch {
    return false;
  }
}
