import { randomUUID } from 'node:crypto';
import { answerIn, markScript } from '../../core/host/shell.js';

/** Script whose answer is read, with a function that finds the answer in the output of ssh. */
export interface AskedScript {
  script: string;
  /** Returns the output of the script, or undefined if it did not start. Output of the login shell is left out. */
  answer(printed: string): string | undefined;
}

/** Wraps a script for bash or dash whose answer is read. A host's login may print a greeting before the answer. */
export function parseAskedScript(script: string): AskedScript {
  const mark = `@${randomUUID()}@`;
  return { script: markScript(script, mark), answer: (printed) => answerIn(printed, mark) };
}
