import { basename } from 'node:path';
import { LIMITS, sizeText } from '../../core/limits.js';
import { clipText } from '../../core/text.js';
import { dataFaults } from '../source/data-faults.js';
import type { Path, Problem } from '../source/problem.js';
import type { Place, Source } from '../source/source.js';
import { versionsIn } from '../source/versions-in.js';
import type { RunResult } from './run-limited.js';

/** Inputs of a definition in a language. */
export interface EvaluationInput {
  /** The environment that it is read for. */
  env?: string;
  /** Folders beside the workspace that programs of the system may read. */
  folders?: readonly string[];
}

/** A file that is evaluated. */
export interface Program {
  /** As it was named. */
  file: string;
  text: string;
  /** The folder of its workspace, which imports do not leave. */
  root: string;
  given: EvaluationInput;
}

/** Makes data of a program. Throws nothing for what it says. */
export type Evaluate = (program: Program) => Promise<Source | Problem[]>;

/** A problem of a program. @param place where, else at its beginning */
export function problemIn(file: string, message: string, place: Partial<Place> = {}, suggestion?: string): Problem {
  const { line = 1, column = 1, file: other = file } = place;
  return { file: other, line, column, path: '', message: clipText(message, 500), ...(suggestion ? { suggestion } : {}) };
}

/** Why evaluating was stopped, with the limit. */
export function tooMuch({ what }: Extract<RunResult, { kind: 'too-much' }>, file: string, seconds: number): Problem {
  const name = basename(file);
  if (what === 'time')
    return problemIn(
      file,
      `its evaluation takes more than ${seconds} s of processor time or ${LIMITS.evaluationSeconds} s`,
      {},
      `check whether something in ${name} never ends`,
    );
  if (what === 'memory')
    return problemIn(
      file,
      `its evaluation takes more than ${sizeText(LIMITS.evaluationMemory)} of memory`,
      {},
      `create less data in ${name}`,
    );
  return problemIn(file, `its result is larger than ${sizeText(LIMITS.fileResolved)}`, {}, `create less data in ${name}`);
}

/** The data that a program made, as a source. @param place where a key or value is written */
export function createSource(file: string, value: unknown, place: (path: Path, at: 'key' | 'value') => Place): Source {
  const faults = dataFaults(value).map(({ path, at, message }) => ({ ...place(path, at), path, message }));
  if (faults.length > 0) return { file, value: undefined, faults, place };
  // A version is a text: a language has no way to say how a number was written.
  for (const { entry } of versionsIn(value)) entry.version = String(entry.version);
  return { file, value, faults: [], place };
}
