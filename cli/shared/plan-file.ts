import { access, constants } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { SavedPlan } from '../../authoring/plan/plan-file.js';
import { inputError } from '../../core/errors.js';
import { LIMITS } from '../../core/limits.js';
import type { OperationRequest, OperationResult } from '../../core/operation/operation.js';
import { SHORT_HASH } from '../../core/plan/plan-lines.js';
import { formats } from '../../definition/source/formats.js';
import { readText, reasonOf } from '../../definition/source/read-text.js';
import { replaceFile } from '../../home/durable.js';
import { packageVersion } from '../program/package.js';
import type { Session } from '../program/session.js';

/** Path and identity of a saved plan. */
export interface SavedAs {
  planFile: string;
  planHash: string;
}

/** Loaded only for plans: an apply of a definition must not wait for it. */
const savedPlans = () => import('../../authoring/plan/saved-plan.js');

const mayBePlan = (text: string): boolean => text.trimStart().startsWith('{') && text.includes('"provisioningPlan"');

/**
 * Returns the plan in a file. Returns undefined for other content unless the file is named `.plan`: the reader of
 * definitions checks it.
 *
 * @throws inputError `bad-plan`
 */
export async function planIn(file: string): Promise<SavedPlan | undefined> {
  const text = await readText(file, LIMITS.plan);
  const plan = typeof text === 'string' && mayBePlan(text) ? (await savedPlans()).readSavedPlan(text, file) : undefined;
  if (plan || typeof text !== 'string' || extname(file).toLowerCase() !== '.plan') return plan;
  const why = `the file is neither a saved plan nor a definition (${Object.keys(formats).join(', ')})`;
  throw inputError({
    code: 'bad-plan',
    what: 'read the saved plan',
    on: file,
    why,
    hint: 'provisioning apply FILE.yaml --plan-out FILE',
  });
}

/**
 * Checks that a plan can be saved there, before hosts are queried.
 *
 * @throws inputError `bad-plan-file`, `bad-arguments`
 */
export async function checkPlanOut(file: string, yes: boolean | undefined): Promise<void> {
  if (yes) {
    const why = '--plan-out only previews, and --yes only affects changes';
    throw inputError({ code: 'bad-arguments', what: 'read the command line', on: '--yes', why });
  }
  const refuse = (why: string, hint?: string) => inputError({ code: 'bad-plan-file', what: 'save the plan', on: file, why, hint });
  await access(dirname(resolve(file)), constants.W_OK).catch((error: unknown) => {
    throw refuse(`its folder: ${reasonOf(error).message}`);
  });
  const text = await readText(file, LIMITS.plan);
  if (typeof text !== 'string') {
    if (text.code === 'ENOENT') return;
    throw refuse(text.message);
  }
  if (text !== '' && !mayBePlan(text))
    throw refuse('a file exists there that is not a saved plan', 'choose another file name, or remove that file');
}

/** Writes the shown plan with mode 0600. */
export async function savePlan(
  session: Session,
  file: string,
  request: OperationRequest,
  { plan }: OperationResult,
  from?: string,
): Promise<SavedAs> {
  const { createSavedPlan } = await savedPlans();
  const saved = await createSavedPlan(session, request, plan, { version: packageVersion(), ...(from && { from: resolve(from) }) });
  await replaceFile(resolve(file), `${JSON.stringify(saved, null, 2)}\n`);
  return { planFile: file, planHash: saved.hash };
}

export const describeSavedPlan = ({ planFile, planHash }: SavedAs): string =>
  `Saved the plan to ${planFile} (hash ${planHash.slice(0, SHORT_HASH)}). Apply it: provisioning apply ${planFile}\n`;
