import type { Progress } from '../core/operation.js';

const MARKS = { pending: '·', running: '▶', done: '✔', unchanged: '=', failed: '✘', skipped: '–', undone: '↶' } as const;

/** The live page of an operation in the Web UI: what is done on which host, as Markdown. */
export function renderDetails({ operation, status, steps, cells, error, waiting, infra, left }: Progress): string {
  const servers = [...new Set(cells.map(({ server }) => server))].sort();
  const taskservs = [...new Set(cells.flatMap(({ taskserv }) => (taskserv ? [taskserv] : [])))].sort();
  const at = (server: string, taskserv?: string) => {
    const cell = cells.find((one) => one.server === server && one.taskserv === taskserv);
    if (!cell) return '';
    return cell.state === 'running' || cell.state === 'failed' ? `${MARKS[cell.state]} ${cell.step ?? ''}` : MARKS[cell.state];
  };
  return [
    `**${operation}** on infra **${infra}**: ${status}, ${steps.executed} of ${steps.planned} steps`,
    ...(waiting ? ['', `> ${waiting}`] : []),
    ...(error
      ? ['', `**${error.step}** failed on **${error.on}**: ${error.why}`, ...(error.hint ? [`Hint: ${error.hint}`] : [])]
      : []),
    ...(left && left.length > 0 ? ['', `Left: ${left.join(', ')}`] : []),
    '',
    `| server | machine | ${taskservs.join(' | ')} |`,
    `|---|---|${taskservs.map(() => '---').join('|')}|`,
    ...servers.map((server) => `| ${server} | ${at(server)} | ${taskservs.map((taskserv) => at(server, taskserv)).join(' | ')} |`),
  ].join('\n');
}
