import type * as z from 'zod';
import { inputError } from '../core/errors.js';
import { clipText } from '../core/text.js';
import type { FileCheck, Sandbox } from './sandbox.js';

/** Asks a module, and refuses an answer of another type. */
export type Asker = <Answer>(shape: z.ZodType<Answer>, question: string, args: unknown[], isAsWanted?: FileCheck) => Answer;

/** Asks the module of a taskserv. */
export function createAsker(name: string, sandbox: Sandbox): Asker {
  return (shape, question, args, isAsWanted) => {
    const { success, data, error } = shape.safeParse(sandbox.ask(question, args, isAsWanted));
    if (success) return data;
    const [issue] = error.issues;
    const why = clipText(`what it answers is not of the type that is asked for: ${issue?.path.join('.')}: ${issue?.message}`, 300);
    const hint = 'check it with tsc, or with the case files of provisioning/sdk/testing';
    throw inputError({ code: 'module-failed', what: `ask a module for "${question}"`, on: `taskserv ${name}`, why, hint });
  };
}
