import { expect, test } from 'vitest';
import * as z from 'zod';
import { isFetched } from '../../../core/host/artifact.js';
import type { Step } from '../../../core/host/step.js';
import type { UnitContext } from '../../../core/host/unit.js';
import { type AnyTaskserv, defineTaskserv, type Versions } from '../../../core/taskserv/taskserv.js';
import { createInstalledUnit } from './installed-unit.js';

const around: UnitContext = {
  host: { name: 'db-1', role: 'db', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 1024 },
  peers: [],
};

/** A service of which a host says that `runs` is there. */
const service = (runs: string | undefined, upgrades?: Versions['upgrades']): AnyTaskserv =>
  defineTaskserv({
    name: 'store',
    category: 'test',
    description: 'Keeps things.',
    versions: { default: '17', supported: ['17', '16', '15'], source: 'test', ...(upgrades && { upgrades }) },
    config: z.strictObject({}),
    facts: () => ({}),
    installed: () => runs,
    plan: (_config, _found, { version }) => [{ title: `Install ${version}`, run: ':', undo: ':' }],
    health: () => [],
    remove: () => [],
  });

const planned = (taskserv: AnyTaskserv, version: string) => {
  const spec = { name: 'store', version, config: {}, endpoints: [], after: [] };
  const answer = {
    ...{ found: {}, toDo: <T>(steps: T) => steps, toRemove: <T>(steps: T) => steps },
    installed: () => undefined,
  };
  return createInstalledUnit(taskserv, spec, around)
    .plan(answer, around)
    ?.steps.map(({ title }) => title);
};

test('an upgrade that skips a version, or goes back to an older one, is refused before there is a plan', () => {
  const taskserv = service('15.20', 'major-by-major');
  expect(planned(taskserv, '16')).toEqual(['Install 16']);
  expect(() => planned(taskserv, '17')).toThrow(
    'cannot install store 17: db-1: 15.20 runs there, and the upgrade to 17 leads through 16: one major version at a time',
  );
  expect(() => planned(service('17.1', 'major-by-major'), '15')).toThrow('its data is not for 15');
});

test('a host without it takes any version, and so does a service that says nothing of upgrades', () => {
  expect(planned(service(undefined, 'major-by-major'), '17')).toEqual(['Install 17']);
  expect(planned(service('15.20'), '17')).toEqual(['Install 17']);
});

test('artifacts are brought by the worker where the definition says so, and nothing else is otherwise', () => {
  const artifact = { state: 'present' as const, url: 'https://a.example/b.tgz', sha256: 'a'.repeat(64), to: '/opt/b/1' };
  const kept = { ...artifact, url: 'the source', from: { kept: ['c'.repeat(64)] } };
  const steps: Step[] = [
    { title: 'Fetch', artifact },
    { title: 'Bring', artifact: kept },
    { title: 'Remove', artifact: { ...artifact, state: 'absent' } },
    { title: 'Do', run: ':', undo: ':' },
  ];
  const taskserv = { ...service('15.20'), plan: () => steps };
  const spec = { name: 'store', version: '17', config: {}, endpoints: [], after: [] };
  const planned = (artifacts?: 'from-worker') => {
    const answer = {
      ...{ found: {}, toDo: <T>(steps: T) => steps, toRemove: <T>(steps: T) => steps },
      installed: () => undefined,
    };
    return createInstalledUnit(taskserv, { ...spec, ...(artifacts && { artifacts }) }, around).plan(answer, around)?.steps;
  };
  expect(planned()).toEqual(steps);
  const brought = { ...artifact, url: `${artifact.url} by the worker`, from: { url: artifact.url } };
  expect(planned('from-worker')).toEqual([{ title: 'Fetch', artifact: brought }, ...steps.slice(1)]);
  // No host tries to fetch it by that name.
  expect(isFetched(brought)).toBe(false);
});
