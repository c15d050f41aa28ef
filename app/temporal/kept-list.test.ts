import type { WorkflowExecutionInfo } from '@temporalio/client';
import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { KeptLists } from './kept-list.js';
import { CLOSE_CONDITION, OPEN } from './visibility.js';

interface Run {
  id: string;
  start: number;
  close?: number;
}

/** As Temporal compares the close time of a workflow that is open. */
const OPEN_CLOSES = Date.parse('9999-12-31T23:59:59Z');

/** Whether a run is in Temporal's answer to a query. */
function fulfils({ start, close }: Run, query: string): boolean {
  let terms = query
    .replaceAll(OPEN, String(close === undefined))
    .replaceAll(CLOSE_CONDITION, String(close !== undefined))
    .replaceAll(/StartTime >= '([^']+)'/g, (_, since) => String(start >= Date.parse(since)))
    .replaceAll(/CloseTime >= '([^']+)'/g, (_, since) => String((close ?? OPEN_CLOSES) >= Date.parse(since)))
    .replace(/^Kind = '\w+'/, 'true');
  const isTrue = (flat: string) => flat.split(' OR ').some((one) => one.split(' AND ').every((term) => term === 'true'));
  while (terms.includes('(')) terms = terms.replace(/\(([^()]*)\)/, (_, flat) => String(isTrue(flat)));
  if (/[^ truefalsANDOR]/.test(terms)) throw new Error(`the test's list does not know: ${terms}`);
  return isTrue(terms);
}

/** Temporal's list, which answers the two queries of a kept list. */
class Listed {
  now = 1_000_000_000;
  readonly runs: Run[] = [];
  /** Workflows that were read. */
  read = 0;
  queries = 0;
  fails = false;

  async *list(query: string): AsyncGenerator<WorkflowExecutionInfo> {
    this.queries += 1;
    if (this.fails) throw new Error('no answer');
    const found = this.runs.filter((run) => fulfils(run, query));
    // As Temporal does: open ones first, then the last that closed.
    for (const { id, start, close } of found.sort((a, b) => (b.close ?? OPEN_CLOSES) - (a.close ?? OPEN_CLOSES))) {
      this.read += 1;
      yield {
        workflowId: id,
        startTime: new Date(start),
        ...(close !== undefined && { closeTime: new Date(close) }),
      } as WorkflowExecutionInfo;
    }
  }

  open(): string[] {
    return this.runs
      .filter(({ close }) => close === undefined)
      .map(({ id }) => id)
      .sort();
  }

  start(id: string): void {
    if (!this.open().includes(id)) this.runs.push({ id, start: this.now });
  }

  end(id: string, continues = false): void {
    const run = this.runs.find((one) => one.id === id && one.close === undefined);
    if (!run) return;
    run.close = this.now;
    if (continues) this.start(id);
  }
}

function listOf(listed: Listed) {
  const lists = new KeptLists({ list: (query) => listed.list(query), now: () => listed.now });
  return async (conditions = "Kind = 'infra'") => (await lists.list(conditions)).map(({ workflowId }) => workflowId).sort();
}

test('in any order of begins, ends, new runs and waits, the list is that of Temporal', async () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const event = fc.oneof(
    fc.record({ what: fc.constantFrom('start', 'end', 'continue'), id }),
    fc.record({ what: fc.constant('wait'), ms: fc.constantFrom(1, 1_000, 29_000, 31_000, 61_000, 600_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const listed = new Listed();
      const list = listOf(listed);
      for (const one of events) {
        if ('ms' in one) listed.now += one.ms;
        else if (one.what === 'start') listed.start(one.id);
        else listed.end(one.id, one.what === 'continue');
        expect(await list()).toEqual(listed.open());
      }
    }),
  );
});

test('a look reads only what has changed, and the whole list is read each half minute', async () => {
  const listed = new Listed();
  for (let index = 0; index < 500; index++) listed.start(`infra-${index}`);
  listed.now += 40_000;
  const list = listOf(listed);
  const cost = async () => {
    listed.read = 0;
    expect(await list()).toHaveLength(listed.open().length);
    return listed.read;
  };
  expect(await cost()).toBe(500);
  listed.now += 20_000;
  listed.start('new');
  expect(await cost()).toBe(1);
  listed.now += 11_000;
  expect(await cost()).toBeLessThanOrEqual(502);
  await new Promise(setImmediate);
  expect(await cost()).toBe(1);
});

test('what Temporal deletes without an end is gone after a minute', async () => {
  const listed = new Listed();
  listed.start('a');
  listed.start('b');
  const list = listOf(listed);
  expect(await list()).toEqual(['a', 'b']);
  listed.runs.pop();
  listed.now += 60_000;
  expect(await list()).toEqual(['a']);
});

test('lists of other conditions are others, and a failed look is a failure', async () => {
  const listed = new Listed();
  listed.start('a');
  const list = listOf(listed);
  expect(await list()).toEqual(['a']);
  listed.fails = true;
  await expect(list()).rejects.toThrow('no answer');
  await expect(list("Kind = 'batch'")).rejects.toThrow('no answer');
  listed.now += 40_000;
  await expect(list()).rejects.toThrow('no answer');
  listed.fails = false;
  listed.start('b');
  expect(await list()).toEqual(['a', 'b']);
});

test('calls at the same time share a look that begins after them', async () => {
  const listed = new Listed();
  listed.start('a');
  const list = listOf(listed);
  await list();
  listed.now += 20_000;
  listed.queries = 0;
  const first = list();
  listed.start('b');
  const others = await Promise.all(Array.from({ length: 20 }, () => list()));
  for (const other of others) expect(other).toEqual(['a', 'b']);
  expect((await first).at(0)).toBe('a');
  expect(listed.queries).toBe(2);
});
