import { basename } from 'node:path';
import { type AnyTaskserv, type Fact, findSecretRefs, type Step } from '../index.js';
import { type Case, planOf, stepsOf, stepsThatDiffer } from './case.js';
import { readCases } from './case-files.js';
import type { Difference } from './differences.js';
import { faultsOfExample, listUndescribed, readReadme } from './readme.js';

/** Rule for a taskserv and its folder. */
export interface Check {
  title: string;
  /** Violations of the rule; empty if there are none. */
  faults(): (string | Difference)[];
}

/**
 * Returns all checks of a taskserv, by its cases and its README. They need no framework; a test reports each check by
 * its title.
 *
 * @param folder has `cases/*.json` and `README.md`
 */
export function runChecks(taskserv: AnyTaskserv, folder: string): Check[] {
  const cases = readCases(folder);
  const readme = readReadme(folder);
  const check = (title: string, faults: Check['faults']): Check => ({ title, faults: () => caught(faults) });
  return [
    ...cases.flatMap(([file, given]) => [
      check(file, () => stepsThatDiffer(taskserv, given)),
      check(`${file}: decides the same again, in steps that can be undone and hide secrets`, () => faultsOfSteps(taskserv, given)),
      ...(isPlan(given)
        ? [
            check(`${file}: a host without anything needs steps, and is not counted as installed`, () =>
              onBareHost(taskserv, given),
            ),
          ]
        : []),
    ]),
    check('has cases with nothing to do, of an installation and of a removal', () => missingCases(cases)),
    check('drains what it undrains', () => missingDrains(taskserv, cases)),
    check('is called like its folder, and names versions that it supports', () => faultsOfName(taskserv, folder)),
    check('describes its configuration in its schema and in its README', () => listUndescribed(taskserv, readme)),
    check('shows in its README what a definition may say', () => faultsOfExample(taskserv, readme)),
    check('refuses keys that it does not know', () => faultsOfSchema(taskserv, cases)),
    check('checks its health, hiding secrets', () => faultsOfHealth(taskserv, cases)),
  ];
}

/** Returns the violations of a taskserv and its folder; empty if there are none. */
export const faultsIn = (taskserv: AnyTaskserv, folder: string): { check: string; faults: (string | Difference)[] }[] =>
  runChecks(taskserv, folder)
    .map(({ title, faults }) => ({ check: title, faults: faults() }))
    .filter(({ faults }) => faults.length > 0);

type Cases = ReturnType<typeof readCases>;

function caught(faults: Check['faults']): ReturnType<Check['faults']> {
  try {
    return faults();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

const isPlan = ({ action = 'plan' }: Case): boolean => action === 'plan';
const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault]);

function faultsOfSteps(taskserv: AnyTaskserv, given: Case): string[] {
  const steps = stepsOf(taskserv, given);
  const text = JSON.stringify(steps);
  return [
    ...unless(JSON.stringify(stepsOf(taskserv, given)) === text, 'decides otherwise when asked again'),
    // This text results from a reference in an ordinary template string.
    ...unless(!text.includes('[object Object]'), 'a step has [object Object] in it: write texts with secrets by text`…`'),
    ...steps.flatMap(faultsOfStep),
  ];
}

function faultsOfStep(step: Step): string[] {
  const title = unless(/^[A-Z][^\n]+[^.\n]$/.test(step.title), `"${step.title}" is no title: a capital first, no full stop`);
  if (!('run' in step)) return title;
  return [
    ...title,
    ...unless(step.undo !== undefined || step.irreversible === true, `"${step.title}" has neither undo nor irreversible`),
    ...unless(findSecretRefs([step.run, step.undo, step.confirm]).length === 0, `"${step.title}" has a secret in a script`),
  ];
}

function onBareHost(taskserv: AnyTaskserv, given: Case): string[] {
  const bare: Case = { ...given, facts: {} };
  const { config, found } = planOf(taskserv, bare);
  const values = Object.values(config as object);
  if (values.length > 0 && values.every((value) => Array.isArray(value) && value.length === 0)) return [];
  return [
    ...unless(stepsOf(taskserv, bare).length > 0, 'a host without anything needs no steps'),
    ...unless(taskserv.installed(found) === undefined, 'a host without anything has it installed'),
    ...unless(stepsOf(taskserv, { ...bare, action: 'remove' }).length === 0, 'there is something to remove from it'),
  ];
}

function missingCases(cases: Cases): string[] {
  const some = (wanted: (given: Case) => boolean) => cases.some(([, given]) => wanted(given));
  return [
    ...unless(
      some((given) => isPlan(given) && given.steps.length === 0),
      'no case has nothing to do',
    ),
    ...unless(
      some((given) => isPlan(given) && Object.keys(given.facts ?? {}).length === 0 && given.steps.length > 0),
      'no case installs it on a host without anything',
    ),
    ...unless(
      some(({ action, steps }) => action === 'remove' && steps.length > 0),
      'no case removes it',
    ),
  ];
}

function missingDrains({ drain, undrain }: AnyTaskserv, cases: Cases): string[] {
  if ((drain === undefined) !== (undrain === undefined)) return ['it has one of drain and undrain, and not the other'];
  if (!drain) return [];
  return (['drain', 'undrain'] as const).flatMap((action) => {
    const counts = cases.filter(([, given]) => given.action === action).map(([, { steps }]) => steps.length);
    return [
      ...unless(
        counts.some((count) => count > 0),
        `no case of ${action} has steps`,
      ),
      ...unless(counts.includes(0), `no case of ${action} has nothing to do`),
    ];
  });
}

function faultsOfName({ name, versions, after = [] }: AnyTaskserv, folder: string): string[] {
  return [
    ...unless(name === basename(folder), `it is called ${name}, and its folder ${basename(folder)}`),
    ...unless(versions.supported.includes(versions.default), `its default version ${versions.default} is not supported`),
    ...unless(!Object.hasOwn(versions.withdrawn ?? {}, versions.default), `its default version ${versions.default} is withdrawn`),
    ...unless(!after.includes(name), 'it comes after itself'),
  ];
}

function faultsOfSchema(taskserv: AnyTaskserv, [first]: Cases): string[] {
  const config: object = taskserv.config.parse(first?.[1].config ?? {});
  return [
    ...unless(!taskserv.config.safeParse({ ...config, noSuchKey: 1 }).success, 'it takes a key that it does not know'),
    ...unless(taskserv.config.safeParse(config).success, 'a parsed configuration cannot be parsed again'),
  ];
}

function faultsOfHealth(taskserv: AnyTaskserv, cases: Cases): string[] {
  const asked = cases.map(([, given]) => {
    const { config, context } = planOf(taskserv, given);
    return {
      checks: taskserv.health(config, context),
      facts: Object.values<Fact<unknown>>(taskserv.facts(config, context.version)),
    };
  });
  const commands = asked.flatMap(({ checks, facts }) => [
    ...checks.map((check) => ('command' in check ? check.command : '')),
    ...facts.map((fact) => (fact.kind === 'command' ? fact.run : '')),
  ]);
  return [
    ...unless(
      asked.some(({ checks }) => checks.length > 0),
      'it has no health check',
    ),
    ...unless(findSecretRefs(commands).length === 0, 'a command of a health check or a fact has a secret in it'),
  ];
}
