import type * as z from 'zod';

/** Declared contents of a database server, and the settings of the server. */
interface ServerContents {
  users: readonly { name: string }[];
  databases: readonly { name: string; owner?: string }[];
  settings: Readonly<Record<string, unknown>>;
}

/**
 * Checks the contents of any database server: owners are among its accounts, names are unique, and no setting repeats
 * another key. For `superRefine`.
 *
 * @param reserved settings that other keys, or the distribution, decide
 * @param ownUsers accounts that the server itself has, and that may own databases
 */
export const checkServerContents =
  (reserved: readonly string[], ownUsers: readonly string[] = []) =>
  ({ users, databases, settings }: ServerContents, context: z.RefinementCtx): void => {
    const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const known = [...ownUsers, ...users.map(({ name }) => name)];
    databases.forEach(({ owner }, index) => {
      if (owner !== undefined && !known.includes(owner)) wrong(['databases', index, 'owner'], `"${owner}" is not in users`);
    });
    for (const [key, named] of Object.entries({ users, databases })) {
      const names = named.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice) wrong([key], `"${twice}" is named twice`);
    }
    for (const setting of reserved.filter((name) => name in settings)) {
      wrong(['settings', setting], 'other settings determine this setting: remove it here');
    }
  };
