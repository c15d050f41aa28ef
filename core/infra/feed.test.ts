import { describe, expect, test } from 'vitest';
import type { Definition } from '../definition/definition.js';
import { addressOf, DefinitionLog } from './definition-log.js';
import { type FeedContent, type FeedEntry, hasEnded, replayFeed } from './feed.js';
import type { InventoryChange } from './inventory.js';
import { selfContained } from './write-changes.js';

const scope = { workspace: 'w', infra: 'i' };
const definition = (name: string) => ({ infra: name, servers: [] }) as unknown as Definition;
const network = (name: string): InventoryChange => ({
  change: 'network',
  network: { name, provider: 'demo', id: name, since: 'o' },
});
const feed = (...contents: FeedContent[]) => ({
  uuid: 'u',
  entries: contents.map((content, index): FeedEntry => ({ sequence: index + 1, at: `at-${index}`, content })),
});
const by = (operation: string, ...changes: InventoryChange[]): FeedContent => ({
  kind: 'changes',
  operation,
  actor: 'ada',
  grant: 1,
  changes,
});

describe('a feed that is replayed', () => {
  test('gives the inventory, the definitions with who applied them and when, and what was received', () => {
    const [a, b] = [definition('a'), definition('b')];
    const applied = feed(
      by('one', { change: 'received', submitted: 't1' }, { change: 'definition', definition: a }, network('n')),
      by('two', { change: 'definition', definition: b }, network('m'), { change: 'network-gone', name: 'n' }),
      by('three', { change: 'definition-applied', hash: addressOf(a) }),
    );
    const { inventory, definitions, received } = replayFeed(scope, applied);
    expect(Object.keys(inventory.networks)).toEqual(['m']);
    expect(inventory).toMatchObject({ ...scope, uuid: 'u', definition: a });
    expect(definitions.entries.map(({ operation, at }) => [operation, at])).toEqual([
      ['one', 'at-0'],
      ['two', 'at-1'],
      ['three', 'at-2'],
    ]);
    expect(received).toEqual({ operation: 'one', submitted: 't1' });
    const back = replayFeed(scope, {
      ...applied,
      entries: [...applied.entries, ...feed(by('back', { change: 'definition-undone', of: 'three' })).entries],
    });
    expect(back.inventory.definition).toEqual(b);
  });

  test('begins with the last snapshot, which stays as it was', () => {
    const first = replayFeed(scope, feed(by('one', network('n'), { change: 'definition', definition: definition('a') })));
    const snapshot: FeedContent = { kind: 'snapshot', ...first };
    const text = JSON.stringify(snapshot);
    const after = replayFeed(scope, feed(by('lost', network('lost')), snapshot, by('two', network('m'))));
    expect(Object.keys(after.inventory.networks)).toEqual(['n', 'm']);
    expect(after.definitions).toEqual(first.definitions);
    expect(JSON.stringify(snapshot)).toBe(text);
  });

  test('is over with an end, unless something comes after it', () => {
    const ended = feed(by('one', network('n')), { kind: 'ended' });
    expect([hasEnded(ended), Object.keys(replayFeed(scope, ended).inventory.networks)]).toEqual([true, []]);
    const again = feed(by('one', network('n')), { kind: 'ended' }, by('two', network('m')));
    expect([hasEnded(again), Object.keys(replayFeed(scope, again).inventory.networks)]).toEqual([false, ['m']]);
  });
});

test('a definition is in a feed once: whole where the feed has it not, else by its address', () => {
  const [a, b] = [definition('a'), definition('b')];
  const log = new DefinitionLog();
  const brought = new Map([[addressOf(a), a]]);
  const applied: InventoryChange = { change: 'definition-applied', hash: addressOf(a) };
  const whole: InventoryChange = { change: 'definition', definition: a };
  expect(selfContained(log, [applied], brought)).toEqual([whole]);
  log.apply(a, { operation: 'one', actor: 'ada', at: '' });
  expect(selfContained(log, [applied, whole, { change: 'definition', definition: b }], brought)).toEqual([
    applied,
    applied,
    { change: 'definition', definition: b },
  ]);
});
