import { readlinkSync } from 'node:fs';
import type { BegunWork } from '../program/session.js';

/** Hidden command that serves others: `__serve SOCKET BUILD`. */
export const SERVE = '__serve';

/** Request to run a command as the client would. */
export interface WarmRequest {
  /** Build of the command line. Another build would answer differently. */
  build: string;
  place: string;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  umask: number;
  /** Columns of the standard outputs, if they are terminals. */
  out?: number;
  err?: number;
}

/** Message of a serving process. `ready` comes first and waits for `GO`. */
export type WarmReply =
  | { ready: true }
  /** Nothing was done: the client runs the command itself. */
  | { refused: true }
  | { out: string }
  | { err: string }
  /** Bytes of standard output, in base64. */
  | { data: string }
  /** Started work, which the client can follow if this process ends. */
  | { begun: BegunWork }
  /** Whether Ctrl-C is sent as `INTERRUPT`, or only ends the command. */
  | { listens: boolean }
  | { exit: number };

export const GO = '{"go":true}';
export const INTERRUPT = '{"interrupt":true}';

/** Returns whether a process reads a variable only once, at its start. */
export const readAtStart = (name: string): boolean => /^(NODE_|LC_|LANG$|LANGUAGE$|TZ$)/.test(name);

/**
 * Returns the identity of a process, its view of this machine, and the start environment of its Node. Processes with
 * the same value find the same files, have the same permissions and print the same output. Must be called before the
 * environment is changed.
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
