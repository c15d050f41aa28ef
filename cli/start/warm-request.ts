import { readlinkSync } from 'node:fs';
import type { BegunWork } from '../program/session.js';

/** The hidden command that serves others: `__serve SOCKET BUILD`. */
export const SERVE = '__serve';

/** What whoever serves is asked to carry out, as whoever asks would. */
export interface WarmRequest {
  /** The build of the command line: another one would answer differently. */
  build: string;
  place: string;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  umask: number;
  /** Columns of the standard outputs where they are terminals. */
  out?: number;
  err?: number;
}

/** A line of whoever serves. `ready` comes first, and waits for `GO`. */
export type WarmReply =
  | { ready: true }
  /** Nothing was done: whoever asks does it themselves. */
  | { refused: true }
  | { out: string }
  | { err: string }
  /** Bytes of standard output, in base64. */
  | { data: string }
  /** What was begun, which whoever asks can follow if this process ends. */
  | { begun: BegunWork }
  /** Whether Ctrl-C is told by `INTERRUPT`, or just ends the command. */
  | { listens: boolean }
  | { exit: number };

export const GO = '{"go":true}';
export const INTERRUPT = '{"interrupt":true}';

/** Variables that a process reads once, when it starts. */
export const readAtStart = (name: string): boolean => /^(NODE_|LC_|LANG$|LANGUAGE$|TZ$)/.test(name);

/**
 * Who a process is, what it sees of this machine, and how its Node was started. Two with the same find the same files,
 * may do the same, and say it alike. To be asked before the environment is changed.
 */
export function placeOfProcess(): string {
  const seen = ['root', 'ns/mnt', 'ns/user', 'ns/net', 'ns/uts'].map((name) => link(`/proc/self/${name}`));
  const groups = process.getgroups?.().sort((a, b) => a - b);
  const variables = Object.entries(process.env).filter(([name]) => readAtStart(name));
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.(), groups];
  return JSON.stringify([ids, seen, variables.sort()]);
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
