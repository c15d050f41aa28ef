import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProvisioningError } from '../core/errors.js';
import type { AnyTaskserv, MoveContext, Step } from '../sdk/index.js';
import { type Case, planOf, stepsOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { modules } from '../test/support/modules.js';

/** Programs that know neither the quotes nor the escapes of a format. */
const TEXT_TOOLS = /\b(sed|grep|awk|cut|tr|head|tail|perl)\b/;

/**
 * Reads of such programs from files with secrets. The text begins a line, and no format writes a line end of a value
 * unchanged.
 */
const NO_SECRETS: Record<string, RegExp> = {
  // A hash.
  files: /sha256sum \| cut -c 1-64/g,
  redis: /sed -n 's\/\^(tls-)?port \/\/p'|grep -q '\^appendonly yes'/g,
  valkey: /sed -n 's\/\^(tls-)?port \/\/p'|grep -q '\^appendonly yes'/g,
};

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

const holdsSecret = (step: Step): boolean => 'file' in step && typeof step.file.content !== 'string';

/** All that a taskserv does in a case, and the files with secrets. */
function done(taskserv: AnyTaskserv, given: Case): { texts: string[]; files: string[] } {
  const { config, context } = planOf(taskserv, { ...given, facts: {} });
  const steps = stepsOf(taskserv, { ...given, facts: {} });
  const former = { version: context.version, config };
  const move: MoveContext = { operation: 'o', from: 'a', to: 'b', note: '/note', version: context.version, former };
  const moved = (() => {
    try {
      return taskserv.moveData?.(config, move);
    } catch (error) {
      // Some configurations cannot be moved.
      if (!(error instanceof ProvisioningError)) throw error;
      return undefined;
    }
  })();
  return {
    texts: textsIn([steps, taskserv.health(config, context), moved]),
    files: steps.filter(holdsSecret).flatMap((step) => ('file' in step ? [step.file.path] : [])),
  };
}

const plansOf = (name: string) => readCases(join(import.meta.dirname, name)).filter(([, { action = 'plan' }]) => action === 'plan');
const all = Object.entries(modules.taskservs).map(([name, taskserv]) => {
  const cases = plansOf(name).map(([, given]) => done(taskserv as AnyTaskserv, given));
  const files = [...new Set(cases.flatMap((one) => one.files))];
  const lines = new Set(cases.flatMap(({ texts }) => texts.flatMap((text) => text.split('\n'))));
  return { name, files, lines };
});
const withFiles = all.filter(({ files }) => files.length > 0);

test('many services have files with secrets', () => expect(withFiles.length).toBeGreaterThan(20));

test.each(withFiles)('no script of $name reads a secret out of a file by a program for plain text', ({ name, files, lines }) => {
  const reading = [...lines].filter((line) => files.some((file) => line.includes(file)) && TEXT_TOOLS.test(line));
  const others = reading.map((line) => line.replace(NO_SECRETS[name] ?? /$^/g, '')).filter((line) => TEXT_TOOLS.test(line));
  expect(others).toEqual([]);
});
