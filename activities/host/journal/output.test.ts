import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps } from './execute.js';
import type { RunnerEvent } from './runner.js';

const EMPTY_IT = 'truncate(STDOUT, 0) or print "cannot: $!\\n"; open(F, "+<", "/proc/self/fd/1") && truncate(F, 0)';

describe.runIf(mayMount)('what steps print', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'journal-output-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const execute = async (steps: string[]) => {
    const { state, host } = journalHost(folder);
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
    return { outcome, printed, stream: readFileSync(join(state, 'operations/op-1/x/1/stream'), 'utf8') };
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
});
