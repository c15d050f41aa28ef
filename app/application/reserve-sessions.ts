import { unreachableError } from '../../core/errors.js';
import type { HostScripts } from './host-scripts.js';

/**
 * Maximum number of servers that a worker follows at a time. Each uses an SSH session here, and a process on its
 * server.
 */
export const MOST_SESSIONS = 200;

/** Present sessions, by the object that opens them. A worker has one such object. */
const sessions = new WeakMap<HostScripts, number>();

/**
 * Reserves sessions that last until their reader leaves.
 *
 * @param on the application that is followed
 * @returns frees them, once
 * @throws unreachableError `logs-limited`
 */
export function reserveSessions(scripts: HostScripts, on: string, count: number): () => void {
  const others = sessions.get(scripts) ?? 0;
  if (others + count > MOST_SESSIONS) throw noRoom(on, count, others);
  sessions.set(scripts, others + count);
  let isFree = false;
  return () => {
    if (isFree) return;
    isFree = true;
    sessions.set(scripts, (sessions.get(scripts) ?? 0) - count);
  };
}

const noRoom = (on: string, count: number, others: number) =>
  unreachableError({
    code: 'logs-limited',
    what: 'follow the logs',
    on,
    why: `a worker follows at most ${MOST_SESSIONS} servers at a time; ${others} are followed now, and this needs ${count} more`,
    hint:
      count > MOST_SESSIONS
        ? 'name fewer servers (--server)'
        : 'end another `app logs --follow`, name fewer servers (--server), or read the logs without --follow',
  });
