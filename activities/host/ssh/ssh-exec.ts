import { addAbortListener } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type ssh2 from 'ssh2';
import { unreachableError } from '../../../core/errors.js';
import { quote } from '../../../core/host/shell.js';
import { collectAnswer } from '../collect-output.js';
import { ENDED_BY_TIME, RETURN_MS, shellFor } from '../time-limits.js';
import type { ExecOptions, ExecResult } from '../transport.js';
import { faultOf, tooLate } from './ssh-faults.js';

/** Milliseconds in which a host that we are logged in to must begin with a script. */
const BEGIN_MS = 15_000;

/** Whom a script runs as on a host, and how errors name that. */
interface Place {
  on: string;
  /** The login is of root; else it becomes root by sudo. */
  isRoot: boolean;
}

/**
 * Runs a script by a command that reads it from standard input.
 *
 * @throws `host-too-late` where the host does not begin with it, or it takes longer than `limitMs`; `output-too-large`,
 *   `connection-lost`, `sudo-refused`, `login-without-shell`; the reason of `signal` where that is aborted
 */
export function execOn(
  client: ssh2.Client,
  { on, isRoot }: Place,
  script: string,
  { signal, onOutput, input, output: bytes, limitMs }: ExecOptions = {},
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let channel: ssh2.ClientChannel | undefined;
    let over = false;
    let patience: NodeJS.Timeout | undefined;
    const end = (settle: () => void) => {
      if (over) return;
      over = true;
      clearTimeout(begin);
      clearTimeout(patience);
      listening?.[Symbol.dispose]();
      channel?.close();
      settle();
    };
    const stop = () => end(() => reject(signal?.reason));
    const begin = setTimeout(() => {
      end(() => reject(tooLate(on, BEGIN_MS, 'begin a script')));
      // It is logged in and does nothing: the next one had better try a new connection.
      client.destroy();
    }, BEGIN_MS);
    const listening = signal && addAbortListener(signal, stop);
    if (endsWith([input, bytes], (fault) => end(() => reject(fault)))) return;
    const answer = collectAnswer(script, on, onOutput, (fault) => {
      end(() => reject(fault));
      // One that prints without end may as well ignore that the channel was closed.
      client.destroy();
    });
    client.exec(shellFor(isRoot, answer.script, limitMs).map(quote).join(' '), (error, opened) => {
      if (error) return end(() => reject(faultOf(error, on)));
      opened.on('error', () => {});
      opened.stderr.on('error', () => {});
      if (over) {
        opened.resume().stderr.resume();
        return void opened.close();
      }
      clearTimeout(begin);
      channel = opened;
      const late = () => reject(tooLate(on, limitMs as number));
      if (limitMs !== undefined) patience = setTimeout(() => end(late), limitMs + RETURN_MS);
      let exit = -1;
      const paceErrors = createPacer(opened.stderr);
      if (bytes) answer.pass(opened, bytes);
      else {
        const pace = createPacer(opened);
        opened.on('data', (chunk: Buffer) => {
          pace(chunk.length);
          answer.stdout(chunk);
        });
      }
      opened.stderr.on('data', (chunk: Buffer) => {
        paceErrors(chunk.length);
        answer.stderr(chunk);
      });
      opened.once('exit', (code: number | null) => {
        exit = code ?? 255;
      });
      opened.once('close', () => {
        end(() => {
          if (limitMs !== undefined && ENDED_BY_TIME.includes(exit)) return late();
          if (exit === -1) return reject(connectionLost(on));
          answer.ended(exit).then(resolve, reject);
        });
      });
      if (!input) return void opened.end(answer.script);
      opened.write(answer.script);
      input.pipe(opened);
    });
  });
}

/** A script whose other end is gone would wait without end. Answers whether one is gone already. */
function endsWith(others: readonly (Readable | Writable | undefined)[], fail: (fault: unknown) => void): boolean {
  const gone = others.find((other) => other?.destroyed);
  if (gone) fail(gone.errored);
  else for (const other of others) other?.once('error', fail);
  return gone !== undefined;
}

const connectionLost = (on: string) =>
  unreachableError({ code: 'connection-lost', what: 'run a script', on, why: 'the connection closed before the command ended' });

/** Bytes a second that are taken of what one script prints. A step that prints without end must not take the worker's time. */
const BYTES_A_SECOND = 8 * 1024 * 1024;

/** Holds a stream back that comes faster than the worker should read it; the sender then waits, and nothing is lost. */
function createPacer(stream: Readable, bytesASecond = BYTES_A_SECOND): (length: number) => void {
  let began = 0;
  let taken = 0;
  return (length) => {
    const now = performance.now();
    if (now - began >= 1_000) {
      began = now;
      taken = 0;
    }
    taken += length;
    if (taken < bytesASecond || stream.isPaused()) return;
    stream.pause();
    setTimeout(() => stream.resume(), Math.max(1, 1_000 - (now - began)));
  };
}
