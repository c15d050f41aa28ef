import { activityInfo } from '@temporalio/activity';
import type { Dependencies } from '../../dependencies.js';
import { type HostRef, targetOf } from '../script/look.js';

/**
 * Tells, once, that a host's key was pinned as it was shown: nothing was known of it
 * before. Writes it to the operation's log.
 *
 * @returns the key's fingerprint (`SHA256:…`), where that is so
 */
export async function sayFirstSeen(
  transports: Dependencies['transports'],
  logs: Dependencies['logs'],
  host: HostRef,
): Promise<string | undefined> {
  const fingerprint = transports.takeFirstSeen(targetOf(host));
  if (!fingerprint) return undefined;
  const { attempt, workflowExecution } = activityInfo();
  const log = await logs.open({
    operation: workflowExecution?.workflowId ?? '',
    server: host.server,
    taskserv: 'host-key',
    generation: 1,
    attempt,
  });
  log.write(`== the host's key was seen for the first time and is pinned: ${fingerprint}\n`);
  await log.close();
  return fingerprint;
}
