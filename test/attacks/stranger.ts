import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { Aim, Outcome } from './aim.js';
import type { Way } from './attacker.js';
import type { Attack } from './attacks.js';
import type { Means, MeansName } from './means.js';

const NOBODY = 65_534;

export interface Answer {
  outcome: Outcome | 'not let in' | 'failed';
  why?: string;
}

/** The attacker: a process of an unprivileged user on this machine. */
export class Stranger {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private count = 0;

  private constructor(private readonly child: ReturnType<typeof spawnAsNobody>) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, uid, ...answer } = JSON.parse(line) as Answer & { id: number; uid: number };
      if (uid !== NOBODY) throw new Error(`the attacker runs as ${uid}`);
      this.waiting.get(id)?.(answer);
      this.waiting.delete(id);
    });
  }

  static start(program: string, way: Way): Stranger {
    const child = spawnAsNobody(program);
    child.stdin.write(`${JSON.stringify(way)}\n`);
    return new Stranger(child);
  }

  strike(attack: Attack, aim: Omit<Aim, 'mark'>): Promise<Answer> {
    return this.ask((id) => ({ attack, aim: { ...aim, mark: `${process.pid}x${id}` } }));
  }

  /** Uses one of Temporal's own means. `why` has the reason if it failed. */
  use(means: MeansName, at: Means): Promise<Answer> {
    return this.ask(() => ({ means, at }));
  }

  private ask(what: (id: number) => object): Promise<Answer> {
    const id = ++this.count;
    const answer = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ id, ...what(id) })}\n`);
    const gone = once(this.child, 'exit').then(() => ({ outcome: 'failed' as const, why: 'the attacker ended' }));
    return Promise.race([answer, gone]);
  }

  async end(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.stdin.end();
    await gone;
  }
}

function spawnAsNobody(program: string) {
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [program], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    stdio,
  });
  child.setMaxListeners(0);
  return child;
}

/** Bundles the attacker's program in one file, in a folder that `nobody` can read. */
export async function bundled(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'attacker-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'attacker.mjs');
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    entryPoints: [join(import.meta.dirname, 'attacker.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'error',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
