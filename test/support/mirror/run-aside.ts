import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Output of a script, and the files in its output folder. */
export interface RanAside {
  ok: boolean;
  stdout: string;
  stderr: string;
  left: string[];
}

/** Runs a script on this machine as a host would, with a separate folder for temporary files. */
export async function runAside(script: string, stdin = ''): Promise<RanAside> {
  const folder = await mkdtemp(join(tmpdir(), 'aside-'));
  try {
    const ran = await new Promise<Omit<RanAside, 'left'>>((resolve) => {
      const env = { PATH: process.env.PATH, TMPDIR: folder };
      const child = execFile('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env }, (error, stdout, stderr) =>
        resolve({ ok: error === null, stdout: stdout.trim(), stderr: stderr.trim() }),
      );
      child.stdin?.on('error', () => {}).end(stdin);
    });
    return { ...ran, left: await readdir(folder) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
