import type { OperationResult, PlannedStep } from '../../core/operation/operation.js';
import { paintFor, type Screen } from '../program/screen.js';

/** What a plan would destroy, each once. */
export const destroyed = (plan: readonly PlannedStep[]): string[] => [
  ...new Set(plan.filter(({ destructive }) => destructive).map(({ on }) => on)),
];

/** What one should know, a line each. */
export function renderNotes({ notes = [] }: Pick<OperationResult, 'notes'>, screen: Pick<Screen, 'write'>): void {
  for (const { on, text } of notes) screen.write(`${on}: ${text}\n`);
}

/** The very steps that would run, in their order, under what they are done to. */
export function renderPreview({ infra, plan, notes }: Pick<OperationResult, 'infra' | 'plan' | 'notes'>, screen: Screen): void {
  const paint = paintFor(screen);
  renderNotes({ notes }, screen);
  if (plan.length === 0) {
    screen.write(`${infra}: nothing to do\n`);
    return;
  }
  let place: string | undefined;
  for (const { on, taskserv, title, destructive, expected } of plan) {
    const here = taskserv === undefined ? on : `${on}/${taskserv}`;
    if (here !== place) screen.write(`${paint('bold', here)}\n`);
    place = here;
    const mark = destructive ? paint('red', '!') : paint('green', '+');
    const notes = [destructive ? paint('red', '(destroys)') : '', expected ? paint('dim', '(expected)') : ''];
    screen.write(`  ${[mark, title, ...notes].filter(Boolean).join(' ')}\n`);
  }
  const names = destroyed(plan);
  const harm = names.length > 0 ? paint('red', `; destroys ${names.join(', ')}`) : '';
  screen.write(`${infra}: ${plan.length === 1 ? '1 step' : `${plan.length} steps`}${harm}\n`);
}
