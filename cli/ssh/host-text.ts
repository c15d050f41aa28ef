import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Screen } from '../program/screen.js';
import type { Session } from '../program/session.js';

/** Characters of a line that are waited for: a host that never ends one fills no memory. */
const LONGEST_LINE = 64 * 1024;

/** Calls `take` with each line that a program writes, a longer one in parts. */
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
 * Starts a program of `shellOn` whose output is for the person. A terminal of the host is handed on as it is: it is
 * what was asked for. Output of a command goes through the screen, which writes escape sequences out on a terminal
 * and hands bytes on to a pipe.
 */
export function startShell(
  { out, err }: Pick<Session, 'out' | 'err'>,
  { program, args }: { program: string; args: readonly string[] },
  { terminal }: { terminal: boolean },
): ChildProcess {
  // On this machine it is the person's own program, and may draw.
  if (terminal || program !== 'ssh') return spawn(program, args, { stdio: 'inherit' });
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  handOn(child.stdout, out);
  handOn(child.stderr, err);
  return child;
}

/** Gives a screen what a program writes, in whole characters. */
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

/** How many bytes at the end begin a character of UTF-8 that goes on in the next chunk. */
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
