import { commands } from '../commands.js';
import type { Session } from '../program/session.js';
import { createSession } from '../session.js';
import { type Candidate, completeValues } from './values.js';
import { findWanted, type WordCandidates } from './wanted.js';

/** Time limit for querying names, in milliseconds. Completion must feel immediate. */
const PATIENCE_MS = 800;
/** Maximum number of candidates. */
const MOST = 1_000;

/**
 * Names that are safe to print: no shell metacharacters and no options, whatever names the engine has. A shell
 * executes completed text at the next Enter.
 */
const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const HARMLESS_PREFIX = /^(--[a-z-]+=)?([A-Za-z0-9._/-]+,)*$/;

/**
 * Returns the output of `__complete`: `words` or `files` on the first line, then one candidate per line, with its
 * description after a tab. Never throws: without an engine, or after a time-out, only static candidates are listed.
 *
 * @param typed the words after the program, ending with the current one
 */
export async function complete(
  typed: readonly string[],
  open: (flags: { workspace?: string }) => Session = (flags) => createSession(flags),
): Promise<string> {
  try {
    const wanted = await findWanted(typed, commands);
    if (!HARMLESS_PREFIX.test(wanted.prefix)) return 'words\n';
    const names = (await inTime(asked(wanted, open))).filter(({ value }) => HARMLESS.test(value));
    const found = [...wanted.candidates, ...names];
    const begun = beginningOf(typed);
    const lines = found
      .map(({ value, about }) => ({ value: `${wanted.prefix}${value}`, about }))
      .filter(({ value }) => value.startsWith(begun))
      .slice(0, MOST)
      .map(({ value, about }) => (about === undefined ? `${value}\n` : `${value}\t${about.replace(/\s+/g, ' ')}\n`));
    return `${wanted.kind === 'file' ? 'files' : 'words'}\n${lines.join('')}`;
  } catch {
    return 'words\n';
  }
}

/** Returns the current word: bash passes a single `=` for an empty word after it. */
const beginningOf = (typed: readonly string[]): string => (typed.at(-1) === '=' ? '' : (typed.at(-1) ?? ''));

async function asked(wanted: WordCandidates, open: (flags: { workspace?: string }) => Session): Promise<Candidate[]> {
  const { kind, workspace, infra } = wanted;
  if (kind === undefined || kind === 'file' || kind === 'nothing') return [];
  return completeValues(kind, open(workspace === undefined ? {} : { workspace }), infra);
}

async function inTime(values: Promise<Candidate[]>): Promise<Candidate[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Candidate[]>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, []);
  });
  return Promise.race([values.catch(() => []), late]).finally(() => clearTimeout(timer));
}
