import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Fact } from '../core/host/facts.js';
import { loadModules } from '../core/registry.js';
import { findSecretRefs } from '../core/taskserv/secret.js';
import { type Case, foundOf, planOf, stepsOf } from '../sdk/testing/case.js';
import { taskservs } from './registry.generated.js';

const HERE = import.meta.dirname;
/** `UPDATE_CASES=1` rewrites the expected steps; read the difference before you keep it. */
const UPDATE = process.env.UPDATE_CASES === '1';

const casesOf = (name: string): [string, Case][] => {
  const folder = join(HERE, name, 'cases');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const given = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case;
      return [file, { ...given, steps: given.steps ?? [] }];
    });
};

const folders = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('has a taskserv in every folder', () => expect(Object.keys(taskservs).sort()).toEqual(folders.sort()));

describe.each(Object.entries(await loadModules(taskservs)))('%s', (name, taskserv) => {
  const cases = casesOf(name);
  const plans = cases.filter(([, { action = 'plan' }]) => action === 'plan');

  it.each(cases)('%s', (file, given) => {
    const steps = stepsOf(taskserv, given);
    if (UPDATE) {
      // The tests that follow judge what was just written.
      given.steps = steps;
      writeFileSync(join(HERE, name, 'cases', file), `${JSON.stringify(given, null, 2)}\n`);
    } else expect(steps).toEqual(given.steps);
  });

  it.each(cases)('%s: decides the same again, in steps that can be taken back and hide secrets', (_, given) => {
    const steps = stepsOf(taskserv, given);
    expect(stepsOf(taskserv, given)).toEqual(steps);
    // A reference within a string of a template would be this.
    expect(JSON.stringify(steps)).not.toContain('[object Object]');
    for (const step of steps) {
      expect(step.title).toMatch(/^[A-Z][^\n]+[^.\n]$/);
      if (!('run' in step)) continue;
      expect(step.undo !== undefined || step.irreversible === true, `${step.title} has neither undo nor irreversible`).toBe(true);
      expect(findSecretRefs([step.run, step.undo, step.confirm])).toEqual([]);
    }
  });

  it('has cases with nothing to do, of an installation and of a removal', () => {
    expect(plans.filter(([, { steps }]) => steps.length === 0)).not.toEqual([]);
    expect(plans.filter(([, { facts, steps }]) => Object.keys(facts ?? {}).length === 0 && steps.length > 0)).not.toEqual([]);
    expect(cases.filter(([, { action, steps }]) => action === 'remove' && steps.length > 0)).not.toEqual([]);
  });

  it('takes out of service what it puts back', () => {
    expect(taskserv.undrain === undefined).toBe(taskserv.drain === undefined);
    if (!taskserv.drain) return;
    for (const action of ['drain', 'undrain'])
      for (const some of [true, false])
        expect(cases.filter(([, one]) => one.action === action && one.steps.length > 0 === some)).not.toEqual([]);
  });

  it.each(plans)('%s: a host without anything needs steps, and is not counted as installed', (_, given) => {
    const { config, found } = planOf(taskserv, { ...given, facts: {} });
    const values = Object.values(config as object);
    if (values.length > 0 && values.every((value) => Array.isArray(value) && value.length === 0)) return;
    expect(stepsOf(taskserv, { ...given, action: 'plan', facts: {} })).not.toEqual([]);
    expect(taskserv.installed(found)).toBeUndefined();
    expect(stepsOf(taskserv, { ...given, action: 'remove', facts: {} })).toEqual([]);
  });

  it('is called like its folder, and names known versions and taskservs', () => {
    expect(taskserv.name).toBe(name);
    expect(taskserv.versions.supported).toContain(taskserv.versions.default);
    for (const other of [...(taskserv.requires ?? []), ...(taskserv.conflicts ?? [])]) expect(taskservs).toHaveProperty(other);
    for (const other of taskserv.after ?? []) expect(other).not.toBe(name);
  });

  it('describes its configuration in its schema and in its README', () => {
    const schema = z.toJSONSchema(taskserv.config, { io: 'input' }) as { properties: Record<string, { description?: string }> };
    const readme = readFileSync(join(HERE, name, 'README.md'), 'utf8');
    for (const [key, { description }] of Object.entries(schema.properties)) {
      expect(description, `${key} has no description`).toBeTruthy();
      expect(readme, `the README does not mention \`${key}\``).toContain(`\`${key}\``);
    }
  });

  it('shows in its README what a definition may say', () => {
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(join(HERE, name, 'README.md'), 'utf8')) ?? [];
    const refer = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null && ('secret' in value || 'generate' in value) ? { $secret: 'example' } : value;
    const { taskservs: entries } = JSON.parse(JSON.stringify(parse(example)), refer) as {
      taskservs: { name: string; config: unknown }[];
    };
    expect(entries.map((entry) => entry.name)).toEqual([name]);
    expect(taskserv.config.safeParse(entries[0]?.config).error).toBeUndefined();
  });

  it('refuses keys that it does not know', () => {
    const { config } = planOf(taskserv, { ...(cases[0]?.[1] as Case), facts: {} });
    expect(taskserv.config.safeParse({ ...(config as object), noSuchKey: 1 }).success).toBe(false);
    expect(taskserv.config.safeParse(config).success, 'a parsed configuration can be parsed again').toBe(true);
  });

  it('checks its health, hiding secrets', () => {
    const checks = cases.flatMap(([, given]) => {
      const { config, context } = planOf(taskserv, given);
      return taskserv.health(config, context);
    });
    expect(checks).not.toEqual([]);
    for (const check of checks) if ('command' in check) expect(findSecretRefs(check.command)).toEqual([]);
    const { config } = planOf(taskserv, cases[0]?.[1] as Case);
    for (const fact of Object.values<Fact<unknown>>(taskserv.facts(config)))
      if (fact.kind === 'command') expect(findSecretRefs(fact.run)).toEqual([]);
  });

  it('finds by its facts what a case says', () => {
    for (const [, given] of cases) expect(() => foundOf(taskserv, given)).not.toThrow();
  });
});
