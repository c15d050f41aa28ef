import { Context, heartbeat } from '@temporalio/activity';

/** Starts that are on their way to the server at once. */
export const STARTS_AT_ONCE = 24;

/** Runs work for each item, so many at a time, with heartbeats. */
export async function forEachLimited<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      Context.current().cancellationSignal.throwIfAborted();
      await work(item);
      heartbeat();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
}
