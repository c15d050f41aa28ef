import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { type ArchiveEntry, archiveFault } from './archive-links.js';

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const step = fc.constantFrom('..', '..', '..', '.', 'a', 'b', 'c', '');
const target = fc.array(step, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));
const entries = fc.array(fc.record({ path, target: fc.option(target, { nil: undefined }) }), { minLength: 1, maxLength: 8 });

/** Unpacks what can be, as tar does, and says where the kernel finds each link to lead. */
function unpacked(all: readonly ArchiveEntry[], root: string): { path: string; leads: 'inside' | 'outside' | 'nowhere' }[] {
  for (const { path: at, target: to } of all) {
    mkdirSync(dirname(join(root, at)), { recursive: true });
    if (to === undefined) writeFileSync(join(root, at), '', { flag: 'wx' });
    else symlinkSync(to, join(root, at));
  }
  return all
    .filter((entry) => entry.target !== undefined)
    .map((entry) => {
      try {
        const real = realpathSync(join(root, entry.path));
        return { path: entry.path, leads: `${real}/`.startsWith(`${root}/`) ? ('inside' as const) : ('outside' as const) };
      } catch {
        return { path: entry.path, leads: 'nowhere' as const };
      }
    });
}

test('links are judged as the kernel follows them, for generated archives', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
  const seen = { inside: 0, outside: 0, fine: 0 };
  let run = 0;
  try {
    fc.assert(
      fc.property(entries, (all) => {
        run += 1;
        // Deep, so that what leads out ends in a folder that is there.
        const root = join(top, String(run), 'a/b/c/a/b/c/a/b/c/root');
        mkdirSync(root, { recursive: true });
        let found: ReturnType<typeof unpacked>;
        try {
          found = unpacked(all, root);
        } catch {
          // Two entries of one name, a file where a folder has to be: no tree has these.
          return;
        }
        const fault = archiveFault(all);
        for (const { path: at, leads } of found) {
          if (leads !== 'nowhere') seen[leads] += 1;
          if (leads === 'outside') expect([at, fault]).toEqual([at, expect.anything()]);
        }
        if (found.every(({ leads }) => leads === 'inside') && all.every((entry) => isPlain(root, entry.path))) {
          seen.fine += 1;
          // A path that leaves the folder and returns is refused, too.
          if (fault) expect(fault.why).toMatch(/leads out of it/);
        }
      }),
      { numRuns: process.env.LONG === '1' ? 20_000 : 300 },
    );
  } finally {
    rmSync(top, { recursive: true });
  }
  expect(Math.min(seen.inside, seen.outside, seen.fine)).toBeGreaterThan(5);
});

/** Whether no link leads to the place of an entry. */
const isPlain = (root: string, at: string): boolean =>
  realpathSync(dirname(join(root, at))) === dirname(join(root, at)) && lstatSync(join(root, at)) !== undefined;

test('a link over a link that leads out, and what lies behind a link, are faults; their like within the archive are none', () => {
  const over = (last: string): ArchiveEntry[] => [
    { path: 'a/b/c/d/e/l', target: '../../../../..' },
    { path: 'mark', target: last },
  ];
  expect(archiveFault(over('a/b/c/d/e/l/../../../../etc/mark'))).toMatchObject({
    path: 'mark',
    why: expect.stringContaining('leads out'),
  });
  expect(archiveFault(over('a/b/c/d/e/l/etc/mark'))).toBeUndefined();
  expect(archiveFault([{ path: 'a', target: 'b' }, { path: 'a/x' }])).toMatchObject({
    path: 'a/x',
    why: 'its path goes through the link a',
  });
  expect(archiveFault([{ path: 'a' }, { path: 'a' }])).toMatchObject({ why: 'the archive contains it twice' });
  expect(
    archiveFault([
      { path: 'a', target: 'b' },
      { path: 'b', target: 'a' },
    ]),
  ).toMatchObject({ why: expect.stringContaining('circle') });
  for (const path of ['../a', '/a', 'a/../b', './a', 'a//b', '']) expect(archiveFault([{ path }])?.path).toBe(path);
});
