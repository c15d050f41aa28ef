import { setCurrentDetails } from '@temporalio/workflow';
import type { Cell, Progress } from '../../core/operation/operation.js';
import { stepCount } from '../../core/operation/step-count.js';

const MARKS = { pending: '·', running: '▶', done: '✔', unchanged: '=', failed: '✘', skipped: '–', undone: '↶' } as const;

/** The Web UI sets the columns of a table without any space between them. */
const GAP = '\u2003';

/** Servers that the table shows; what is under way and what failed is listed above it in any case. */
const ROWS = 200;

/** Brings the live page of an operation in the Web UI up to date. */
export const refreshDetails = (progress: Progress): void => setCurrentDetails(renderDetails(progress));

/** From so many cells on the page is written at most so often (ms): written with each step it would cost more than the steps. */
const MANY = 500;
const EVERY_MS = 1_000;

const written = new WeakMap<Progress, number>();

/** The same soon, where the page is long and one was written just now. */
export function refreshDetailsSoon(progress: Progress): void {
  const now = Date.now();
  if (progress.cells.length > MANY && now - (written.get(progress) ?? 0) < EVERY_MS) return;
  written.set(progress, now);
  refreshDetails(progress);
}

/** The live page of an operation in the Web UI: what is done on which host now, and how far each host is, as Markdown. */
export function renderDetails(progress: Progress): string {
  const { operation, status, cells, error, waiting, infra, left = [], notes = [] } = progress;
  return [
    `**${operation}** on infra **${infra}**: ${status}, ${stepCount(progress)}`,
    ...(waiting ? ['', `> ${waiting}`] : []),
    ...(error
      ? ['', `**${error.step}** failed on **${error.on}**: ${error.why}`, ...(error.hint ? ['', `Hint: ${error.hint}`] : [])]
      : []),
    ...(notes.length > 0 ? ['', ...notes.map(({ on, text }) => `- **${on}**: ${text}`)] : []),
    ...(left.length > 0 ? ['', `Left: ${left.join(', ')}`] : []),
    ...underWay(cells),
    ...table(cells),
  ].join('\n');
}

/** A line for each thing under way, and for each that failed. */
function underWay(cells: Cell[]): string[] {
  const lines = cells
    .filter(({ state }) => state === 'running' || state === 'failed')
    .sort((a, b) => (a.server < b.server ? -1 : 1))
    .map(({ server, taskserv, state, step = '', total }) => {
      const many = state === 'running' && total && total > 1 ? `${total} steps, beginning with: ` : '';
      return `- ${MARKS[state]} **${server}**${taskserv ? ` ${taskserv}` : ''}: ${many}${step}`;
    });
  return lines.length > 0 ? ['', ...lines] : [];
}

function table(cells: Cell[]): string[] {
  if (cells.length === 0) return [];
  const servers = [...new Set(cells.map(({ server }) => server))].sort();
  const taskservs = [...new Set(cells.flatMap(({ taskserv }) => (taskserv ? [taskserv] : [])))].sort();
  const marks = new Map(cells.map(({ server, taskserv = '', state }) => [`${server}/${taskserv}`, MARKS[state]]));
  const at = (server: string, taskserv = '') => marks.get(`${server}/${taskserv}`) ?? '';
  const row = (...texts: string[]) => `| ${texts.map((text) => `${text}${GAP}`).join(' | ')} |`;
  return [
    '',
    row('server', 'machine', ...taskservs),
    `|${'---|'.repeat(taskservs.length + 2)}`,
    ...servers.slice(0, ROWS).map((server) => row(server, at(server), ...taskservs.map((taskserv) => at(server, taskserv)))),
    ...(servers.length > ROWS ? [row(`… and ${servers.length - ROWS} more`)] : []),
  ];
}
