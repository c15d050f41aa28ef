import { expect, test } from 'vitest';
import { absentValues } from '../../../core/host/facts.js';
import { namesUnit } from '../../../core/host/names-unit.js';
import type { Answer } from '../../../core/host/question.js';
import type { AnyUnit, UnitContext } from '../../../core/host/unit.js';
import type { HostVolume } from '../../../core/host/volume-mounts.js';
import { VOLUMES_UNIT, volumesUnit } from '../../../core/host/volumes-unit.js';
import { planUnits } from './plan-units.js';

const around: UnitContext = {
  host: { name: 'web-1', role: 'web', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 1024 },
  peers: [],
};
const data: HostVolume = { name: 'data', sizeGiB: 10, mount: '/srv/data', device: '/dev/disk/by-id/x', comes: true };

/** A service that says in its step which servers have moved. */
const service = (unit: string): AnyUnit => ({
  unit,
  stage: 'install',
  facts: {},
  plan: (_, { moved }) => ({ steps: [{ title: `Install ${unit}, moved: ${moved}`, run: ':', undo: ':' }], healthy: false }),
});
const removed = (unit: string): AnyUnit => ({
  unit,
  stage: 'remove',
  facts: {},
  plan: () => ({ remove: true, steps: [], healthy: true }),
});

/** Answer of a host that has nothing except this. */
const answer = ({ facts }: AnyUnit, found: object = {}): Answer => ({
  found: { ...absentValues(facts), ...found },
  toDo: (planned) => planned,
  toRemove: (planned) => planned,
  installed: () => undefined,
});
const planned = (units: AnyUnit[], found: Record<string, object> = {}) =>
  planUnits(
    units,
    units.map((unit) => answer(unit, found[unit.unit])),
    around,
  ).map(({ unit, steps }) => [unit, ...steps.map(({ title }) => title)]);

test('what goes away comes first, then what the host needs, then its services, whatever is asked first', () => {
  const units = [service('a'), service('b'), volumesUnit('web-1', [data]), removed('old')];
  expect(planned(units)).toEqual([
    ['old'],
    [VOLUMES_UNIT, 'Format and mount the volume data at /srv/data'],
    ['a', 'Install a, moved: undefined'],
    ['b', 'Install b, moved: undefined'],
  ]);
});

test('names are written ahead of the first service, and all are told of servers that moved', () => {
  const names = namesUnit({ db: '10.0.0.9', cache: '10.0.0.3' });
  expect(planned([service('a'), service('b'), names], { names: { names: { db: '10.0.0.2' } } })).toEqual([
    ['a', 'Name 2 other servers', 'Install a, moved: db'],
    ['b', 'Install b, moved: db'],
  ]);
  expect(planned([service('a'), names], { names: { names: { db: '10.0.0.9', cache: '10.0.0.3' } } })).toEqual([
    ['a', 'Install a, moved: undefined'],
  ]);
});

test('of what a host needs, only what is still to be done is said', () => {
  const there = { disk: 10 * 1024 ** 3, fileSystem: 'xfs', mounted: true, inFstab: true, blank: false };
  expect(planned([volumesUnit('web-1', [data]), service('a')], { [VOLUMES_UNIT]: { data: there } })).toEqual([
    ['a', 'Install a, moved: undefined'],
  ]);
});

test('a host leaves out of a plan what it knows that it has', () => {
  const names = namesUnit({ db: '10.0.0.9' });
  const volumes = volumesUnit('web-1', [data]);
  const units = [names, volumes, service('a')];
  const answers = units.map((unit) => ({ ...answer(unit), toDo: () => [] }));
  expect(planUnits(units, answers, around).map(({ unit, steps }) => [unit, steps.length])).toEqual([['a', 1]]);
});
