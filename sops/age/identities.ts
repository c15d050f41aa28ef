import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Decrypter, identityToRecipient } from 'age-encryption';
import { inputError } from '../../core/errors.js';
import type { Identities } from './data-key.js';

/** Time limit of a command that prints a key, in milliseconds: it may prompt the user. */
const PATIENCE_MS = 60_000;

/** Returns the path of the user's age keys, as `sops` has it. */
export const userAgeKeys = (env: NodeJS.ProcessEnv): string =>
  join(
    env.XDG_CONFIG_HOME ||
      (process.platform === 'darwin' ? join(homedir(), 'Library/Application Support') : join(homedir(), '.config')),
    'sops/age/keys.txt',
  );

/**
 * Finds the user's age keys in all places that `sops` searches, and in the home's own file.
 *
 * @throws inputError `age-key` for a named place without age keys
 */
export async function findIdentities(env: NodeJS.ProcessEnv, own: string): Promise<Identities> {
  const { SOPS_AGE_KEY: text, SOPS_AGE_KEY_FILE: file, SOPS_AGE_KEY_CMD: command } = env;
  const found = [
    text ? keysIn(text.split(/\s+/).join('\n'), 'SOPS_AGE_KEY') : [],
    file ? keysIn(await contentOf(file, 'SOPS_AGE_KEY_FILE'), file) : [],
    command ? keysIn(await outputOf(command, env), 'SOPS_AGE_KEY_CMD') : [],
    ...(await Promise.all([userAgeKeys(env), own].map(async (path) => keysIn((await contentOf(path)) ?? '', path)))),
  ];
  return { keys: [...new Set(found.flat())], looked: ['SOPS_AGE_KEY', 'SOPS_AGE_KEY_FILE', userAgeKeys(env), own] };
}

/** Returns the recipients of keys. */
export const deriveRecipients = (keys: readonly string[]): Promise<string[]> =>
  Promise.all(keys.map((key) => identityToRecipient(key)));

/** Returns the keys of a text, one per line. Unsupported kinds of keys are ignored. */
function keysIn(text: string | undefined, place: string): string[] {
  return (text ?? '').split(/\r?\n/).flatMap((line, index) => {
    const word = line.trim();
    if (word === '' || word.startsWith('#') || /^AGE-PLUGIN-/.test(word)) return [];
    try {
      new Decrypter().addIdentity(word);
      return [word];
    } catch {
      const why = `line ${index + 1} is not an age key`;
      throw inputError({
        code: 'age-key',
        what: 'read the age keys',
        on: place,
        why,
        hint: 'write one AGE-SECRET-KEY-1… per line',
      });
    }
  });
}

/** @param named variable that names the file, which must then exist */
async function contentOf(path: string, named?: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (named === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    const why = code === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${code})`;
    throw inputError({
      code: 'age-key',
      what: 'read the age keys',
      on: path,
      why,
      ...(named ? { hint: `${named} sets this path` } : {}),
    });
  }
}

async function outputOf(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [program = '', ...args] = wordsOf(command);
  try {
    const { stdout } = await promisify(execFile)(program, args, { env, timeout: PATIENCE_MS, encoding: 'utf8' });
    return stdout;
  } catch (error) {
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    const why = killed ? `the script did not end within ${PATIENCE_MS / 1000} s` : `it ended with ${code ?? 'a signal'}`;
    throw inputError({ code: 'age-key', what: 'read the age keys', on: 'SOPS_AGE_KEY_CMD', why });
  }
}

/** Splits a command into words; words with blanks are quoted. No shell is involved. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
