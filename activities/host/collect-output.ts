import { inputError, type ProvisioningError } from '../../core/errors.js';

/** Characters of standard output that are kept of a script. The largest honest answer is a look: below 1 MiB. */
export const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_STDERR = 8192;

/**
 * Collects what a script prints, within bounds: a host that prints without end must not
 * take the worker's memory. What is handed on by `onOutput` is not kept.
 *
 * @param onTooMuch told once, with `output-too-large`
 */
export function collector(
  on: string,
  onOutput: ((chunk: string) => void) | undefined,
  onTooMuch: (fault: ProvisioningError) => void,
) {
  let chunks: string[] = [];
  let size = 0;
  let stderr = '';
  return {
    stdout(chunk: string): void {
      onOutput?.(chunk);
      if (onOutput || size > MAX_OUTPUT) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_OUTPUT) return;
      chunks = [];
      const why = `it printed more than ${MAX_OUTPUT / 1024 / 1024} MiB`;
      onTooMuch(inputError({ code: 'output-too-large', what: 'run a script', on, why }));
    },
    stderr(chunk: string): void {
      stderr = (stderr + chunk).slice(-MAX_STDERR);
    },
    collected: () => ({ stdout: chunks.join(''), stderr }),
  };
}
