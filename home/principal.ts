import { hostname, userInfo } from 'node:os';

/**
 * Who this process acts for, `user@host`: the operating system's user, whatever its
 * environment says. Behind a worker's socket that is the owner of the socket's folder.
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
