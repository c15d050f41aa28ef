import type { Cell, Progress } from '../core/operation.js';

const MARKS = { pending: '·', running: '▶', done: '✔', unchanged: '=', failed: '✘', skipped: '–', undone: '↶' } as const;

/** The Web UI sets the columns of a table without any space between them. */
const GAP = '\u2003';

/** The live page of an operation in the Web UI: what is done on which host now, and how far each host is, as Markdown. */
export function renderDetails(progress: Progress): string {
  const { operation, status, steps, cells, error, waiting, infra, left = [] } = progress;
  return [
    `**${operation}** on infra **${infra}**: ${status}, ${steps.executed} of ${steps.planned} steps`,
    ...(waiting ? ['', `> ${waiting}`] : []),
    ...(error
      ? ['', `**${error.step}** failed on **${error.on}**: ${error.why}`, ...(error.hint ? ['', `Hint: ${error.hint}`] : [])]
      : []),
    ...(left.length > 0 ? ['', `Left: ${left.join(', ')}`] : []),
    ...atHand(cells),
    ...table(cells),
  ].join('\n');
}

/** A line for each thing at hand, and for each that failed. */
function atHand(cells: Cell[]): string[] {
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
  const at = (server: string, taskserv?: string) => {
    const cell = cells.find((one) => one.server === server && one.taskserv === taskserv);
    return cell ? MARKS[cell.state] : '';
  };
  const row = (...texts: string[]) => `| ${texts.map((text) => `${text}${GAP}`).join(' | ')} |`;
  return [
    '',
    row('server', 'machine', ...taskservs),
    `|${'---|'.repeat(taskservs.length + 2)}`,
    ...servers.map((server) => row(server, at(server), ...taskservs.map((taskserv) => at(server, taskserv)))),
  ];
}
