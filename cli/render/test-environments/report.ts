import type { Definition } from '../../../core/definition/definition.js';
import type { TestResult } from '../../../core/environment/test-result.js';
import { escapeHidden } from '../../../core/text.js';
import { type Colour, columns, type Paint, paintFor, type Screen } from '../../program/screen.js';
import { isBad, type TestReport } from './test-result.js';

/** Maximum lines of a failed script's output; `--json` and `--junit` have more. */
const MOST_LINES = 20;

/** Renders the planned hosts and their taskservs. */
export function environmentText({ infra, servers }: Definition, ttl: string, paint: Paint): string {
  const rows = servers.map(({ name, plan, image, taskservs }) => [
    `  ${name}`,
    plan.name,
    image,
    taskservs.map((one) => `${one.name} ${one.version}`).join(', '),
  ]);
  return `${paint('bold', `test environment ${infra}`)}: ${servers.length === 1 ? 'a host' : `${servers.length} hosts`} of this machine in a network of its own, for at most ${ttl}\n${columns(rows).join('\n')}\n`;
}

const COLOURS: Readonly<Record<TestResult['status'], Colour>> = { passed: 'green', failed: 'red', error: 'red', skipped: 'yellow' };

/** Renders one line per test. Failed tests are followed by their reason and output. */
export function testsText(tests: readonly TestResult[], paint: Paint): string {
  const rows = tests.map(({ status, server, name, seconds }) => [
    paint(COLOURS[status], status),
    server,
    name,
    `${seconds.toFixed(1)} s`,
  ]);
  const reasons = tests.filter(isBad).map(({ server, name, why = '', output = '' }) => {
    const lines = escapeHidden(output).trimEnd().split('\n');
    const shown = output === '' ? [] : lines.slice(-MOST_LINES).map((line) => `    ${line}`);
    const cut = lines.length > MOST_LINES ? [paint('dim', `    … ${lines.length - MOST_LINES} lines before`)] : [];
    return [`${paint('red', 'failed')}: ${server}: ${name}: ${why}`, ...cut, ...shown, ''].join('\n');
  });
  return `${columns(rows).join('\n')}\n${reasons.join('')}`;
}

/** Renders the overall result and the remains. */
export function renderReport(report: TestReport, screen: Screen): void {
  const paint = paintFor(screen);
  const { environment, status, tests, seconds, removed, expires, junit } = report;
  if (tests.length > 0) screen.write(`\n${testsText(tests, paint)}\n`);
  const bad = tests.filter(isBad).length;
  const said = tests.length === 0 ? '' : `: ${tests.length - bad} of ${tests.length} tests passed`;
  const colour = status === 'passed' || status === 'made' ? 'green' : 'red';
  screen.write(`${paint(colour, status)}: ${environment}${said} in ${seconds.toFixed(1)} s\n`);
  if (removed) screen.write('nothing of it is left\n');
  else
    screen.write(
      [
        `it is removed at the latest at ${expires ?? 'the end of its time'}`,
        `look around: provisioning test env ssh ${environment}`,
        `try it again: provisioning test env run ${environment}`,
        `remove it: provisioning test env cleanup ${environment}`,
        '',
      ].join('\n'),
    );
  if (junit !== undefined) screen.write(`JUnit: ${junit}\n`);
}
