import { expect, test } from 'vitest';
import type { Feed, FeedContent } from '../infra/feed.js';
import type { Orphan } from '../operation/orphans.js';
import { describeLostInfra } from './lost-infras.js';

const place = { workspace: 'w', infra: 'i' };
const nothing = { ...place, feeds: [], orphans: [], hasKey: false };
const feed = (uuid: string, at: string, ...contents: FeedContent[]): Feed => ({
  uuid,
  entries: contents.map((content, index) => ({ sequence: index + 1, at, content })),
});
const network = (name: string): FeedContent => ({
  ...{ kind: 'changes', operation: 'o', actor: 'ada', grant: 1 },
  changes: [{ change: 'network', network: { name, provider: 'demo', id: name, since: 'o' } }],
});
const orphan = (uuid: string, kind: Orphan['kind'], infra = 'i'): Orphan => ({
  ...{ kind, name: kind, id: kind, provider: 'demo', scope: { workspace: 'w', infra, uuid }, reason: 'r' },
});

test('of an infra that was deleted nothing is lost, also where something of it was left', () => {
  const ended = feed('u', 't', network('n'), { kind: 'ended' });
  expect(describeLostInfra(nothing)).toBeUndefined();
  expect(describeLostInfra({ ...nothing, feeds: [ended, feed('v', 't')], orphans: [orphan('u', 'server')] })).toBeUndefined();
  expect(describeLostInfra({ ...nothing, feeds: [ended], orphans: [orphan('v', 'server'), orphan('v', 'server', 'j')] })).toEqual({
    infra: 'i',
    labelled: { server: 1 },
  });
});

test('it is what its latest life has, what bears its labels, and its key', () => {
  const feeds = [feed('old', 't1', network('a'), network('b')), feed('new', 't2', network('a'))];
  expect(describeLostInfra({ ...nothing, feeds, hasKey: true })).toEqual({
    infra: 'i',
    feed: { uuid: 'new', at: 't2', servers: 0, networks: 1 },
    key: true,
  });
  // The life with the most labelled resources, as a recovery would choose.
  expect(describeLostInfra({ ...nothing, feeds, orphans: [orphan('old', 'network')] })?.feed).toMatchObject({
    uuid: 'old',
    networks: 2,
  });
  expect(describeLostInfra({ ...nothing, feeds, orphans: [orphan('old', 'network', 'j')] })?.feed?.uuid).toBe('new');
  expect(describeLostInfra({ ...nothing, feeds: { damaged: 'why' } })).toEqual({ infra: 'i', damaged: 'why' });
});
