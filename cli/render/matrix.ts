import { type Cell, describeAgain } from '../../core/operation/operation.js';
import { columns, measureWidth, type Paint } from '../program/screen.js';
import { spinner } from './live-block.js';
import { cellName } from './plain-view.js';

interface Look {
  paint: Paint;
  /** Width of the terminal in columns. */
  width: number;
  /** Frame of the spinner. */
  tick: number;
}

/** Renders servers × taskservs. If the table is too wide, renders a line for each server. */
export function matrix(cells: readonly Cell[], look: Look): string[] {
  if (cells.length === 0) return [];
  const servers = [...new Set(cells.map(({ server }) => server))];
  const names = [...new Set(cells.flatMap(({ taskserv }) => taskserv ?? []))];
  const cellOf = (server: string, taskserv?: string) => cells.find((cell) => cell.server === server && cell.taskserv === taskserv);
  const head = ['', 'server', ...names].map((name) => look.paint('dim', name));
  const rows = servers.map((server) => [
    server,
    mark(cellOf(server), look),
    ...names.map((name) => {
      const cell = cellOf(server, name);
      return cell ? mark(cell, look) : '';
    }),
  ]);
  const wide = columns([head, ...rows]);
  if (wide.every((line) => measureWidth(line) < look.width)) return wide;
  return columns(
    servers.map((server) => {
      const own = cells.filter((cell) => cell.server === server);
      return [server, own.map((cell) => `${mark(cell, look)} ${cell.taskserv ?? 'server'}`).join('  ')];
    }),
  );
}

/** Renders running and failed work, one line each. */
export function renderRunning(cells: readonly Cell[], paint: Paint): string[] {
  return cells.flatMap((cell) => {
    if (cell.step === undefined) return [];
    if (cell.state === 'failed') return [`${paint('red', cellName(cell))}: ${cell.step}`];
    if (cell.state !== 'running') return [];
    const again = cell.again ? [`  ${paint('yellow', describeAgain(cell.again))}`] : [];
    return [`${paint('cyan', cellName(cell))}: ${cell.step}`, ...again];
  });
}

function mark(cell: Cell | undefined, { paint, tick }: Look): string {
  switch (cell?.state) {
    case undefined:
      return '';
    case 'pending':
      return paint('dim', '·');
    case 'running':
      return paint('cyan', `${spinner(tick)}${cell.total ? ` ${cell.done ?? 0}/${cell.total}` : ''}`);
    case 'done':
      return paint('green', '✓');
    case 'unchanged':
      return paint('green', '=');
    case 'failed':
      return paint('red', '✗');
    case 'skipped':
      return paint('yellow', '–');
    case 'undone':
      return paint('yellow', '↶');
  }
}
