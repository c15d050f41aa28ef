/**
 * Plays unit tests repeatedly in one Vitest process. Each input line has the files and their order. It runs in the
 * closed copy (closed-copy.ts). Results go to file descriptor 3, one JSON text per line.
 */
import { writeSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import type { Order, Report } from './closed-copy.js';

const root = resolve(import.meta.dirname, '../..');
let order: readonly string[] = [];

/** Keeps the order of the input, instead of the longest first. */
class AsOrdered extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const at = (file: TestSpecification) => order.indexOf(relative(root, file.moduleId));
    return [...files].sort((one, other) => at(one) - at(other));
  }
}

const report = (what: Report) => void writeSync(3, `${JSON.stringify(what)}\n`);

const pathOf = (module: TestModule) => relative(root, module.moduleId);

/** The first run records the reached places. Later runs end with the first failure. */
const isFirst = process.argv.includes('--first');

/** The default configuration loader writes files beside the configuration and into the packages. */
const WITHOUT_WRITING = { configLoader: 'runner', clearScreen: false };

const vitest = await createVitest(
  'test',
  {
    root,
    project: ['unit'],
    watch: false,
    bail: isFirst ? 0 : 1,
    cache: false,
    passWithNoTests: true,
    sequence: { sequencer: AsOrdered },
    reporters: [
      {
        onTestModuleStart: (module) => report({ begun: pathOf(module) }),
        onTestModuleEnd: (module) => report({ ended: pathOf(module), failed: module.state() === 'failed' }),
      },
    ],
  },
  WITHOUT_WRITING,
);
for (const { config } of vitest.projects) {
  // The project has its own setting, and parallel files have no order.
  config.maxWorkers = 1;
  if (isFirst) config.setupFiles.push(resolve(root, 'scripts/mutations/set-reached.ts'));
}
const known = new Map((await vitest.globTestSpecifications()).map((one) => [relative(root, one.moduleId), one]));
report({ ready: [...known.keys()].sort() });

for await (const line of createInterface({ input: process.stdin })) {
  const { files, changed }: Order = JSON.parse(line);
  for (const path of changed) vitest.invalidateFile(resolve(root, path));
  order = files;
  const specifications = files.flatMap((file) => known.get(file) ?? []);
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  report({ done: true, errors: unhandledErrors.length });
}
process.exit(0);
