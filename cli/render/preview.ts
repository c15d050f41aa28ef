import type { Change } from '../../core/host/step-change.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { listDestroyed } from '../../core/plan/destroyed.js';
import type { PlanChange } from '../../core/plan/plan-changes.js';
import type { DataChange, PlannedStep } from '../../core/plan/planned-step.js';
import { type Colour, type Paint, paintFor, type Screen } from '../program/screen.js';
import { renderGroup } from './live/groups.js';

/** Renders the losses and leftovers of a plan. Empty if there are none. */
export function harmText(plan: readonly PlannedStep[]): string {
  const left = plan.flatMap(({ taskserv, destructive, data }) =>
    destructive && data ? [`leaves the data of ${taskserv} on ${data.leftOn?.join(', ')}`] : [],
  );
  const gone = listDestroyed(plan.filter(({ data }) => !data));
  return [...(gone.length > 0 ? [`destroys ${gone.join(', ')}`] : []), ...new Set(left)].join(', ');
}

/** Renders the notes, one line each. */
export function renderNotes({ notes = [] }: Pick<OperationResult, 'notes'>, screen: Pick<Screen, 'write'>): void {
  for (const { on, text } of notes) screen.write(`${on}: ${text}\n`);
}

/** Renders the definition's commands that ran on hosts without changing anything, one line each. */
function renderRan({ ran = [] }: Pick<OperationResult, 'ran'>, screen: Pick<Screen, 'write'>, paint: Paint): void {
  if (ran.length > 0) screen.write(`${paint('bold', 'ran on hosts to see how they are')}\n`);
  for (const { on, taskserv, entry, command, exit, result } of ran) {
    const end = exit === undefined ? result : `${result}, exit code ${exit}`;
    screen.write(`  ${on}/${taskserv} ${entry}: ${command} ${paint('dim', `(${end})`)}\n`);
  }
}

/** Beginnings of lines by the change that their step makes, with the words for counts. */
const SIGNS: Record<Change, { sign: string; colour: Colour; counted: (count: number) => string }> = {
  add: { sign: '+', colour: 'green', counted: (count) => `${count} to add` },
  change: { sign: '~', colour: 'yellow', counted: (count) => `${count} to change` },
  remove: { sign: '-', colour: 'red', counted: (count) => `${count} to remove` },
  restart: { sign: '↻', colour: 'yellow', counted: (count) => `${count} to restart or reload` },
  interrupt: { sign: '!', colour: 'red', counted: (count) => `${count} ${count === 1 ? 'interrupts' : 'interrupt'} service` },
  check: { sign: '·', colour: 'dim', counted: (count) => `${count} ${count === 1 ? 'check' : 'checks'}` },
};

const MACHINES: Record<NonNullable<PlannedStep['machine']>, Change> = {
  create: 'add',
  adopt: 'add',
  update: 'change',
  replace: 'interrupt',
  delete: 'remove',
  release: 'remove',
};

/** Returns the kind of change for a plan's line, as far as it is known without checking hosts. */
export function changeOf({ change, machine, destructive, step }: PlannedStep): Change {
  if (change) return change;
  if (machine) return MACHINES[machine];
  if (step && 'package' in step) return step.package.state === 'absent' ? 'remove' : 'add';
  if (step && ('absent' in step || ('records' in step && step.records.to === undefined))) return 'remove';
  if (step && 'service' in step && step.service.state === 'stopped') return 'interrupt';
  return destructive ? 'remove' : 'change';
}

/** Summarizes a plan for programs: the number of steps per change, and the names that it touches and destroys. */
export function summaryOf(plan: readonly PlannedStep[]) {
  const changes: Record<Change, number> = { add: 0, change: 0, remove: 0, restart: 0, interrupt: 0, check: 0 };
  for (const line of plan) changes[changeOf(line)]++;
  return { steps: plan.length, ...changes, on: [...new Set(plan.map(({ on }) => on))], destroys: listDestroyed(plan) };
}

/** Renders the exact steps that would run, in order, below the objects that they change. */
export function renderPreview(
  { infra, plan, notes, ran, groups = [] }: Pick<OperationResult, 'infra' | 'plan' | 'notes' | 'ran' | 'groups'>,
  screen: Screen,
): void {
  const paint = paintFor(screen);
  renderNotes({ notes }, screen);
  renderRan({ ran }, screen, paint);
  for (const { taskserv, ...group } of groups) screen.write(renderGroup(taskserv, group, paint));
  if (plan.length === 0) {
    screen.write(`${infra}: nothing to do\n`);
    return;
  }
  let place: string | undefined;
  for (const line of plan) {
    const { on, taskserv } = line;
    const here = taskserv === undefined ? on : `${on}/${taskserv}`;
    if (here !== place) screen.write(`${paint('bold', here)}\n`);
    place = here;
    screen.write(stepText(line, paint));
  }
  const lost = harmText(plan);
  const harm = lost ? paint('red', `; ${lost}`) : '';
  screen.write(`${infra}: ${plan.length === 1 ? '1 step' : `${plan.length} steps`}: ${countsOf(plan)}${harm}\n`);
}

