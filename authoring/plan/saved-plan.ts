import { createHash } from 'node:crypto';
import { canonical } from '../../core/encoding/hash.js';
import { inputError } from '../../core/errors.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { readIdentity } from '../../home/identity.js';
import type { Context } from '../context.js';
import { PLAN_FORMAT, type SavedPlan, savedPlan } from './plan-file.js';

/** Origin of a plan. */
export interface MadeFrom {
  /** Version of this program. */
  version: string;
  /** File of the definition, if there was one. */
  from?: string;
}

/** Creates a plan that can be carried out later, or by another person, exactly as shown. */
export async function createSavedPlan(
  { home, actor }: Context,
  request: OperationRequest,
  plan: readonly PlannedStep[],
  { version, from }: MadeFrom,
): Promise<SavedPlan> {
  const { kind, intent, definition, onFailure, onTimeout, priority, allowDestroy, approve, update, workspace, infra } = request;
  const setUp = await readIdentity(home);
  const lines = plan.map(planLineOf);
  const options = Object.entries({ definition, onFailure, onTimeout, priority, allowDestroy, approve, update });
  const content: Omit<SavedPlan, 'checksum'> = {
    provisioningPlan: PLAN_FORMAT,
    hash: planHash(lines),
    made: { at: new Date().toISOString(), by: actor, version, ...(from && { from }) },
    ...(setUp && { setUp: setUp.id }),
    ...{ workspace, infra },
    request: { kind, intent, ...Object.fromEntries(options.filter(([, value]) => value !== undefined)) },
    steps: lines.map((line, index) => ({ ...line, ...(plan[index]?.diff && { diff: plan[index].diff }) })),
  };
  return { ...content, checksum: checksumOf(content) };
}

/**
 * Parses a saved plan. Returns undefined if the text is not a plan, for example a definition.
 *
 * @param on the file, for errors
 * @throws inputError `bad-plan` if it was edited or damaged, or comes from a newer version
 */
export function readSavedPlan(text: string, on: string): SavedPlan | undefined {
  const refuse = (why: string, hint = 'make another plan') =>
    inputError({ code: 'bad-plan', what: 'read the saved plan', on, why, hint });
  const found = jsonOf(text);
  if (typeof found !== 'object' || found === null || !('provisioningPlan' in found)) return undefined;
  const { checksum, ...content } = found as Record<string, unknown>;
  const { provisioningPlan: format } = content;
  if (typeof format === 'number' && format > PLAN_FORMAT)
    throw refuse(
      `it is of form ${format}, and this version reads up to ${PLAN_FORMAT}`,
      'use the version that made it, or a newer one',
    );
  if (checksum !== checksumOf(content)) throw refuse('it was changed after it was written: its checksum differs');
  const { data, error } = savedPlan.safeParse(found);
  if (!data) throw refuse(`it was changed after it was written: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  if (data.hash !== planHash(data.steps.map(planLineOf))) throw refuse('its hash does not match its steps');
  return data;
}

/**
 * Checks that a plan belongs to this set-up and to the current workspace.
 *
 * @throws inputError `other-plan`
 */
export async function checkPlace({ home, workspace }: Context, plan: SavedPlan, on: string): Promise<void> {
  const refuse = (why: string, hint: string) => inputError({ code: 'other-plan', what: 'apply the saved plan', on, why, hint });
  if (plan.workspace !== workspace)
    throw refuse(`it is of the workspace "${plan.workspace}", and this is "${workspace}"`, `add --workspace ${plan.workspace}`);
  const here = await readIdentity(home);
  if (plan.setUp !== undefined && here !== undefined && plan.setUp !== here.id)
    throw refuse(
      `it was made by the set-up ${plan.setUp}, and this is ${here.id}`,
      'apply it where it was made: PROVISIONING_HOME',
    );
  const { definition } = plan.request;
  if (definition && (definition.infra !== plan.infra || definition.workspace !== plan.workspace))
    throw refuse(`its definition is of the infra "${definition.infra}"`, 'make another plan');
}

const checksumOf = (content: unknown): string => createHash('sha256').update(canonical(content)).digest('hex');

function jsonOf(text: string): unknown {
  // A plan is JSON. This skips parsing a YAML definition twice.
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
