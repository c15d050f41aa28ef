import { hostname, userInfo } from 'node:os';

/**
 * Returns the actor of this process, `user@host`: the operating system's user, regardless of the environment. Behind a
 * worker's socket this is the owner of the socket's folder.
 */
export function principal(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
