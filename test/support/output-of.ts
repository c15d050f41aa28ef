import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { ExecResult } from '../../activities/host/transport.js';

/** Passes a script to a program and returns its output and result, like a host's transport. */
export function outputOf(
  child: ChildProcessWithoutNullStreams,
  script: string,
  onOutput?: (chunk: string) => void,
): Promise<ExecResult> {
  const result = { exit: 1, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (onOutput) onOutput(chunk);
    else result.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    result.stderr += chunk;
  });
  // It may end before it has read all of the script.
  child.stdin.on('error', () => {});
  child.stdin.end(script);
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => resolve({ ...result, exit: code ?? 1 })),
  );
}
