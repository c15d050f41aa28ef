import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { checkPrivate } from '../../home/private-folder.js';
import { commands } from '../commands.js';
import { serveOne } from './serve-one.js';
import { placeOfProcess } from './warm-request.js';

/** How long it stays without a command, in milliseconds. */
const IDLE_MS = 10 * 60 * 1000;
/** Bytes of memory above which it ends behind a command: what a large definition took is given back. */
const LARGE = 300 * 1024 * 1024;
/** What is loaded before it is asked for. */
const LOADED = new Set(['apply', 'validate']);

/**
 * Carries out commands of this user, one after the other, as their own processes would: started by the worker, and gone
 * with it once the present command is over, when nobody asked for ten minutes, and when a command was cut off.
 *
 * @param build of the command line, in which whoever asks has to be the same
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
  // The worker has ended, or another one is about to begin: the command that is carried out waits for that one.
  process.once('disconnect', () => {
    isAlone = true;
    server.close();
    if (!busy) leave();
  });
  const mask = process.umask(0o077);
  server.once('error', () => process.exit(1)).listen(path, () => void process.umask(mask));

  function leave(): void {
    // Its file goes with it: nobody waits for who is not there.
    server.close();
    setImmediate(() => process.exit(0));
  }
}
