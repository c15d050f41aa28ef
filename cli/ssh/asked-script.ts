import { randomUUID } from 'node:crypto';
import { answerIn, markScript } from '../../core/host/shell.js';

/** A script whose answer is read, and how to find that in what ssh printed. */
export interface AskedScript {
  script: string;
  /** What it printed; undefined if it was not begun. Nothing that the shell of the login printed belongs to it. */
  answer(printed: string): string | undefined;
}

/** A script for bash or dash that is asked something: the login of a host may greet before its answer. */
export function parseAskedScript(script: string): AskedScript {
  const mark = `@${randomUUID()}@`;
  return { script: markScript(script, mark), answer: (printed) => answerIn(printed, mark) };
}
