import { randomBytes } from 'node:crypto';
import { type Readable, Transform, type Writable } from 'node:stream';
import { inputError, type ProvisioningError } from '../../core/errors.js';
import { markScript } from '../../core/host/shell.js';
import { type BetweenMarks, decodeChunks, readBetweenMarks } from './between-marks.js';
import { explainNotBegun } from './not-begun.js';
import type { ExecResult } from './transport.js';

/** Characters of standard output that are kept of a script. The largest honest answer is a look: below 1 MiB. */
export const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_STDERR = 8192;

/**
 * Wraps a script in marks and collects its output. Output of the login shell before and after it does not count.
 * Bounds protect the worker's memory from endless output. Output that `onOutput` receives is not kept.
 *
 * @param onTooMuch is called once, with `output-too-large`
 */
export function collectAnswer(
  script: string,
  on: string,
  onOutput: ((chunk: string) => void) | undefined,
  onTooMuch: (fault: ProvisioningError) => void,
) {
  const mark = `@${randomBytes(16).toString('hex')}@`;
  let chunks: string[] = [];
  let size = 0;
  let said = '';
  let passed: Promise<void> | undefined;
  const tooMuch = (why: string) => onTooMuch(inputError({ code: 'output-too-large', what: 'run a script', on, why }));
  const noMark = () => tooMuch('it prints without end before it begins with the script');
  const keep = (text: string) => {
    if (size > MAX_OUTPUT) return;
    size += text.length;
    chunks.push(text);
    if (size <= MAX_OUTPUT) return;
    chunks = [];
    tooMuch(`it printed more than ${MAX_OUTPUT / 1024 / 1024} MiB`);
  };
  const keepSaid = (text: string) => {
    said = (said + text).slice(-MAX_STDERR);
  };
  let out: BetweenMarks = readBetweenMarks(mark, decodeChunks(onOutput ?? keep), noMark);
  const errors = readBetweenMarks(mark, decodeChunks(keepSaid), noMark);
  return {
    /** With its marks. */
    script: markScript(script, mark),
    stdout: (chunk: Buffer) => out.write(chunk),
    stderr: (chunk: Buffer) => errors.write(chunk),
    /** Passes standard output as bytes to `to` instead of `stdout`. It is not kept. */
    pass(from: Readable, to: Writable): void {
      const through = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          out.write(chunk);
          done();
        },
        flush(done) {
          out.end();
          done();
        },
      });
      out = readBetweenMarks(mark, (bytes) => through.push(bytes), noMark);
      passed = new Promise((resolve, reject) => {
        through.once('end', resolve);
        to.once('close', () => (to.errored ? reject(to.errored) : resolve()));
      });
      // The receiver may fail before the end of the script is known.
      passed.catch(() => {});
      from.pipe(through).pipe(to);
    },
    /**
     * How it ended, once all that it printed is passed on.
     *
     * @throws `sudo-refused`, `login-without-shell`
     */
    async ended(exit: number): Promise<ExecResult> {
      await passed;
      out.end();
      errors.end();
      if (out.hasBegun()) return { exit, stdout: chunks.join(''), stderr: said };
      const instead = [out.before(), errors.before()].filter(Boolean).join('\n');
      const fault = explainNotBegun(on, exit, instead);
      if (fault) throw fault;
      return { exit, stdout: '', stderr: instead };
    },
  };
}
