import { spawn } from 'node:child_process';
import { unreachableError } from '../core/errors.js';

/**
 * A key management service: it keeps a key of its own, under which our keys lie
 * wrapped in a file. Nothing but our 32 bytes ever goes there.
 */
export interface KeyWrapper {
  /** How it is called in a status. */
  readonly name: string;
  wrap(key: Buffer): Promise<string>;
  /** @throws unreachableError `key-service` */
  unwrap(wrapped: string): Promise<Buffer>;
}

const TIMEOUT_MS = 30_000;

/**
 * A wrapper that is a command: called with `wrap` or `unwrap` as its last
 * argument, base64 of the key on standard input (or what `wrap` answered), the
 * answer on standard output. Its arguments never hold a key.
 *
 * @param command divided at blanks; what needs more is a script of its own
 */
export function commandWrapper(command: string, env: NodeJS.ProcessEnv): KeyWrapper {
  const [program = '', ...args] = command.trim().split(/\s+/);
  const call = (verb: 'wrap' | 'unwrap', input: string) => run(program, [...args, verb], input, env);
  return {
    name: `command "${program}"`,
    wrap: async (key) => call('wrap', key.toString('base64')),
    unwrap: async (wrapped) => Buffer.from(await call('unwrap', wrapped), 'base64'),
  };
}

function run(program: string, args: string[], input: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(
        unreachableError({
          code: 'key-service',
          what: `${args.at(-1)} the encryption key`,
          on: program,
          why,
          hint: 'PROVISIONING_KEY_COMMAND is called as `COMMAND wrap` and `COMMAND unwrap`; docs/guides/encryption.md',
        }),
      );
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.err = (said.err + text).slice(-500);
    });
    child.once('error', ({ message }) => failed(message));
    child.once('close', (code, signal) => {
      const answer = said.out.trim();
      if (code === 0 && answer) resolve(answer);
      else failed(said.err.trim().split('\n').at(-1) || (code === 0 ? 'it answered nothing' : `it ended with ${code ?? signal}`));
    });
    // A command that ends without reading is told by its exit code.
    child.stdin.on('error', () => {}).end(input);
  });
}
