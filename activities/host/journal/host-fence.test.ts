import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import { activityEnvironment } from '../../../test/support/activity-environment.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { runScripts } from '../script/run.js';
import type { Transport } from '../transport.js';
import { executeSteps, type Outcome, undoSteps } from './execute.js';

const silent = { write() {}, async close() {} };
const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };

describe.skipIf(!mayMount)('a host that has seen a grant', () => {
  let folder: string;
  let state: string;
  let host: Transport;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'host-fence-'));
    ({ state, host } = journalHost(folder));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const jobOf = (operation: string, grant: number | undefined, uuid = 'u') => ({
    scope: { workspace: 'default', infra: 'shop', uuid },
    server: 'web-1',
    operation,
    taskserv: 'trial',
    generation: 1,
    ...(grant === undefined ? {} : { grant }),
  });
  const step = (name: string): Step => ({ title: name, run: `touch ${folder}/${name}`, undo: `rm -f ${folder}/${name}` });
  const run = (operation: string, grant?: number, steps = [step(operation)], uuid = 'u'): Promise<Outcome> => {
    const job = { ...jobOf(operation, grant, uuid), owner: `${uuid} default shop`, steps, sealer, reveal: String };
    return executeSteps(host, job, () => {});
  };
  const undo = (operation: string, grant?: number) =>
    undoSteps(host, { ...jobOf(operation, grant), steps: [step(operation)], opened: [] }, () => {});
  /** As activities do it, which ask whether their grant holds where the host has seen a later one. */
  const act = (operation: string, grant: number, stillHolds: boolean) => {
    const scripted = { scope: jobOf('', 0).scope, server: 'web-1', open: async () => ({ ...host, close() {} }) };
    const work = { ...jobOf(operation, grant), steps: [step(operation)], stillHolds: async () => stillHolds };
    const mask = { hide: (text: string) => text, pieces: () => (piece: string) => piece, with: () => mask };
    const secrets = { get: async () => undefined, mask: async () => mask } as never;
    const dependencies = { sealer, logs: { open: async () => silent } } as never;
    return activityEnvironment().run(() => runScripts(scripted, work, secrets, dependencies));
  };
  const did = (name: string) => existsSync(join(folder, name));
  const noted = () => readFileSync(join(state, 'grant'), 'utf8').trim();

  it('refuses an earlier one of the same infra, and does the same and later ones', async () => {
    expect(await run('first', 7)).toEqual({ how: 'ok' });
    expect(noted()).toBe('u 7');
    expect(statSync(join(state, 'grant')).mode & 0o777).toBe(0o600);
    expect([await run('earlier', 6), did('earlier')]).toEqual([{ how: 'superseded', seen: 7 }, false]);
    expect([await run('same', 7), did('same')]).toEqual([{ how: 'ok' }, true]);
    expect([await run('later', 2 ** 31 + 1), did('later')]).toEqual([{ how: 'ok' }, true]);
    expect(noted()).toBe(`u ${2 ** 31 + 1}`);
  });

  it('refuses an earlier one also where that is to be undone, or was done before', async () => {
    await run('first', 7);
    await run('second', 8);
    expect([await run('first', 7), await undo('first', 7), did('first')]).toEqual([
      { how: 'superseded', seen: 8 },
      { how: 'superseded', seen: 8 },
      true,
    ]);
    expect([await undo('first', 9), did('first'), noted()]).toEqual([{ how: 'ok' }, false, 'u 9']);
  });

  it('goes by the grants of one infra only, and not by what it cannot read', async () => {
    await run('first', 7);
    const handOver = () => rmSync(join(state, 'owner'));
    handOver();
    expect([await run('other', 3, undefined, 'v'), noted()]).toEqual([{ how: 'ok' }, 'v 3']);
    handOver();
    writeFileSync(join(state, 'grant'), 'u many');
    expect([await run('again', 2), noted()]).toEqual([{ how: 'ok' }, 'u 2']);
  });

  it('does what a former release asks for, which names none', async () => {
    await run('first', 7);
    expect([await run('former'), did('former'), noted()]).toEqual([{ how: 'ok' }, true, 'u 7']);
    expect([await undo('former'), did('former')]).toEqual([{ how: 'ok' }, false]);
  });

  it('takes an earlier one that holds now in place of the one that it has seen, as after an older backup was restored', async () => {
    await run('first', 9);
    await expect(act('ended', 6, false)).rejects.toMatchObject({ details: { code: 'grant-superseded' } });
    expect([did('ended'), noted()]).toEqual([false, 'u 9']);
    expect([await act('restored', 6, true), did('restored'), noted()]).toEqual([{ executed: 1 }, true, 'u 6']);
    // A later operation came in between. Its place is not taken.
    expect(await run('second', 8)).toEqual({ how: 'ok' });
    const job = { ...jobOf('late', 6), past: 9, owner: 'u default shop', steps: [step('late')], sealer, reveal: String };
    expect(await executeSteps(host, job, () => {})).toEqual({ how: 'superseded', seen: 8 });
    expect(did('late')).toBe(false);
  });

  it('ends work of an earlier one before its next step, and does the later one then', async () => {
    const steps = [
      { title: 'slow', run: `touch ${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.05; done`, undo: 'true' },
      step('next'),
    ];
    const earlier = run('earlier', 7, steps);
    while (!did('begun')) await sleep(20);
    const later = run('later', 8);
    while (noted() !== 'u 8') await sleep(20);
    expect(did('later')).toBe(false);
    writeFileSync(join(folder, 'go'), '');
    expect([await earlier, await later]).toEqual([{ how: 'superseded', seen: 8 }, { how: 'ok' }]);
    expect([did('next'), did('later')]).toEqual([false, true]);
  });

  it('does the work of several that hold it at once, as balancers are drained', async () => {
    const slow = { title: 'slow', run: `touch ${folder}/begun; while [ ! -e ${folder}/go ]; do sleep 0.05; done`, undo: 'true' };
    const first = run('first', 9, [slow]);
    while (!did('begun')) await sleep(20);
    const earlier = act('earlier', 10, true);
    while (noted() !== 'u 10') await sleep(20);
    const later = act('later', 11, true);
    while (noted() !== 'u 11') await sleep(20);
    const ended = act('ended', 8, false);
    await expect(ended).rejects.toMatchObject({ details: { code: 'grant-superseded' } });
    writeFileSync(join(folder, 'go'), '');
    expect(await first).toEqual({ how: 'ok' });
    expect([await earlier, await later, did('earlier'), did('later')]).toEqual([{ executed: 1 }, { executed: 1 }, true, true]);
    expect(did('ended')).toBe(false);
  });

  it('notes the latest of many that come at once', async () => {
    const outcomes = await Promise.all([11, 14, 12, 15, 13].map((grant) => run(`one-${grant}`, grant)));
    expect(noted()).toBe('u 15');
    expect(outcomes[3]).toEqual({ how: 'ok' });
  });
});
