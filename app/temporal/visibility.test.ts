import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
/** Temporal's own lists: `.list({ query` of its client and its raw call. */
const OWN_LIST = /\bworkflow\s*\.list\(|\.listWorkflowExecutions\(/;

/** Returns the sources of the product, without tests, which list only their own workflows. */
async function sources(): Promise<string[]> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root });
  return stdout.split('\n').filter((path) => !/^(test|bench|scripts)\/|\.test\.ts$/.test(path));
}

test('nothing lists workflows past the one function that decodes nothing of strangers', async () => {
  const paths = await sources();
  expect(paths.length).toBeGreaterThan(1_000);
  const texts = await Promise.all(paths.map(async (path) => [path, await readFile(resolve(root, path), 'utf8').catch(() => '')]));
  expect(texts.flatMap(([path = '', text = '']) => (OWN_LIST.test(text) ? [path] : []))).toEqual(['app/temporal/visibility.ts']);
});

/** A text that is written into a query as it is. Times are compared, and are ours. */
const UNQUOTED = /(?:\bIN \(|[^<>]=|STARTS_WITH) ?'\$\{/;

test('nothing writes a text into a query of lists without quoting it', async () => {
  const asks = /\b(?:WorkflowId|TaskQueue|WorkflowType|ExecutionStatus|SEARCH_ATTRIBUTES)\b/;
  const texts = await Promise.all(
    (await sources()).map(async (path) => [path, await readFile(resolve(root, path), 'utf8').catch(() => '')]),
  );
  const lines = texts.flatMap(([path = '', text = '']) => text.split('\n').map((line) => `${path}: ${line.trim()}`));
  expect(lines.filter((line) => asks.test(line)).length).toBeGreaterThan(50);
  expect(lines.filter((line) => asks.test(line) && UNQUOTED.test(line))).toEqual([]);
  expect(UNQUOTED.test("`WorkflowId = '${operation}'`")).toBe(true);
});

test('the rule finds both of Temporal’s lists', () => {
  for (const line of ['await temporal.workflow.list({ query })', 'service.listWorkflowExecutions({ namespace })'])
    expect(OWN_LIST.test(line)).toBe(true);
});
