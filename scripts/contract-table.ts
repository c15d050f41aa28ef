/**
 * `npm run contract-table`: runs the contract tests of all providers, prints the results, and writes
 * docs/reference/clouds/contract.md.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KINDS } from '../test/contracts/cases/case.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SUITE = ' keeps the contract of a provider';

type Mark = 'kept' | 'broken' | 'not offered';
interface Row {
  kind: string;
  title: string;
  marks: Record<string, Mark>;
}
interface Outcome {
  ancestorTitles: string[];
  title: string;
  status: string;
  failureMessages?: string[];
}

/** Converts vitest's JSON report of the suites to rows, case by case in order. */
function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { ancestorTitles, title, status } of outcomes) {
    const [suite = '', kind = ''] = ancestorTitles;
    // Other suites of a provider are not part of the contract.
    if (!suite.includes(SUITE) || ancestorTitles.length !== 2 || !KINDS.some((one) => one === kind)) continue;
    const key = `${kind}: ${title}`;
    const row = rows.get(key) ?? { kind, title, marks: {} };
    row.marks[suite.slice(0, suite.indexOf(SUITE))] = status === 'passed' ? 'kept' : status === 'failed' ? 'broken' : 'not offered';
    rows.set(key, row);
  }
  return [...rows.values()];
}

const SIGNS: Record<Mark, string> = { kept: '✓', broken: '✗', 'not offered': '–' };

/** Returns the page with the table: cases by kind of resource, with a column per provider. */
function pageOf(rows: readonly Row[], providers: readonly string[]): string {
  const kinds = KINDS.filter((kind) => rows.some((row) => row.kind === kind));
  const count = (name: string, mark: Mark) => rows.filter(({ marks }) => marks[name] === mark).length;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    '# What each provider keeps',
    '',
    'Results of the contract cases (`test/contracts/cases`) by kind of resource. The last run of `npm run contract-table` wrote this page. ✓: passed. –: the provider does not offer the feature. *local* ran on Docker; the clouds ran on the emulators of `test/clouds` (aws: moto behind a proxy), not on the real clouds.',
    '',
    line(['case', ...providers]),
    line(['---', ...providers.map(() => ':-:')]),
    ...kinds.flatMap((kind) => [
      line([`**${kind}**`, ...providers.map(() => '')]),
      ...rows
        .filter((row) => row.kind === kind)
        .map(({ title, marks }) => line([title, ...providers.map((name) => SIGNS[marks[name] ?? 'not offered'])])),
    ]),
    line(['**kept**', ...providers.map((name) => `${count(name, 'kept')}`)]),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  try {
    const report = join(folder, 'report.json');
    const providers = Object.keys((await import('../providers/registry.generated.js')).providers).sort();
    const files = providers.map((name) => `test/contracts/${name}.test.ts`);
    const args = ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${report}`, '--testTimeout=60000'];
    const ended = await new Promise<number>((resolve) => {
      execFile('npx', args, { cwd: ROOT, maxBuffer: 1e8 }, (error) => resolve(error ? 1 : 0));
    });
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { assertionResults: Outcome[] }[] };
    const outcomes = testResults.flatMap(({ assertionResults }) => assertionResults);
    const rows = rowsOf(outcomes);
    const page = pageOf(rows, providers);
    console.log(page);
    for (const { failureMessages = [], title } of outcomes)
      if (failureMessages[0]) console.error(`${title}: ${failureMessages[0]}`);
    const broken = rows.flatMap(({ kind, title, marks }) =>
      Object.entries(marks).flatMap(([name, mark]) => (mark === 'broken' ? [`${name}: ${kind} ${title}`] : [])),
    );
    if (ended === 0 && broken.length === 0) writeFileSync(join(ROOT, 'docs/reference/clouds/contract.md'), page);
    else console.error(`docs/reference/clouds/contract.md is left as it was, since a suite failed\n${broken.join('\n')}`);
    process.exitCode = ended;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await main();
