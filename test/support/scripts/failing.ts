import { HOST_PATHS } from '../../../core/host/host-paths.js';
import type { Cell, Ran } from './cell.js';
import { type Instrumented, instrument, type Piece } from './instrument.js';
import { missedIn, unknownIn, world } from './worlds.js';

/** What a script did while each of its commands failed in turn. */
export interface Tried {
  /** Commands whose failure the script did not look at, though it ended with 0: the name, and the pieces that led there. */
  ignored: string[];
  runs: number;
  /** Runs in which a command failed. */
  failures: number;
  /** How the script ended while all commands succeeded, in each world: 0, or the exit code and the last words. */
  whole: string[];
}

interface Options {
  /** Calls of shared functions that were tried in another script: each way to call them is tried once. */
  triedBefore?: Set<string>;
  /** Options of bash, unless the script is a program. */
  options?: string;
}

/** Times that a script is given what it missed. */
const MOST_MISSED = 8;

/** Fails each command of a script in turn, in each world that the script may find. */
export async function failEach(cell: Cell, body: string, options: Options = {}): Promise<Tried> {
  const trial = new Trial(cell, body, options);
  for (const at of trial.worlds.keys()) await trial.failAllIn(at);
  return trial.tried;
}

class Trial {
  readonly tried: Tried = { ignored: [], runs: 0, failures: 0, whole: [] };
  readonly worlds: string[];
  readonly #cell: Cell;
  readonly #job: string;
  readonly #script: Instrumented;
  readonly #known: Set<string>;
  readonly #failed = new Set<string>();
  readonly #triedBefore: Set<string>;
  /** Bytes of the shared functions in front of the script. */
  readonly #shared: number;

  constructor(cell: Cell, body: string, { triedBefore = new Set(), options = '-euo pipefail' }: Options) {
    const isProgram = body.startsWith('#!');
    const text = isProgram ? body : `${HOST_PATHS}\nevent() { :; }\nscript() {\n:\n${body}\n}\nscript\n`;
    this.#cell = cell;
    this.#triedBefore = triedBefore;
    this.#shared = isProgram ? 0 : Buffer.byteLength(HOST_PATHS);
    this.#script = instrument(text);
    this.#known = new Set([...this.#script.names, 'bash', 'sh']);
    this.worlds = [world(body, false), world(body, true)];
    this.#job = cell.bring(this.#script.script, isProgram ? (/^#!\S+[ \t]+(\S+)/.exec(body)?.[1] ?? '') : options);
    this.#equip();
  }

  async failAllIn(at: number): Promise<void> {
    const whole = await this.#runWhole(at);
    this.tried.whole.push(whole.exit === 0 ? '0' : `${whole.exit} ${whole.said.slice(-300)}`);
    // Where it fails anyway, nothing can be seen.
    if (whole.exit === 0) await this.#fail(at, whole, whole.calls, []);
  }

  /** Fails each of the calls, besides others that failed before. */
  async #fail(at: number, before: Ran, calls: readonly string[], others: readonly string[]): Promise<void> {
    for (const call of new Set(calls)) {
      // Another world shows other calls; those of before fail there as they did.
      if (this.#failed.has(call) || this.#isTried(call)) continue;
      this.#failed.add(call);
      const ran = await this.#run(at, [...others, call]);
      if (!ran.calls.includes(call)) continue;
      this.tried.failures += 1;
      if (ran.exit !== 0) continue;
      if (!this.#isLookedAt(call, ran, before)) this.tried.ignored.push(this.#pathOf(call));
      // What the script does instead can fail too.
      else if (others.length === 0) {
        const added = ran.calls.filter((one) => !before.calls.includes(one));
        await this.#fail(at, ran, added, [call]);
      }
    }
  }

  /** All commands succeed. What the script misses is given to it, until it ends well or misses nothing that is new. */
  async #runWhole(at: number): Promise<Ran> {
    for (let time = 1; time < MOST_MISSED; time += 1) {
      const ran = await this.#run(at);
      const missed = ran.exit === 0 ? [] : missedIn(ran).filter((line) => !this.worlds[at]?.includes(`${line}\n`));
      if (missed.length === 0) return ran;
      this.worlds[at] += missed.map((line) => `${line}\n`).join('');
      this.#equip();
    }
    return this.#run(at);
  }

  async #run(at: number, failing: readonly string[] = []): Promise<Ran> {
    for (;;) {
      const ran = await this.#cell.run(this.#job, at, failing);
      this.tried.runs += 1;
      const unknown = unknownIn(ran.said).filter((name) => !this.#known.has(name));
      if (unknown.length === 0) return ran;
      for (const name of unknown) this.#known.add(name);
      this.#equip();
    }
  }

  #equip(): void {
    this.#cell.equip(this.#job, this.worlds, [...this.#known]);
  }

  /** Of a call in a shared function it matters which functions led there, and whether their failure is looked at. */
  #isTried(call: string): boolean {
    const path = this.#sitesOf(call);
    if ((path.at(-1)?.start ?? this.#shared) >= this.#shared) return false;
    const way = path.map((site) => {
      const isAsked = this.#script.lookedAt.some((piece) => isIn(site, piece));
      return site.start < this.#shared ? site.start : `${site.text.split(' ')[0]} ${/ make$/.test(site.text)} ${isAsked}`;
    });
    const key = `${way.join(' > ')} ${nameIn(call)}`;
    const isKnown = this.#triedBefore.has(key);
    this.#triedBefore.add(key);
    return isKnown;
  }

  /**
   * Bash went where the script leads it after such a failure. If it also goes there while all commands succeed, because a
   * stand-in does not print what is wanted, the call has to be in what the script looks at, not in a function that it calls.
   */
  #isLookedAt(call: string, ran: Ran, before: Ran): boolean {
    const path = this.#sitesOf(call);
    if (isLookedAtWithin(path.at(-1)?.text ?? '', nameIn(call))) return true;
    const last = path.filter((site) => !this.#script.passing.some((piece) => isIn(site, piece))).at(-1);
    return this.#script.lookedAt.some((piece, number) => {
      if (!ran.lookedThen.includes(number) || !path.some((site) => isIn(site, piece))) return false;
      const isMore = countOf(ran.looked, number) > countOf(before.looked, number);
      return isMore || (last !== undefined && isIn(last, piece) && !/^[{(]/.test(piece.text));
    });
  }

  #sitesOf(call: string): Piece[] {
    const [, ...numbers] = call.slice(0, call.indexOf(':')).split('/');
    return numbers.flatMap((number) => this.#script.sites[Number(number)] ?? []);
  }

  #pathOf(call: string): string {
    const sites = this.#sitesOf(call).map((site) => site.text);
    return [nameIn(call), ...sites.reverse()].join(' < ');
  }
}

/** The name of the command of a call. */
const nameIn = (call: string): string => call.slice(call.indexOf(':') + 1);

/** Whether a program that is written in a call, as in `sh -c '…'`, looks at the failure of a command of its own. */
function isLookedAtWithin(site: string, name: string): boolean {
  const [, inner] = / -c '((?:[^']|'\\'')*)'/.exec(site) ?? [];
  if (inner === undefined) return false;
  return instrument(inner.replaceAll("'\\''", "'")).lookedAt.some(({ text }) => text.startsWith(`${name} `));
}

const isIn = (inner: Piece, outer: Piece): boolean => inner.start >= outer.start && inner.end <= outer.end;

const countOf = (all: readonly number[], one: number): number => all.filter((each) => each === one).length;
