import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const CALLS =
  'execve,execveat,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir,truncate,chmod,fchmodat,chown,fchownat,mknod,mknodat,connect';

/** Actions of a program as the kernel saw them, with all its threads and processes. */
export interface Observed {
  code: number;
  output: string;
  /** Started programs, including itself, each as its arguments in JSON. */
  programs: string[];
  /** Opened files, by their real paths. */
  opened: string[];
  /** Files that were successfully opened for writing, created, moved or removed. */
  written: string[];
}

/** Runs a program under strace. @param folder for the output of strace */
export async function observe(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv, folder: string): Promise<Observed> {
  const trace = join(folder, 'trace');
  const args = ['-f', '--seccomp-bpf', '-y', '-qq', '-s', '4096', '-e', `trace=${CALLS}`, '-o', trace, '--', ...argv];
  const child = spawn('strace', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  const seen: Observed = { code: code ?? -1, output, programs: [], opened: [], written: [] };
  for (const line of await wholeLines(trace)) {
    const [, call = '', rest = ''] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
    if (/ = -1 [A-Z]+/.test(rest) || call === '') continue;
    if (call.startsWith('execve')) seen.programs.push(/\[(".*")\]/.exec(rest)?.[1] ?? rest);
    const opened = / = \d+<(.*)>$/.exec(rest)?.[1];
    if (opened !== undefined) seen.opened.push(opened);
    if (opened !== undefined && /\bO_(?:WRONLY|RDWR|CREAT|TRUNC)\b/.test(rest)) seen.written.push(opened);
    else if (opened === undefined && !call.startsWith('exec') && call !== 'connect') seen.written.push(rest);
  }
  return seen;
}

/** Returns the lines of a trace. It joins lines that another thread interrupted. */
async function wholeLines(trace: string): Promise<string[]> {
  const open = new Map<string, string>();
  const lines: string[] = [];
  for (const line of (await readFile(trace, 'utf8')).split('\n')) {
    const [pid = ''] = line.split(' ', 1);
    const begun = / <unfinished \.\.\.>$/.exec(line);
    const resumed = /^\d+ +<\.\.\. \w+ resumed>(.*)$/.exec(line);
    if (begun) open.set(pid, line.slice(0, begun.index));
    else if (resumed) lines.push((open.get(pid) ?? '') + resumed[1]);
    else lines.push(line);
  }
  return lines;
}
