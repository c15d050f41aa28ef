/** What the user lets definitions take beside what lies in their workspace, comma-separated: never a definition or a file of it. */
export const ALLOWED_ENV = 'PROVISIONING_GIVEN_ENV';
export const ALLOWED_FILES = 'PROVISIONING_GIVEN_FILES';

/** Whether the user's environment lists a name or a path, just so. */
export const isAllowed = (env: NodeJS.ProcessEnv, list: typeof ALLOWED_ENV | typeof ALLOWED_FILES, name: string): boolean =>
  (env[list] ?? '').split(',').some((one) => one.trim() === name);
