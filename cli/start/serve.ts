import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { checkPrivate } from '../../home/private-folder.js';
import { commands } from '../commands.js';
import { serveOne } from './serve-one.js';
import { placeOfProcess } from './warm-request.js';

/** Idle time before it ends, in milliseconds. */
const IDLE_MS = 10 * 60 * 1000;
/** Bytes of memory above which it ends after a command, to release the memory of a large definition. */
const LARGE = 300 * 1024 * 1024;
/** Commands that are loaded in advance. */
const LOADED = new Set(['apply', 'validate']);

/**
 * Runs commands of this user, one after the other, as their own processes would. The worker starts this process. It
 * ends after the current command if the worker ends, after ten minutes without a command, and after an interrupted
 * command.
 *
 * @param build of the command line, which must be the same as the client's
 */
export async function serve([path = '', build = '']: readonly string[]): Promise<void> {
  if (path === '' || build === '') return;
  const place = placeOfProcess();
  await checkPrivate(dirname(path));
  await rm(path, { force: true });
  await Promise.all(commands.filter(({ name }) => LOADED.has(name)).map((entry) => entry.load()));
  await import('../program/run-command.js');
  let idle = setTimeout(leave, IDLE_MS);
  let busy = false;
  let isAlone = false;
  const server = createServer((socket) => {
    void serveOne(socket, {
      build,
      place,
      take: () => {
        if (busy) return false;
        clearTimeout(idle);
        busy = true;
        return true;
      },
      done: () => {
        busy = false;
        if (isAlone || process.memoryUsage.rss() > LARGE) leave();
        else idle = setTimeout(leave, IDLE_MS);
      },
      replaced: () => void (busy || leave()),
      leave,
    });
  });
  // The worker has ended or is being replaced. The running command waits for the new worker.
  process.once('disconnect', () => {
    isAlone = true;
    server.close();
    if (!busy) leave();
  });
  const mask = process.umask(0o077);
  server.once('error', () => process.exit(1)).listen(path, () => void process.umask(mask));

  function leave(): void {
    // Closing removes its socket file, so that no client waits for it.
    server.close();
    setImmediate(() => process.exit(0));
  }
}
