import { commands } from '../commands.js';
import type { Session } from '../program/session.js';
import { createSession } from '../session.js';
import { type Candidate, completeValues } from './values.js';
import { findWanted, type WordCandidates } from './wanted.js';

/** How long names are waited for, in milliseconds: who presses a key waits no longer. */
const PATIENCE_MS = 800;
/** Candidates that are printed: more than a person looks through. */
const MOST = 1_000;

/**
 * Of names only those are printed that mean nothing to a shell and are no options, whatever somebody wrote into
 * the engine: what a shell puts on the command line is run there at the next Enter.
 */
const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const HARMLESS_PREFIX = /^(--[a-z-]+=)?([A-Za-z0-9._/-]+,)*$/;

/**
 * What `__complete` prints: `words` or `files` on the first line, then a word on each, with what it is behind
 * a tab. Never throws: without an engine, or where one does not answer in time, it is what is known anyway.
 *
 * @param typed the words behind the program, the one that is being typed at the end
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

/** Of the word that is being typed: bash gives a lone `=` for an empty one behind it. */
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
