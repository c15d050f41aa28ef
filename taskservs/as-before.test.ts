import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listChangesToNote } from '../activities/host/journal/note-before.js';
import { restoreBefore } from '../core/host/as-before.js';
import type { FormerState, NotedChange } from '../core/host/before.js';
import type { Step } from '../sdk/index.js';
import { planOf, stepsOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { modules } from '../test/support/modules.js';

/** How a script changes a file of the system whose path it says. */
const WRITES =
  /(?:>>?\s*|\b(?:rm|cp|mv|tee|ln|install|sed -i|touch|chmod|chown)\b[^\n;|&]*?\s)'?(\/(?:etc|usr|var|opt|srv|root|boot)\/[^\s'";|&)]*)/g;
/**
 * Files that a taskserv backs up and restores itself, targets of links, data that it keeps beside its own, and folders with
 * names of the platform.
 */
const OWN_WAY =
  /^\/etc\/(acme|resolv\.conf$|apt\/sources\.list)|^\/usr\/share\/zoneinfo\/|^\/opt\/vault\/data|^\/var\/lib\/(app-build|aide|etcd\/(default|member)|kafka|mysql|nats\/jetstream|rabbitmq\/\.erlang|zookeeper\/cluster)|provisioning/;

/** Changes of a case's steps, as an adopted host records them that had all of it before. */
function beforeOf(steps: readonly Step[], service: string): FormerState {
  const noted = new Map<string, NotedChange>();
  for (const { what, name, as } of steps.flatMap(listChangesToNote)) {
    const key = `${what} ${name}`;
    const former = noted.get(key);
    noted.set(key, {
      ...{ what, name, was: 'there', same: false },
      ...{ declared: as === 'declared' && former?.declared !== false, shared: as === 'shared' },
      ...(what === 'unit' && { unit: { active: true, enabled: 'enabled' } }),
    });
  }
  return { noted: [...noted.values()], added: [], gone: [], services: [service] };
}

/** Fate of a thing in a plan: the name of the last step about it. */
function fateOf(steps: readonly Step[], { what, name }: NotedChange): string {
  const about = steps.flatMap((step) => {
    if ('restore' in step && step.restore.what === what && 'name' in step.restore && step.restore.name === name)
      return [step.restore.was === 'there' ? 'restored' : 'removed'];
    if (what === 'file' && 'absent' in step && step.absent.path === name) return ['removed'];
    if (what === 'unit' && 'service' in step && step.service.name === name && step.service.state === 'stopped') return ['stopped'];
    return [];
  });
  return about.at(-1) ?? 'left';
}

const names = Object.keys(modules.taskservs);
const rows = names.flatMap((name) =>
  readCases(join(import.meta.dirname, name)).flatMap(([title, given]) =>
    (given.action ?? 'plan') === 'plan' ? [{ name, title, given }] : [],
  ),
);

describe.each(rows)('$name leaves an adopted host as it was: $title', ({ name, given }) => {
  const taskserv = modules.taskservs[name] as NonNullable<(typeof modules.taskservs)[string]>;
  const planned = stepsOf(taskserv, given);
  const before = beforeOf(planned, name);
  const { config, found } = planOf(taskserv, given);
  const leaving = { service: name, others: [name], isLast: true };
  const removal = restoreBefore(taskserv.remove(config, found), before, leaving);

  test('all that it replaced returns, and what ran before runs again', () => {
    const fates = before.noted.map((note) => `${note.what} ${note.name}: ${note.shared ? 'shared' : fateOf(removal, note)}`);
    expect(fates.filter((fate) => !/: (restored|shared)$/.test(fate))).toEqual([]);
  });

  test('no script changes a file of the system that is not noted', () => {
    const noted = new Set(before.noted.map((note) => note.name));
    const written = planned.flatMap((step) => ('run' in step ? [...step.run.matchAll(WRITES)].map(([, path = '']) => path) : []));
    expect(written.filter((path) => !noted.has(path) && !OWN_WAY.test(path))).toEqual([]);
  });

  test('it takes no package away that was there before', () => {
    expect(removal.filter((step) => 'package' in step && step.package.state === 'absent')).toEqual([]);
  });
});
