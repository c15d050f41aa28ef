import { readFileSync } from 'node:fs';
import { execa } from 'execa';

/** Program with its arguments and environment. */
export interface Invocation {
  command: string;
  args: string[];
  cwd?: string;
  env?: Record<string, string>;
}

export interface Run {
  /** From the start of the process to its end. */
  seconds: number;
  stdout: string;
  /** Standard output and standard error, in order. */
  output: string;
}

/** Runs a program and measures its wall-clock time. Throws with the end of its output if it fails. */
export async function time({ command, args, cwd, env }: Invocation): Promise<Run> {
  const start = process.hrtime.bigint();
  const { stdout, all: output, exitCode } = await execa(command, args, { cwd, env, stdin: 'ignore', all: true, reject: false });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (exitCode !== 0) {
    throw new Error(`run ${command}: exit code ${exitCode}: ${output.trim().slice(-2_000)}`);
  }
  return { seconds, stdout, output };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('a median needs a value');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** Returns the peak memory of a process in MiB: its `VmHWM` (proc_pid_status(5)); 0 for an ended process. */
export function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
