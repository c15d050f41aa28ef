import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreBefore } from '../../../core/host/as-before.js';
import { createBeforeFact, type FormerState, readBefore } from '../../../core/host/before.js';
import type { Step } from '../../../core/host/step.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps, undoSteps } from './execute.js';
import type { Brings } from './note-before.js';
import { openSealedFiles } from './sealed-journal.js';

const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };
const scope = { workspace: 'w', infra: 'shop', uuid: 'u' };
const INSTALLED: Brings = { version: '1', config: 'a' };
const REMOVED: Brings = { removed: true };

// Packages, units and accounts need a host of their own: test/end-to-end/adopted-host has them.
describe.runIf(mayMount)('what an adopted host was before', () => {
  let folder: string;
  let state: string;
  let host: ReturnType<typeof journalHost>['host'];
  let jobs = 0;
  const at = (name: string) => join(folder, 'place', name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'before-'));
    ({ state, host } = journalHost(folder));
    mkdirSync(join(folder, 'place'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const adopt = () => mkdirSync(join(state, 'before'), { mode: 0o700 });
  const jobOf = () => ({ scope, server: 'a', operation: `op-${++jobs}`, taskserv: 'x', generation: 1, sealer });
  async function act(steps: Step[], brings: Brings) {
    const job = jobOf();
    const outcome = await executeSteps(host, { ...job, owner: 'u w shop', brings, steps, reveal: String }, () => {});
    const undo = async () => undoSteps(host, { ...job, steps, opened: await openSealedFiles(host, job, sealer) }, () => {});
    return { outcome, undo };
  }
  async function before(): Promise<FormerState | undefined> {
    const asked = createBeforeFact('x');
    if (asked.kind !== 'command') throw new Error('no command');
    const { stdout } = await host.exec(asked.run);
    return readBefore({ stdout });
  }
  const removal = async (steps: Step[]) => restoreBefore(steps, await before(), { service: 'x', others: ['x'], isLast: true });

  /** Content of the place: the target of a link, the mode and text of a file. */
  const shown = (path = join(folder, 'place')): string[] =>
    readdirSync(path, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const one = join(path, entry.name);
        const mode = (lstatSync(one).mode & 0o7777).toString(8);
        const name = one.slice(folder.length);
        if (entry.isDirectory()) return [`${name}/ ${mode}`, ...shown(one)];
        return [entry.isSymbolicLink() ? `${name} ->` : `${name} ${mode} ${readFileSync(one, 'utf8')}`];
      });

  const install = (): Step[] => [
    { title: 'Make a folder', directory: { path: at('data'), mode: '0700' } },
    { title: 'Make another', directory: { path: at('new') } },
    { title: 'Write over a file', file: { path: at('conf'), content: 'ours', mode: '0644' } },
    { title: 'Write over a link', file: { path: at('link'), content: 'ours' } },
    { title: 'Write a new one', file: { path: at('made/within/it'), content: 'ours' } },
    { title: 'Remove one', absent: { path: at('unwanted') } },
    { title: 'Change one by a script', run: `echo ours >${at('zone')}`, undo: ':', changes: { files: [at('zone')] } },
  ];
  const away = (): Step[] => [
    { title: 'Remove it', absent: { path: at('conf') } },
    { title: 'Remove the link', absent: { path: at('link') } },
    { title: 'Remove the new one', absent: { path: at('made/within/it') } },
  ];
  function furnish() {
    mkdirSync(at('data'), { mode: 0o711 });
    writeFileSync(at('conf'), 'theirs', { mode: 0o600 });
    symlinkSync('/nowhere', at('link'));
    writeFileSync(at('unwanted'), 'theirs', { mode: 0o640 });
    writeFileSync(at('zone'), 'theirs');
  }

  it('returns when the service goes, and what was not there goes with it', async () => {
    adopt();
    furnish();
    const was = shown();
    expect((await act(install(), INSTALLED)).outcome).toEqual({ how: 'ok' });
    expect(statSync(join(state, 'before')).mode & 0o777).toBe(0o700);
    // The first record stays, whatever is applied later.
    expect((await act([{ title: 'Write', file: { path: at('conf'), content: 'ours 2' } }], INSTALLED)).outcome).toEqual({
      how: 'ok',
    });
    const managed = shown();

    const steps = await removal(away());
    expect(steps.map(({ title }) => title.replaceAll(`${folder}/place/`, '')).sort()).toEqual([
      'Remove made/within/it',
      'Remove new, if it is empty',
      'Restore conf as it was before',
      'Restore link as it was before',
      'Restore owner and mode of data',
      'Restore unwanted as it was before',
      'Restore zone as it was before',
    ]);
    const gone = await act(steps, REMOVED);
    expect(gone.outcome).toEqual({ how: 'ok' });
    expect(shown()).toEqual(was);
    expect((await before())?.noted).toEqual([]);

    // A roll-back of the removal brings the managed state back, and the notes with it.
    expect(await gone.undo()).toEqual({ how: 'ok' });
    expect(shown()).toEqual(managed);
    expect((await act(await removal(away()), REMOVED)).outcome).toEqual({ how: 'ok' });
    expect(shown()).toEqual(was);
  });

  it('is as it was after a roll-back of the installation, and is no longer noted', async () => {
    adopt();
    furnish();
    const was = shown();
    const { undo } = await act(install(), INSTALLED);
    expect((await before())?.services).toEqual(['x']);
    expect(await undo()).toEqual({ how: 'ok' });
    // An undo by a script is its author's.
    writeFileSync(at('zone'), 'theirs');
    expect(shown()).toEqual(was);
    expect(await before()).toEqual({ noted: [], added: [], gone: [], services: [] });
  });

  it('is noted before anything is touched: a file too large for a copy stops the work', async () => {
    adopt();
    writeFileSync(at('large'), Buffer.alloc(65 * 1024 * 1024));
    const steps: Step[] = [
      { title: 'Write', file: { path: at('conf'), content: 'ours' } },
      { title: 'Write over it', file: { path: at('large'), content: 'ours' } },
    ];
    const { outcome } = await act(steps, INSTALLED);
    expect(outcome).toMatchObject({ how: 'failed', index: 0, tail: expect.stringContaining('is larger than the 64 MiB') });
    expect(shown().map((line) => line.slice(0, 20))).toEqual(['/place/large 644 \0\0\0']);
  });

  it('is not noted on a host that was not adopted: a removal is what its taskserv says', async () => {
    furnish();
    await act(install(), INSTALLED);
    expect(await before()).toBeUndefined();
    expect(await removal(away())).toEqual(away());
    expect(readdirSync(state).sort()).not.toContain('before');
  });
});
