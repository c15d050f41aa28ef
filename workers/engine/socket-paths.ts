import { join } from 'node:path';
import { inputError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';

/** Bytes that the path of a Unix socket may have: `sun_path` without its last byte. */
const MOST_BYTES = process.platform === 'darwin' ? 103 : 107;

/**
 * Refuses a home whose path leaves too little room for the names of its sockets. Temporal and the worker could not
 * listen there, and some versions of Node truncate the path.
 *
 * @throws inputError `home-path-long`
 */
export function checkSocketPaths({ root, engine, socket, warm }: Pick<Home, 'root' | 'engine' | 'socket' | 'warm'>): void {
  const longest = Math.max(...[socket, warm, join(engine, 'ui.sock')].map((path) => Buffer.byteLength(path)));
  const over = longest - MOST_BYTES;
  if (over <= 0) return;
  throw inputError({
    code: 'home-path-long',
    what: 'use the state folder',
    on: root,
    why: `its path is ${over} ${over === 1 ? 'byte' : 'bytes'} too long for its sockets, which allow ${MOST_BYTES}`,
    hint: 'choose a shorter folder with PROVISIONING_HOME',
  });
}
