import { inputError } from '../../../core/errors.js';
import type { Session } from '../../program/session.js';

const SHORTEST = 12;

/**
 * Returns a passphrase that is typed without echo or read from standard input. It is never an argument.
 *
 * @param how `new` asks twice and rejects a short one
 * @param of the file's name in the question
 */
export async function promptPassphrase(
  session: Session,
  how: 'new' | 'known',
  of: 'recovery copy' | 'invitation' | 'exported workspace',
): Promise<string> {
  const { isTTY } = session.stdin;
  const typed = isTTY ? await session.hidden(`Passphrase of the ${of}`) : await readAll(session.stdin);
  if (typed === '') throw bad('no passphrase was given', 'type it, or pipe it in');
  if (how === 'known') return typed;
  if (typed.length < SHORTEST)
    throw bad(`it has fewer than ${SHORTEST} characters`, 'four or five random words, or twelve random characters');
  if (isTTY && (await session.hidden('The same passphrase again')) !== typed) throw bad('the two passphrases differ');
  return typed;
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

const bad = (why: string, hint?: string) => inputError({ code: 'passphrase', what: 'read the passphrase', why, hint });
