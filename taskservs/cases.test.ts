import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModules } from '../core/registry.js';
import { runChecks, updateCases } from '../sdk/testing/index.js';
import { taskservs } from './registry.generated.js';

const HERE = import.meta.dirname;
const folders = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

it('has a taskserv in every folder', () => expect(Object.keys(taskservs).sort()).toEqual(folders.sort()));

describe.each(Object.entries(await loadModules(taskservs)))('%s', (name, taskserv) => {
  // The tests that follow judge what was just written.
  if (process.env.UPDATE_CASES === '1') updateCases(taskserv, join(HERE, name));

  it.each(runChecks(taskserv, join(HERE, name)))('$title', ({ faults }) => expect(faults()).toEqual([]));

  it('is registered by its name, and names taskservs that there are', () => {
    expect(taskserv.name).toBe(name);
    for (const other of [...(taskserv.requires ?? []), ...(taskserv.conflicts ?? [])]) expect(taskservs).toHaveProperty(other);
  });
});
