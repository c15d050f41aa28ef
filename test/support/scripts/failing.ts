import { HOST_PATHS } from '../../../core/host/host-paths.js';
import type { Cell, Ran } from './cell.js';
import { type Instrumented, instrument, type Piece } from './instrument.js';
import { missedIn, unknownIn, world } from './worlds.js';

/** Behavior of a script while its commands fail in turn. */
export interface Tried {
  /**
   * Commands whose failure the script did not check although it ended with 0: the name, and the sites that lead to it.
   */
  ignored: string[];
  runs: number;
  /** Number of runs in which a command failed. */
  failures: number;
  /** Result of the script with all commands succeeding, in each world: 0, or the exit code and the last words. */
  whole: string[];
}

interface Options {
  /** Calls of shared functions that were tried in another script. Each way to call them is tried once. */
  triedBefore?: Set<string>;
  /** Options of bash, unless the script is a program. */
  options?: string;
}

/** Functions in front of every script that is no program. */
const SHARED = `${HOST_PATHS}\nevent() { :; }\n`;

/** Maximum number of times that missing files are created for a script. */
const MOST_MISSED = 8;

/** Makes each command of a script fail in turn, in each world of the script. */
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
    const text = isProgram ? body : `${SHARED}script() {\n:\n${body}\n}\nscript\n`;
    this.#cell = cell;
    this.#triedBefore = triedBefore;
    this.#shared = isProgram ? 0 : Buffer.byteLength(HOST_PATHS);
    this.#script = instrument(text, isProgram ? '' : SHARED);
    this.#known = new Set([...this.#script.names, 'bash', 'sh']);
    this.worlds = [world(body, false), world(body, true)];
    this.#job = cell.bring(this.#script.script, isProgram ? (/^#!\S+[ \t]+(\S+)/.exec(body)?.[1] ?? '') : options);
    this.#equip();
  }

  async failAllIn(at: number): Promise<void> {
    const whole = await this.#runWhole(at);
    this.tried.whole.push(whole.exit === 0 ? '0' : `${whole.exit} ${whole.said.slice(-300)}`);
    // A script that fails anyway shows nothing.
    if (whole.exit === 0) await this.#fail(at, whole, whole.calls, []);
  }

  /** Makes each of the calls fail, in addition to earlier failures. */
  async #fail(at: number, before: Ran, calls: readonly string[], others: readonly string[]): Promise<void> {
    for (const call of new Set(calls)) {
      // Another world has other calls. Calls that were tried before fail in the same way.
      if (this.#failed.has(call) || this.#isTried(call)) continue;
      this.#failed.add(call);
      const ran = await this.#run(at, [...others, call]);
      if (!ran.calls.includes(call)) continue;
      this.tried.failures += 1;
      if (ran.exit !== 0) continue;
      if (!this.#isLookedAt(call, ran, before)) this.tried.ignored.push(this.#pathOf(call));
      // Fallback commands of the script can fail too.
      else if (others.length === 0) {
        const added = ran.calls.filter((one) => !before.calls.includes(one));
        await this.#fail(at, ran, added, [call]);
      }
    }
  }

  /**
   * Runs the script with all commands succeeding. Missing files are created until the script succeeds or misses
   * nothing new.
   */
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

  /**
   * Returns whether a call was tried before. For calls in a shared function, the calling functions and their handling
   * of failures matter.
   */
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
   * Returns whether bash took the script's path for such a failure. If bash also takes that path without failures,
   * because a stand-in lacks the wanted output, the call must be in the checked command itself. A call in a function
   * of that command does not count.
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

/** Returns the name of a call's command. */
const nameIn = (call: string): string => call.slice(call.indexOf(':') + 1);

/** Returns whether an inline script of a call, as in `sh -c '…'`, handles a failure of its own command. */
function isLookedAtWithin(site: string, name: string): boolean {
  const [, inner] = /\b(?:ba)?sh -c '((?:[^']|'\\'')*)'/.exec(site) ?? [];
  if (inner === undefined) return false;
  return instrument(inner.replaceAll("'\\''", "'")).lookedAt.some(({ text }) => text.startsWith(`${name} `));
}

const isIn = (inner: Piece, outer: Piece): boolean => inner.start >= outer.start && inner.end <= outer.end;

const countOf = (all: readonly number[], one: number): number => all.filter((each) => each === one).length;
