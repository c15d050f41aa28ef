import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../definition/source/package-root.js';
import { WORKER_FLAGS } from './worker-pack.js';

const read = (path: string) => readFileSync(join(packageRoot(), path), 'utf8');
const dockerfile = read('deploy/Dockerfile');

test('the image starts its worker as `up` does: compiled in advance, with the same flags', () => {
  const command = /exec (node .*)"\]/.exec(dockerfile)?.[1]?.replaceAll('/app/', '').split(' ');
  const flags = ['--enable-source-maps', ...WORKER_FLAGS, '--require', 'dist/workflow-threads.cjs'];
  expect(command).toEqual(['node', ...flags, 'dist/worker.cjs']);
});

test('the image has the folders of the package that a worker reads', () => {
  const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) /gm)].map(([, path]) => path);
  const { files }: { files: string[] } = JSON.parse(read('package.json'));
  // Examples and files for other deployments are for a person.
  const needed = files.filter((name) => !['deploy', 'examples', 'temporal-dev.yml'].includes(name));
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'node_modules', ...needed]));
});
