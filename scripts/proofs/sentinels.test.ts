import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { OF_TASKSERVS } from './of-taskservs.js';
import { IN_PART, isDeclaredInput, isRecordable, SENTINELS } from './sentinels.js';

const root = resolve(import.meta.dirname, '../..');

test.each([...SENTINELS, ...IN_PART])('%s is there', (file) => expect(existsSync(resolve(root, file))).toBe(true));

test.each(Object.entries(OF_TASKSERVS))('%s names services and folders that are there', (file, { taskservs, more = [] }) => {
  const paths = [file, ...more, ...taskservs.map((name) => `taskservs/${name}`)];
  expect(paths.filter((path) => !existsSync(resolve(root, path)))).toEqual([]);
});

test.each(IN_PART)('%s knows that it is played in part', (file) =>
  expect(readFileSync(resolve(root, file), 'utf8')).toContain(`isInPart('${file}')`),
);

test.each([
  ['test/guides/guides.test.ts', 'docs/extend/add-a-method.md', true],
  ['test/guides/guides.test.ts', 'taskservs/nginx/nginx.ts', false],
  ['test/guides/guides.test.ts', 'scripts/new/main.ts', true],
  ['test/guides/guides.test.ts', 'core/host/step.ts', true],
  ['test/guides/guides.test.ts', 'scripts/proofs/record.ts', false],
  ['test/guides/guides.test.ts', 'docs/extend/adding-a-taskserv.md', false],
  ['test/guides/guides.test.ts', 'docs/reference/glossary.md', false],
  ['test/guides/adding-a-taskserv.test.ts', 'docs/extend/adding-a-taskserv.md', true],
  ['test/guides/adding-a-taskserv.test.ts', 'test/catalog/proofs/messaging.ts', true],
  ['test/guides/adding-a-taskserv.test.ts', 'docs/extend/add-a-method.md', false],
  ['test/catalog/catalog.test.ts', 'taskservs/nginx/nginx.ts', true],
  ['test/catalog/catalog.test.ts', 'cli/main.ts', false],
  ['test/strangers/strangers.test.ts', 'cli/main.ts', true],
  ['test/strangers/strangers.test.ts', 'taskservs/nginx/nginx.ts', true],
  ['test/strangers/imports.test.ts', 'definition/languages/read-named.ts', true],
  ['test/strangers/imports.test.ts', 'taskservs/nginx/nginx.ts', false],
  ['test/end-to-end/service.test.ts', 'workers/worker.ts', true],
  ['test/end-to-end/service.test.ts', 'providers/local/index.ts', true],
  ['test/end-to-end/service.test.ts', 'taskservs/nginx/nginx.ts', false],
  ['test/end-to-end/patroni-kills.test.ts', 'taskservs/etcd/etcd-steps.ts', true],
  ['test/end-to-end/patroni-kills.test.ts', 'taskservs/etcd/etcd-group.test.ts', false],
  ['test/end-to-end/patroni-kills.test.ts', 'taskservs/redis/redis.ts', false],
  ['test/end-to-end/patroni-kills.test.ts', 'core/taskserv/groups/group.ts', true],
  ['test/end-to-end/patroni-kills.test.ts', 'cli/commands/cluster/restore.ts', false],
  ['test/end-to-end/patroni-restore.test.ts', 'cli/commands/cluster/restore.ts', true],
  ['test/pairs/stopped-postgres.test.ts', 'workflows/infra/infra.ts', false],
  ['test/pairs/pairs.test.ts', 'workflows/runbook/leaving/leaving.ts', true],
])('%s depends on %s: %s', (file, path, expected) => {
  expect(isRecordable(file)).toBe(false);
  expect(isDeclaredInput(file, path)).toBe(expected);
});

test('a test of guides that is missing here would depend on no guide', () => {
  const tests = readdirSync(resolve(root, 'test/guides')).filter((name) => name.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThan(1);
  for (const name of tests) {
    const text = readFileSync(resolve(root, 'test/guides', name), 'utf8');
    const followed = [...text.matchAll(/\b(add[a-z-]*\.md)\b/g)].map(([, guide]) => `docs/extend/${guide}`);
    expect(followed.length).toBeGreaterThan(0);
    expect(followed.filter((guide) => !isDeclaredInput(`test/guides/${name}`, guide))).toEqual([]);
  }
});

test('what proves one of each kind is recorded', () => expect(isRecordable('test/catalog/kinds.test.ts')).toBe(true));

test('of a test without a record, each source counts, and no test or document', () => {
  const counts = (path: string) => isDeclaredInput('test/workflows/locks.test.ts', path);
  expect(isRecordable('test/workflows/locks.test.ts')).toBe(true);
  expect(['cli/main.ts', 'workers/engine/temporal/main.go'].map(counts)).toEqual([true, true]);
  expect(['cli/main.test.ts', 'docs/operate/security.md', 'README.md', 'taskservs/nginx/cases/a.json'].map(counts)).not.toContain(
    true,
  );
});
