import { spawn } from 'node:child_process';
import { inputError } from '../../core/errors.js';
import type { ExecOptions, ExecResult, Transport } from './transport.js';

/** This very machine as a host: root directly, anybody else through sudo without a password. */
export const thisMachine: Transport & { close(): void } = {
  exec: (script, options) => run(script, options),
  close() {},
};

async function run(script: string, { signal, onOutput }: ExecOptions = {}): Promise<ExecResult> {
  const isRoot = process.getuid?.() === 0;
  const [command, args] = isRoot ? ['bash', ['-s']] : ['sudo', ['-n', 'bash', '-s']];
  const child = spawn(command as string, args as string[], { stdio: ['pipe', 'pipe', 'pipe'], signal, cwd: '/' });
  const result: ExecResult = { exit: 1, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (onOutput) onOutput(chunk);
    else result.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    result.stderr = (result.stderr + chunk).slice(-8192);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(script);
  result.exit = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  if (!isRoot && /sudo:.*(password|not allowed|sudoers)/.test(result.stderr)) {
    throw inputError({
      code: 'sudo-refused',
      what: 'become root',
      on: 'this machine',
      why: 'sudo wants a password',
      hint: 'allow sudo without a password, or run the worker as root',
    });
  }
  return result;
}
