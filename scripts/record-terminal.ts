/**
 * `npm run record-terminal`: plays a session with the built command line in a temporary home, and writes it to
 * docs/images/survives-kill.svg. An apply continues after `kill -9` of its worker, and is rolled back. The provider is
 * `demo`. The output is real; waits are shortened to at most one and a half seconds.
 */
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { pathOf } from '../providers/demo/config.js';
import { configureDemo } from '../providers/demo/store/account.js';
import { type Line, terminalSvg } from './terminal/svg.js';

const root = resolve(import.meta.dirname, '..');
const program = join(root, 'bin/provisioning.js');
/** Lines that are important for the story. */
const IMPORTANT = /does not answer|answers again|^done: |^undone: |^no servers/;
/** Seconds: maximum length of a silence, duration of typing, and reading time before it. */
const [SILENCE, TYPING, READING] = [1.5, 0.8, 1.2];

const folder = await mkdtemp(join(tmpdir(), 'provisioning-recording-'));
const env = { ...process.env, PROVISIONING_HOME: join(folder, 'home') };
const options = { cwd: folder, env, reject: false } as const;
const lines: Line[] = [];
let clock = 0;
let last = performance.now();

/** Adds a line after the shortened time since the line before. */
function add(text: string, kind: Line['kind']): void {
  const now = performance.now();
  clock += Math.min((now - last) / 1_000, SILENCE);
  last = now;
  lines.push({ at: clock, text, kind });
}

function type(command: string): void {
  clock += lines.length > 0 ? READING : TYPING;
  lines.push({ at: clock, text: `$ ${command}`, kind: 'typed' });
  clock += TYPING;
  last = performance.now();
}

/** Runs a command, shows its output, and calls `onLine` with each line. */
async function play(command: string, onLine: (text: string) => void = () => {}): Promise<void> {
  type(`provisioning ${command}`);
  const child = execa(process.execPath, [program, ...command.split(' ')], { ...options, all: true, buffer: false });
  const reader = createInterface({ input: child.all });
  reader.on('line', (text) => {
    add(text, IMPORTANT.test(text) ? 'important' : 'printed');
    onLine(text);
  });
  await Promise.all([child, once(reader, 'close')]);
}

try {
  await copyFile(join(root, 'examples/demo.yaml'), join(folder, 'demo.yaml'));
  await execa(process.execPath, [program, 'up'], { ...options, reject: true });
  const latencyMs = { '*': 10, boot: 400, 'host.step': 250 };
  await configureDemo(pathOf({ account: 'default' }, env), { latencyMs });
  const { stdout } = await execa(process.execPath, [program, 'status', '--json'], options);
  const worker: number = JSON.parse(stdout).worker.pid;
  let operation = '';
  let killed = false;
  await play('apply demo.yaml --yes', (text) => {
    operation ||= /^operation (\S+)/.exec(text)?.[1] ?? '';
    if (killed || !text.startsWith('hub/haproxy:')) return;
    killed = true;
    process.kill(worker, 'SIGKILL');
    add(`[another terminal] $ kill -9 ${worker}        # the worker`, 'typed');
  });
  if (!killed) throw new Error('the operation ended before its worker was killed');
  await play(`workflow rollback ${operation} --yes`);
  await play('inventory');
  const said = lines.map(({ text }) => text).join('\n');
  for (const part of ['does not answer', 'answers again', 'done: demo', 'undone: ', 'no servers'])
    if (!said.includes(part)) throw new Error(`the session does not say "${part}":\n${said}`);
  const title = 'provisioning: an apply survives kill -9 of its worker, and is rolled back';
  await writeFile(join(root, 'docs/images/survives-kill.svg'), terminalSvg(lines, { columns: 92, rows: 24, title }));
  console.log(said);
} finally {
  await execa(process.execPath, [program, 'down'], options);
  await rm(folder, { recursive: true });
}
