import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Separate namespaces: no other processes, no network and, after the change of the root, no files of this machine. */
const ALONE = '--user --map-root-user --mount --pid --net --ipc --uts --fork --kill-child'.split(' ');

/** Pure tools for text and files, which the stand-ins and the cell use. */
const TOOLS =
  'awk base64 basename cat chmod cksum cmp comm cp cut date dd diff dirname env expr find fold grep head id install ln ls md5sum mkdir mktemp mv nl nproc od paste readlink realpath rm rmdir sed seq sha256sum sha512sum sort split stat tac tail tee timeout touch tr truncate tsort umount uname uniq wc xargs';

/** Returns the reason why this machine cannot run cells; undefined if it can. */
export function whyNoCells(): string | undefined {
  const { status } = spawnSync('unshare', [
    ...ALONE,
    'bash',
    '-c',
    'mount -t tmpfs tmpfs /tmp && mkdir /tmp/proc && mount -t proc proc /tmp/proc',
  ]);
  return status === 0 ? undefined : 'unshare may not make namespaces here';
}

/** Result of a script. */
export interface Ran {
  exit: number;
  /** Called commands in order: the sites that lead to the call, a colon, the name. */
  calls: string[];
  /** Numbers of the commands whose failure was checked, in order. */
  looked: number[];
  /** Numbers of checks after the last failing call. */
  lookedThen: number[];
  said: string;
}

/** Runs scripts with stand-ins for all commands, in namespaces and in memory (`cell/serve.sh`). */
export class Cell {
  readonly #exchange = mkdtempSync(join(tmpdir(), 'cell-'));
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #jobs = 0;
  #faults = '';

  constructor() {
    const serve = join(import.meta.dirname, 'cell/serve.sh');
    this.#process = spawn('unshare', [...ALONE, 'bash', serve, this.#exchange, TOOLS], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    });
    this.#process.stderr?.on('data', (text) => {
      this.#faults += text;
    });
    this.#answers = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  }

  /** Copies a script into the cell with its bash options. Returns its name there. */
  bring(script: string, options: string): string {
    this.#jobs += 1;
    const name = `${this.#jobs}`;
    const folder = join(this.#exchange, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'script'), script);
    writeFileSync(join(folder, 'options'), `${options}\n`);
    return name;
  }

  /** Writes the environment of a script: bash that creates the worlds, and the names of commands. */
  equip(job: string, worlds: readonly string[], names: readonly string[]): void {
    const folder = join(this.#exchange, job);
    for (const [index, world] of worlds.entries()) writeFileSync(join(folder, `world-${index}`), world);
    writeFileSync(join(folder, 'names'), names.map((name) => `${name}\n`).join(''));
  }

  /** Runs a copied script in one of its worlds, with failing calls. */
  async run(job: string, world: number, failing: readonly string[] = []): Promise<Ran> {
    this.#process.stdin?.write(`${job} world-${world} ${failing.join(' ')}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the cell ended: ${this.#faults}`);
    const read = (file: string) => readFileSync(join(this.#exchange, file), 'latin1');
    const lines = read('log').split('\n');
    const lookedIn = (some: string[]) => some.flatMap((line) => (line.startsWith('looked ') ? [Number(line.slice(7))] : []));
    const failed = lines.lastIndexOf(`failed ${failing.at(-1)}`);
    return {
      exit: Number(value),
      calls: lines.filter((line) => line.startsWith('call ')).map((line) => line.slice(5)),
      looked: lookedIn(lines),
      lookedThen: failed < 0 ? [] : lookedIn(lines.slice(failed)),
      said: read('said'),
    };
  }

  end(): void {
    this.#process.kill('SIGKILL');
    rmSync(this.#exchange, { recursive: true, force: true });
  }
}
