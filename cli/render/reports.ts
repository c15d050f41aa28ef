import type { ProgressReport } from '../../core/report.js';
import { columns, paintFor, type Screen } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { LiveBlock, spinner } from './live-block.js';

/** View of set-up work with several parallel tasks. */
export interface Reports {
  report(progress: ProgressReport): void;
  end(): void;
}

/**
 * Returns a view: a redrawn line for each task on a terminal, lines on a pipe. With `--json` it is empty, or has lines
 * on standard error with `--verbose`.
 */
export function reportsFor(session: Session): Reports {
  if (session.json) return session.verbose ? plainReports(session.err) : { report: () => {}, end: () => {} };
  return session.out.live ? liveReports(session.out) : plainReports(session.out);
}

/** On a pipe, work with a known size prints a line for each twentieth, whatever it reports in between. */
const TWENTIETHS = 20;

function plainReports(screen: Pick<Screen, 'write'>): Reports {
  const shown = new Map<string, string>();
  return {
    report({ task, text, fraction, state }) {
      const said = fraction === undefined ? text.replace(/[0-9.,]+/g, '#') : Math.floor(fraction * TWENTIETHS);
      const key = `${state}|${said}`;
      if (shown.get(task) === key) return;
      shown.set(task, key);
      const share = fraction === undefined ? '' : ` (${percent(fraction)})`;
      screen.write(`${task}: ${text}${share}${state === 'failed' || state === 'skipped' ? `: ${state}` : ''}\n`);
    },
    end: () => {},
  };
}

function liveReports(screen: Screen): Reports {
  const paint = paintFor(screen);
  const tasks = new Map<string, ProgressReport>();
  const marks = { done: paint('green', '✓'), failed: paint('red', '✗'), skipped: paint('yellow', '–') };
  const block = new LiveBlock(screen, (tick) =>
    columns(
      [...tasks.values()].map(({ task, text, fraction, state }) => [
        state === 'running' ? paint('cyan', spinner(tick)) : marks[state],
        task,
        fraction === undefined || state !== 'running' ? '' : percent(fraction),
        text,
      ]),
    ),
  );
  return {
    report(progress) {
      tasks.set(progress.task, progress);
      block.start();
    },
    end: () => block.end(),
  };
}

const percent = (fraction: number): string => `${Math.floor(fraction * 100)} %`;
