import { inputError } from '../../../core/errors.js';
import type { Session } from '../../program/session.js';

/**
 * Returns a value that is typed without echo, or read from standard input without its final line break.
 *
 * @param verb what is done to the secret
 * @throws an input error `no-value`
 */
export async function promptSecret(session: Session, name: string, verb: 'set' | 'rotate'): Promise<string> {
  const typed = session.stdin.isTTY ? await session.hidden(`Value of ${name}`) : await readAll(session.stdin);
  if (typed) return typed;
  throw inputError({
    code: 'no-value',
    what: `${verb} the secret`,
    on: name,
    why: 'no value was given',
    hint: 'type it, or pipe it in',
  });
}

/** Reads a whole stream as text, without its final line break. */
export async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
