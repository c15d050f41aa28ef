import { activityInfo } from '@temporalio/activity';
import type { Dependencies } from '../dependencies.js';
import type { Host } from './host.js';

/**
 * Tells, once, that a host's key was pinned as it was shown: nothing was known of it
 * before. Writes it to the operation's log.
 *
 * @returns the key's fingerprint (`SHA256:…`), where that is so
 */
export async function sayFirstSeen(
  { access }: Pick<Host, 'access'>,
  server: string,
  logs: Dependencies['logs'],
): Promise<string | undefined> {
  const fingerprint = access.takeFirstSeen();
  if (!fingerprint) return undefined;
  const { attempt, workflowExecution } = activityInfo();
  const operation = workflowExecution?.workflowId ?? '';
  const log = await logs.open({ operation, server, taskserv: 'host-key', generation: 1, attempt });
  log.write(`== the host's key was seen for the first time and is pinned: ${fingerprint}\n`);
  await log.close();
  return fingerprint;
}
