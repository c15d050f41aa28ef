import { spawn } from 'node:child_process';
import { badKmsSetting, type KeyWrapper, type KmsPlace, keyBytes, serviceGone, type Verb } from './key-wrapper.js';

const TIMEOUT_MS = 30_000;
const HINT = 'PROVISIONING_KEY_COMMAND is called as `COMMAND wrap` and `COMMAND unwrap`; docs/operate/encryption.md';

/**
 * Creates a wrapper that runs a command, with `wrap` or `unwrap` as its last argument. Standard input has the key in
 * base64, or the answer of `wrap`; standard output has the answer. Arguments never contain a key. The command is split
 * at blanks; anything more complex needs a script.
 */
export function openKms({ env }: KmsPlace): KeyWrapper {
  const command = env.PROVISIONING_KEY_COMMAND?.trim();
  if (!command) {
    const why = 'it is not set, and the configured key service is a command';
    throw badKmsSetting('PROVISIONING_KEY_COMMAND', why, 'set PROVISIONING_KEY_COMMAND, as when it was made');
  }
  const [program = '', ...args] = command.split(/\s+/);
  const call = (verb: Verb, input: string) => run(program, [...args, verb], verb, input, env);
  return {
    kind: 'command',
    name: `command "${program}"`,
    wrap: (key) => call('wrap', key.toString('base64')),
    unwrap: async (wrapped) => keyBytes(await call('unwrap', wrapped), program),
  };
}

function run(program: string, args: string[], verb: Verb, input: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) => reject(serviceGone(verb, program, why, HINT));
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
    // The exit code reports a command that ends without reading its input.
    child.stdin.on('error', () => {}).end(input);
  });
}
