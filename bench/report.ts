import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columns } from '../cli/program/screen.js';

/** Describes the measuring machine: absolute times mean nothing without it. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Linux ${release()} ${arch()}, Node ${process.versions.node}`;
}

export function printTable(head: string[], rows: string[][]): void {
  process.stdout.write(`${columns([head, ...rows]).join('\n')}\n`);
}

/**
 * Stores the result as `bench/results/NAME.json`, or in the folder `BENCH_RESULTS`. Seconds are rounded to
 * milliseconds.
 */
export async function keepResult(name: string, result: object): Promise<string> {
  const folder = process.env.BENCH_RESULTS ?? fileURLToPath(new URL('results/', import.meta.url));
  const path = join(folder, `${name}.json`);
  const text = JSON.stringify({ date: new Date().toISOString(), machine: machine(), ...result }, rounded, 2);
  await mkdir(folder, { recursive: true });
  await writeFile(path, `${text}\n`);
  return path;
}

const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);