function stepText(line: PlannedStep, paint: Paint): string {
  const head = `  ${stepHead(line, paint)}\n`;
  return line.diff ? `${head}${diffText(line.diff, paint)}` : head;
}

/** Renders a line of a plan without the changes in files. */
export function stepHead(line: PlannedStep, paint: Paint): string {
  const { title, destructive, data, expected, repair, attributes = [] } = line;
  const { sign, colour } = SIGNS[changeOf(line)];
  const notes = [
    data ? paint(destructive ? 'red' : 'yellow', `(${dataText(line, data)})`) : destructive ? paint('red', '(destroys)') : '',
    expected ? paint('dim', '(expected)') : '',
    repair ? paint('dim', '(repair)') : '',
    attributes.length > 0 ? paint('dim', `(${attributes.join(', ')})`) : '',
  ];
  return [paint(destructive ? 'red' : colour, sign), title, ...notes].filter(Boolean).join(' ');
}

/** Describes the effect on the data of a line's service. */
function dataText({ on, taskserv }: Pick<PlannedStep, 'on' | 'taskserv'>, { is, paths, leftOn }: DataChange): string {
  const where = paths.join(', ');
  if (is === 'stays') return `its data stays on ${on}, in ${where}`;
  if (is === 'moves') return `its data comes along from ${leftOn?.join(', ')}, which keeps a copy in ${where}`;
  if (is === 'lost') return `the server is made again: ${taskserv} begins empty, unless a volume still holds ${where}`;
  return `begins with what ${on} has in ${where}, else empty: the data stays on ${leftOn?.join(', ')}`;
}

const LINE_COLOURS: Record<string, Colour> = { '+': 'green', '-': 'red', '@': 'cyan' };

function diffText({ lines, added, removed, more, hidden }: NonNullable<PlannedStep['diff']>, paint: Paint): string {
  const shown = lines.map((line) => {
    const colour = LINE_COLOURS[line[0] ?? ''];
    return `      ${colour ? paint(colour, line) : line}\n`;
  });
  const remarks = [
    ...(lines.length === 0 ? [`${added} lines added, ${removed} removed: too different to be shown line by line`] : []),
    ...(more ? [`… ${more} more lines`] : []),
    ...(hidden && removed > 0 ? ['what is removed may hold secrets'] : []),
  ];
  return [...shown, ...remarks.map((remark) => `      ${paint('dim', remark)}\n`)].join('');
}

function countsOf(plan: readonly PlannedStep[]): string {
  const counts = new Map<Change, number>();
  for (const line of plan) counts.set(changeOf(line), (counts.get(changeOf(line)) ?? 0) + 1);
  const parts = (Object.keys(SIGNS) as Change[]).flatMap((change) => {
    const count = counts.get(change);
    return count ? [SIGNS[change].counted(count)] : [];
  });
  const diffs = plan.flatMap(({ diff }) => diff ?? []);
  const added = diffs.reduce((sum, diff) => sum + diff.added, 0);
  const removed = diffs.reduce((sum, diff) => sum + diff.removed, 0);
  const lines = diffs.length > 0 ? `; ${added} ${added === 1 ? 'line' : 'lines'} added in files, ${removed} removed` : '';
  return `${parts.join(', ')}${lines}`;
}

const HEADS: Record<PlanChange['is'], string> = {
  new: 'planned now, and not in the plan:',
  gone: 'in the plan, and not planned now:',
  different: 'in the plan, and different now:',
};

/** Renders the changes since a plan was made, in the form of a preview. */
export function planChangesText(changes: readonly PlanChange[], paint: Paint): string {
  const lines = (Object.keys(HEADS) as PlanChange['is'][]).flatMap((is) => {
    const own = changes.filter((change) => change.is === is);
    return own.length > 0 ? [`${HEADS[is]}\n`, ...own.map((change, index) => changeText(change, own[index - 1], paint))] : [];
  });
  return lines.join('');
}

function changeText(change: PlanChange, before: PlanChange | undefined, paint: Paint): string {
  const { on, taskserv, why } = change;
  const isElsewhere = before?.on !== on || before.taskserv !== taskserv;
  const place = isElsewhere ? `  ${paint('bold', taskserv === undefined ? on : `${on}/${taskserv}`)}\n` : '';
  return `${place}    ${stepHead(change, paint)}${why ? `: ${why}` : ''}\n`;
}
