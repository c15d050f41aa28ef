import { inputError } from '../../core/errors.js';
import { previewIdOf } from '../../core/operation-id.js';
import { type PinnedPlan, SHORT_HASH } from '../../core/plan/plan-lines.js';
import { summarizePlanned } from '../../core/plan/planned-of.js';
import type { Engine } from '../engine.js';
import type { AskedOperation } from '../operation/asked.js';
import { readPreviewPlan } from './ended-preview.js';

/**
 * Returns the plan that an operation is pinned to by the hash of a plan. The lines of the plan come with the request,
 * or from the preview of the request. Without them the operation can be refused, but the error cannot name the
 * difference.
 *
 * @throws inputError `plan-changed` if the preview of the request has another plan, `bad-request` if the request has
 * one
 */
export async function findPinnedPlan(engine: Engine, request: AskedOperation, hash: string): Promise<PinnedPlan> {
  const { id, infra, planned } = request;
  if (planned) {
    if (planned.hash === hash) return planned;
    const why = 'the hash belongs to another plan than the request';
    throw inputError({ code: 'bad-request', what: 'apply the plan', on: id, why, hint: 'omit `planned`, or give its hash' });
  }
  const preview = previewIdOf(request);
  const shown = await readPreviewPlan(engine, preview, request);
  const known = shown && summarizePlanned(shown, request);
  if (known && known.hash !== hash) {
    const why = `the preview ${preview} shows another plan, ${known.hash.slice(0, SHORT_HASH)}`;
    throw inputError({ code: 'plan-changed', what: 'apply the plan', on: infra, why, hint: 'make and review another plan' });
  }
  return known ?? { hash };
}
