import { describeFailedStep } from '../../core/errors.js';
import type { Question } from '../../core/operation/control.js';
import type { OperationResult, Progress, ServiceState } from '../../core/operation/operation.js';
import { stepCount } from '../../core/operation/step-count.js';
import type { UndoOutcome } from '../../core/operation/to-undo.js';
import { SHORT_HASH } from '../../core/plan/plan-lines.js';
import { columns, cut, type Paint, paintFor, type Screen } from '../program/screen.js';
import { planChangesText, renderNotes, renderPreview } from './preview.js';
import { REASON_COLUMNS } from './status.js';

interface Around {
  /** Address of the operation in the Web UI. */
  ui?: string;
  elapsedMs?: number;
}

/** Renders the result of an operation: its services, its errors, its remains, and where to look. */
export function renderResult(result: OperationResult, screen: Screen, { ui, elapsedMs }: Around = {}): void {
  const paint = paintFor(screen);
  const { status, steps, error, left = [], planChanges = [], operation, infra, supersededBy } = result;
  if (result.services.length > 0 && status !== 'rolled-back')
    screen.write(`${servicesTable(result.services, paint).join('\n')}\n\n`);
  const time = elapsedMs === undefined ? '' : ` in ${seconds(elapsedMs)}`;
  const idle = supersededBy ? 'nothing was done' : steps.planned === 0 && status === 'done' ? 'nothing to do' : undefined;
  const work = idle ?? stepCount(result);
  screen.write(`${paint(status === 'done' ? 'green' : 'red', status)}: ${infra}: ${work}${time}\n`);
  if (supersededBy) {
    const { operation: by, submitted } = supersededBy;
    screen.write(`${infra} has received a definition that was submitted later, by ${by} (${submitted})\n`);
    screen.write(`apply this one all the same: provisioning workflow retry ${operation}\n`);
  }
  renderNotes(result, screen);
  renderControl(result, screen);
  if (error) {
    screen.write(`${paint('red', 'error:')} ${describeFailedStep(error)}\n`);
    if (error.hint) screen.write(`${paint('dim', 'hint:')} ${error.hint}\n`);
  }
  if (planChanges.length > 0) screen.write(planChangesText(planChanges, paint));
  screen.write(outcomesText(result));
  if (left.length > 0) screen.write(`left behind:\n${left.map((name) => `  ${name}\n`).join('')}`);
  if (status === 'failed' && steps.executed > 0) screen.write(`what the hosts printed: provisioning logs ${operation}\n`);
  if ((status === 'failed' || status === 'canceled') && result.compensations?.length) {
    screen.write(`try again: provisioning workflow retry ${operation}\n`);
    screen.write(`roll back: provisioning workflow rollback ${operation}\n`);
  }
  if (ui) screen.write(`${paint('dim', 'Web UI:')} ${ui}\n`);
}

/** Maximum number of names in a line; `--json` has all. */
const MOST_NAMES = 12;

const TITLES: readonly (readonly [UndoOutcome['outcome'], string])[] = [
  ['undone', 'undone'],
  ['nothing-to-undo', 'nothing to undo'],
  ['stays', 'stays, as a repair'],
];

/**
 * Renders the outcomes of a roll-back, one line per outcome. Steps that could not be undone are not included: they are
 * listed as left behind, with the reason.
 */
export function outcomesText({ outcomes = [], of }: Pick<OperationResult, 'outcomes' | 'of'>): string {
  // A roll-back by name has already reported what stays.
  const told = of === undefined ? TITLES : TITLES.filter(([outcome]) => outcome !== 'stays');
  return told
    .map(([outcome, title]) => {
      const names = outcomes.filter((one) => one.outcome === outcome).map(({ on }) => on);
      const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
      return names.length > 0 ? `${title}: ${names.slice(0, MOST_NAMES).join(', ')}${more}\n` : '';
    })
    .join('');
}

/** Renders the control actions of people and the work that was skipped for them. */
export function renderControl({ control, skipped = [] }: Pick<OperationResult, 'control' | 'skipped'>, screen: Screen): void {
  const lines = control.map(({ at, actor, did, on, why }) => [`  ${at.replace(/\.\d+Z$/, 'Z')}`, actor, did, on ?? '', why ?? '']);
  if (lines.length > 0) screen.write(`control:\n${columns(lines).join('\n')}\n`);
  if (skipped.length > 0) screen.write(`left out:\n${skipped.map(({ on, why }) => `  ${on}: ${why}\n`).join('')}`);
}

const ANSWERS: Readonly<Record<Question, readonly string[]>> = {
  approval: ['approve', 'approve --reject'],
  decision: ['retry', 'skip', 'rollback', 'keep'],
  undo: ['retry', 'skip', 'keep'],
  cancel: ['resume', 'rollback', 'keep'],
};

/** Renders the question of a waiting operation, and how to answer it. */
export function renderWaiting(progress: Progress, screen: Screen, { ui }: Around = {}): void {
  const paint = paintFor(screen);
  const { operation, error, waiting, infra } = progress;
  if (error) screen.write(`${paint('red', 'error:')} ${describeFailedStep(error)}\n`);
  screen.write(`${paint('yellow', 'waiting')}: ${infra}: ${waiting ?? 'for a decision'}\n`);
  renderControl(progress, screen);
  if (progress.question === 'approval') renderPreview(progress, screen);
  const question = progress.question ?? 'decision';
  const answers = ANSWERS[question];
  if (question === 'decision') screen.write(undoesText(progress));
  const lines = answers.map((answer) => {
    const [verb, option] = answer.split(' ');
    const seen = answer === 'approve' && progress.planHash ? ` --plan ${progress.planHash.slice(0, SHORT_HASH)}` : '';
    return `  provisioning workflow ${verb} ${operation}${option ? ` ${option}` : ''}${seen}\n`;
  });
  screen.write(`answer with one of\n${lines.join('')}`);
  if (ui) screen.write(`${paint('dim', 'Web UI:')} ${ui}\n`);
}

/** Lists what a roll-back would undo. */
function undoesText({ undoes }: Progress): string {
  if (!undoes) return '';
  if (undoes.length === 0) return 'rolling back undoes nothing: nothing was changed yet\n';
  const more = undoes.length > MOST_UNDOES ? `  and ${undoes.length - MOST_UNDOES} more\n` : '';
  const lines = undoes.slice(0, MOST_UNDOES).map((name) => `  ${name}\n`);
  return `rolling back undoes:\n${lines.join('')}${more}`;
}

/** Maximum number of lines, so that the answers stay on the screen. */
const MOST_UNDOES = 12;

/** Renders services with version and health in columns. */
export function servicesTable(services: readonly ServiceState[], paint: Paint): string[] {
  const head = ['SERVER', 'TASKSERV', 'VERSION', 'HEALTH'].map((title) => paint('dim', title));
  const rows = services.map(({ server, taskserv, version, healthy, why }) => [
    server,
    taskserv,
    version,
    // The error below the table shows all of it.
    healthy ? paint('green', 'healthy') : paint('red', cut(`unhealthy${why ? `: ${why}` : ''}`, REASON_COLUMNS)),
  ]);
  return columns([head, ...rows]);
}

/** Formats a duration: `0.4 s`, `12 s`, `2 min 5 s`. */
export function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
