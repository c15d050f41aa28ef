type Activity = ((...args: never[]) => Promise<unknown>) & { executeWithOptions(...args: never[]): Promise<unknown> };

/** The same activities, each of which begins only when `go` says so. */
export function gated<T extends { [name in keyof T]: Activity }>(activities: T, go: () => Promise<void>): T {
  const wrapped = Object.entries<Activity>(activities as Record<string, Activity>).map(([name, activity]) => {
    const begin = async (...args: never[]) => {
      await go();
      return activity(...args);
    };
    const executeWithOptions = async (...args: never[]) => {
      await go();
      return activity.executeWithOptions(...args);
    };
    return [name, Object.assign(begin, { executeWithOptions })];
  });
  return Object.fromEntries(wrapped) as T;
}
