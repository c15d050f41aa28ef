import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that was found by its port or its arguments. */
export interface Listener {
  pid: number;
  command: string;
}

/** Returns the process that listens on a TCP port of this machine, if `/proc` discloses it to this user. */
export function findListener(port: number): Listener | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listening(table, port)));
  if (inodes.size === 0) return undefined;
  return processes().find(({ pid }) => sockets(pid).some((inode) => inodes.has(inode)));
}

/** Returns the processes of this machine whose arguments include all of `words`. */
export function processesWith(...words: string[]): Listener[] {
  return processes().filter(({ pid }) => {
    const given = argumentsOf(pid);
    return words.every((word) => given.includes(word));
  });
}

/** Returns the arguments of a process; empty if they cannot be read. */
function argumentsOf(pid: number): string[] {
  return read(`/proc/${pid}/cmdline`).split('\0');
}

function listening(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return read(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(wanted) && state === '0A')
    .map((fields) => fields[9] ?? '');
}

function processes(): Listener[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), command: read(`/proc/${name}/comm`).trim() }));
  } catch {
    return [];
  }
}

function sockets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? '';
      } catch {
        return '';
      }
    });
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
