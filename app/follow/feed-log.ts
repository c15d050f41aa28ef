import { inputError } from '../../core/errors.js';
import type { Feed, FeedEntry } from '../../core/infra/feed.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import type { FeedHead, FeedStore } from '../../stores/feeds.js';
import { badCursor } from '../lists/bad-cursor.js';
import type { InfraChange, InfraEvent } from '../schemas/infra-event.js';
import { CURSOR_LENGTH, cursorOfPosition, type FeedPosition, lifeKey, positionOfCursor } from './feed-position.js';
import type { LogSource } from './shared-log.js';

/** Maximum number of infra feeds in memory, for followers that reconnect at once. */
const KEPT = 16;

type Scope = { workspace: string; infra?: string | undefined };

/** Creates a log of the feeds in a workspace, or of one infra. */
export function feedLog(feeds: Pick<FeedStore, 'heads' | 'read'>, scope: Scope): LogSource<InfraEvent> {
  const { workspace } = scope;
  const name = JSON.stringify([workspace, scope.infra ?? null]);
  const read = new Map<string, Promise<Feed[]>>();
  let heads: readonly FeedHead[] = [];
  let known: FeedPosition = new Map();
  let begun = false;

  const cursorOf = (position: FeedPosition): string => {
    const cursor = cursorOfPosition(name, position);
    if (cursor.length <= CURSOR_LENGTH) return cursor;
    const why = `its feeds have more than ${CURSOR_LENGTH} characters of positions`;
    const hint = 'follow its infras instead';
    throw inputError({ code: 'too-large', what: 'follow the workspace', on: workspace, why, hint });
  };

  /** Returns the feeds of an infra at least up to these heads. All callers with the same request share one read. */
  function feedsOf(infra: string, lives: readonly FeedHead[]): Promise<Feed[]> {
    const key = JSON.stringify([infra, ...lives.map(({ uuid, last }) => [uuid, last])]);
    const there = read.get(key);
    if (there) return there;
    const reading = feeds.read({ workspace, infra }).then((all) => all.sort(byTime));
    reading.catch(() => read.delete(key));
    read.set(key, reading);
    if (read.size > KEPT) read.delete(read.keys().next().value as string);
    return reading;
  }

  /** The events between two positions. `at` is moved on with them. */
  async function* between(at: Map<string, number>, until: readonly FeedHead[]): AsyncGenerator<InfraEvent> {
    const behind = until.filter((head) => head.last > (at.get(lifeKey(head)) ?? 0));
    for (const infra of new Set(behind.map((head) => head.infra))) {
      const lives = until.filter((head) => head.infra === infra);
      const lastOf = new Map(lives.map(({ uuid, last }) => [uuid, last]));
      for (const { uuid, entries } of await feedsOf(infra, lives)) {
        const key = lifeKey({ infra, uuid });
        for (const entry of entries) {
          if (entry.sequence <= (at.get(key) ?? 0) || entry.sequence > (lastOf.get(uuid) ?? 0)) continue;
          at.set(key, entry.sequence);
          yield { ...eventOf(entry), infra, uuid, cursor: cursorOf(at) };
        }
      }
    }
  }

  return {
    async poll(put) {
      const found = await feeds.heads(scope);
      const events: InfraEvent[] = [];
      const now = new Map(known);
      if (begun) for await (const event of between(now, found)) events.push(event);
      // If a snapshot replaced entries during the read, it contains them.
      else for (const head of found) now.set(lifeKey(head), head.last);
      heads = found;
      known = now;
      begun = true;
      put(events);
    },
    readAfter(cursor) {
      const from = positionOfCursor(name, cursor);
      const ahead = [...from].some(([key, sequence]) => (known.get(key) ?? sequence) < sequence);
      if (ahead) throw badCursor('the feed is older than the cursor: it was restored from a backup');
      const upTo = heads.map((head) => ({ ...head, last: Math.min(head.last, known.get(lifeKey(head)) ?? 0) }));
      return between(new Map(from), upTo);
    },
    start: () => ({ type: 'start', cursor: cursorOf(known) }),
  };
}

/** The lives of an infra follow each other. */
const byTime = (a: Feed, b: Feed): number => ((a.entries[0]?.at ?? '') < (b.entries[0]?.at ?? '') ? -1 : 1);

type Told = InfraEvent extends infer Event
  ? Event extends { sequence: number }
    ? Omit<Event, 'infra' | 'uuid' | 'cursor'>
    : never
  : never;

function eventOf({ sequence, at, content }: FeedEntry): Told {
  if (content.kind !== 'changes') return { type: content.kind, sequence, at };
  const { operation, actor, changes } = content;
  return { type: 'changes', sequence, at, operation, actor, changes: changes.map(changeOf) };
}

/** Returns the kind and the name of a change, without its content, which the inventory has. */
function changeOf(change: InventoryChange): InfraChange {
  const kind = change.change;
  switch (change.change) {
    case 'server':
      return { change: kind, server: change.server.name };
    case 'server-gone':
      return { change: kind, server: change.name };
    case 'network':
      return { change: kind, network: change.network.name };
    case 'network-gone':
      return { change: kind, network: change.name };
    case 'service':
      return { change: kind, server: change.server, taskserv: change.service.taskserv };
    case 'service-gone':
      return { change: kind, server: change.server, taskserv: change.taskserv };
    default:
      return { change: kind };
  }
}
