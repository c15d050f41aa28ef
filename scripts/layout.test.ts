import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const written = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.endsWith('.generated.ts') && existsSync(join(root, path)));
const sources = written.filter((path) => !path.startsWith('test/') && !path.endsWith('.test.ts'));
const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n').length - 1;

const MOST_FILES = 25;
const MOST_LINES = 80;
const MOST_LINES_OF_A_FILE = 300;

test(`a folder holds at most ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const large = [...counts].flatMap(([folder, count]) => (count > MOST_FILES ? [folder] : []));
  expect(large).toEqual([]);
});

test('half of all files are shorter than 100 lines', () => {
  const lengths = sources.map(linesOf).sort((a, b) => a - b);
  expect(lengths.length).toBeGreaterThan(500);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(100);
});

test(`no file is longer than ${MOST_LINES_OF_A_FILE} lines, tests included`, () => {
  expect(written.filter((path) => linesOf(path) > MOST_LINES_OF_A_FILE)).toEqual([]);
});

test(`no function of app/, authoring/, activities/ and workflows/ is longer than ${MOST_LINES} lines`, () => {
  const long: string[] = [];
  for (const path of sources.filter((one) => /^(app|authoring|activities|workflows)\//.test(one))) {
    const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) {
        const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
        const count = line(node.end) - line(node.getStart()) + 1;
        if (count > MOST_LINES) long.push(`${path}:${line(node.getStart()) + 1}: ${count} lines`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(long).toEqual([]);
});

test('who listens for the end of a signal also hears of an end that came before: addAbortListener of node:events', () => {
  // The UpCloud client can be published separately and uses no built-in modules of Node.
  const bound = sources.filter((path) => !path.startsWith('providers/upcloud/client/'));
  const deaf = bound.filter((path) => readFileSync(join(root, path), 'utf8').includes("addEventListener('abort'"));
  expect(deaf).toEqual([]);
});

test('no test waits only for the second that vi.waitFor has by default: a busy machine takes longer', () => {
  const short: string[] = [];
  for (const path of written.filter((one) => one.endsWith('.test.ts'))) {
    const text = readFileSync(join(root, path), 'utf8');
    if (!text.includes('vi.waitFor(')) continue;
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.getText() === 'vi.waitFor' && node.arguments.length < 2)
        short.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(short).toEqual([]);
});
