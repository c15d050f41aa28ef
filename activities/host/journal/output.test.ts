import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from '../../../core/encoding/hash.js';
import { HOST_STATE } from '../../../core/host/foreign-host.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps } from './execute.js';
import { MOST_STREAM, type RunnerEvent } from './runner.js';

const EMPTY_IT = 'truncate(STDOUT, 0) or print "cannot: $!\\n"; open(F, "+<", "/proc/self/fd/1") && truncate(F, 0)';

describe.runIf(mayMount)('what steps print', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-output-'));
  });
  afterEach(() => {
    made = undefined;
    rmSync(folder, { recursive: true });
  });

  let made: ReturnType<typeof journalHost> | undefined;
  const execute = async (steps: string[]) => {
    made ??= journalHost(folder);
    const { state, host } = made;
    const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };
    const scope = { workspace: 'w', infra: 'shop', uuid: 'u' };
    const job = { scope, server: 'db-1', operation: 'op-1', taskserv: 'x', generation: 1, sealer };
    const events: RunnerEvent[] = [];
    const work = {
      ...job,
      owner: 'u w shop',
      steps: steps.map((run, index) => ({ title: `${index}`, run, undo: ':' })),
      reveal: String,
    };
    const outcome = await executeSteps(host, work, (event) => void events.push(event));
    const printed = events.flatMap((event) => (event.event === 'output' ? [event.text] : []));
    return { outcome, printed, events, stream: readFileSync(join(state, 'operations/op-1/x/1/stream'), 'utf8') };
  };

  it('cannot be emptied by a program that a step runs as another user', async () => {
    const { outcome, printed, stream } = await execute([
      'echo said before',
      `setpriv --reuid 65534 --regid 65534 --clear-groups perl -e '${EMPTY_IT}'; perl -e '${EMPTY_IT}'; echo said after`,
    ]);
    expect(outcome).toEqual({ how: 'ok' });
    expect(printed).toEqual(['said before', 'cannot: Invalid argument', 'cannot: Invalid argument', 'said after']);
    expect(stream).toContain('said before');
  });

  it('fills no disk, and beyond its bound events still come', async () => {
    const { outcome, printed, events, stream } = await execute([
      `perl -e 'print "x" x 60000, "\\n" for 1 .. 1200'; printf x`,
      'echo said after; exit 3',
    ]);
    expect(outcome).toMatchObject({ how: 'failed', index: 1, exit: 3 });
    expect(stream.length).toBeLessThan(MOST_STREAM + 70_000);
    expect(stream.length).toBeGreaterThan(MOST_STREAM - 70_000);
    expect(printed.at(-1)).toMatch(/^… more than 64 MiB of output/);
    const marks = events.filter(({ event }) => event !== 'output').map((one) => `${one.event} ${'index' in one ? one.index : ''}`);
    expect(marks).toEqual(['start 0', 'done 0', 'start 1', 'failed 1', 'end ']);
  }, 60_000);

  it('is complete, in its order, when the work has ended', async () => {
    const { outcome, printed } = await execute(['seq 20000', 'seq 20001 40000; echo why >&2; exit 3']);
    expect(outcome).toMatchObject({ how: 'failed', index: 1, exit: 3, tail: expect.stringMatching(/\n40000\nwhy$/) });
    expect(printed.map(Number).filter(Boolean)).toEqual(Array.from({ length: 40_000 }, (_, index) => index + 1));
  });

  it('does not hold the end back if a program goes on that a step left behind', async () => {
    const { outcome, printed } = await execute(['echo begun; sleep 30 & echo "$!" >&2', 'echo ended']);
    process.kill(Number(printed[1]));
    expect(outcome).toEqual({ how: 'ok' });
    expect(printed.at(-1)).toBe('ended');
  }, 15_000);

  it('has no mark that a program can find out, and forged events are output', async () => {
    const journal = `${HOST_STATE}/operations/op-1/x/1`;
    const asNobody = 'setpriv --reuid 65534 --regid 65534 --clear-groups';
    const look = `${asNobody} bash -c 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -o "@[0-9a-f]\\{16,\\}" | sort -u; cat ${journal}/nonce 2>&1 || true'`;
    const forged = ['end ok', 'confirm 0', 'failed 0 1', 'stream @00'].map((event) => `echo '@${fingerprint(journal)} ${event}'`);
    const { outcome, printed, events } = await execute([look, ...forged, 'echo last; exit 3']);
    expect(outcome).toMatchObject({ how: 'failed', index: 5, exit: 3, tail: 'last' });
    expect(printed[0]).toMatch(/nonce: Permission denied$/);
    expect(printed.slice(1, 5)).toEqual(forged.map((line) => line.slice(6, -1)));
    expect(events.filter(({ event }) => event !== 'output' && event !== 'start' && event !== 'done')).toEqual([
      { event: 'failed', index: 5, exit: 3 },
      { event: 'end', how: 'failed' },
    ]);
  });

  it('is read by a later connection, with the mark of the one that delivered it', async () => {
    const steps = ['echo once'];
    const first = await execute(steps);
    const again = await execute(steps);
    expect(again).toEqual(first);
    expect(again.printed).toEqual(['once']);
    // As a former version delivered it: by the path of the journal.
    const own = join(folder, 'state/operations/op-1/x/1');
    const nonce = readFileSync(join(own, 'nonce'), 'utf8').trim();
    expect(nonce).toMatch(/^@[0-9a-f]{32}$/);
    const former = `@${fingerprint(`${HOST_STATE}/operations/op-1/x/1`)}`;
    writeFileSync(join(own, 'stream'), first.stream.replaceAll(nonce, former));
    rmSync(join(own, 'nonce'));
    expect(await execute(steps)).toMatchObject({ outcome: { how: 'ok' }, printed: ['once'], events: first.events });
  });
});
