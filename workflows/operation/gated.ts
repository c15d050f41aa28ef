import type { Window } from './window.js';

type Activity = ((...args: never[]) => Promise<unknown>) & { executeWithOptions(...args: never[]): Promise<unknown> };

/** The same activities, each of which begins only when `go` says so, and when it has a place in the window. */
export function guardActivities<T extends { [name in keyof T]: Activity }>(
  activities: T,
  go: () => Promise<void>,
  window: Pick<Window, 'take' | 'turn' | 'run'>,
): T {
  const wrapped = Object.entries<Activity>(activities as Record<string, Activity>).map(([name, activity]) => {
    const begin = async (...args: never[]) => {
      await go();
      if (!window.take()) await window.turn();
      return window.run(() => activity(...args));
    };
    const executeWithOptions = async (...args: never[]) => {
      await go();
      if (!window.take()) await window.turn();
      return window.run(() => activity.executeWithOptions(...args));
    };
    return [name, Object.assign(begin, { executeWithOptions })];
  });
  return Object.fromEntries(wrapped) as T;
}
