import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Screen } from '../program/screen.js';
import type { Session } from '../program/session.js';

/** Maximum characters of a line. A host that never ends a line must not fill the memory. */
const LONGEST_LINE = 64 * 1024;

/** Calls `take` with each line of a program's output. Longer lines come in parts. */
export function eachLine(stream: Readable, take: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line.replace(/\r$/, ''));
    if (rest.length < LONGEST_LINE) return;
    take(rest);
    rest = '';
  });
  stream.on('end', () => {
    if (rest !== '') take(rest);
  });
}

/**
 * Starts a program of `shellOn` whose output is for the user. An interactive terminal is passed through unchanged.
 * Output of a command goes through the screen. It escapes control sequences on a terminal and passes bytes unchanged
 * to a pipe.
 */
export function startShell(
  { out, err }: Pick<Session, 'out' | 'err'>,
  { program, args }: { program: string; args: readonly string[] },
  { terminal }: { terminal: boolean },
): ChildProcess {
  // On this machine it is the user's own program, which may draw.
  if (terminal || program !== 'ssh') return spawn(program, args, { stdio: 'inherit' });
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  handOn(child.stdout, out);
  handOn(child.stderr, err);
  return child;
}

/** Passes a program's output to a screen in whole characters. */
function handOn(stream: Readable, screen: Screen): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const all = Buffer.concat([rest, chunk]);
    const whole = all.length - openBytes(all);
    rest = all.subarray(whole);
    screen.data(all.subarray(0, whole));
  });
  stream.on('end', () => {
    if (rest.length > 0) screen.data(rest);
  });
}

/** Returns the number of bytes at the end that begin an incomplete UTF-8 character. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}
