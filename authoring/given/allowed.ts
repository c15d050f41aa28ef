/**
 * Environment variables that list what definitions may use from outside their workspace, comma-separated. Only the
 * user sets them, never a definition or one of its files.
 */
export const ALLOWED_ENV = 'PROVISIONING_GIVEN_ENV';
export const ALLOWED_FILES = 'PROVISIONING_GIVEN_FILES';

/** Returns whether the user's environment lists exactly this name or path. */
export const isAllowed = (env: NodeJS.ProcessEnv, list: typeof ALLOWED_ENV | typeof ALLOWED_FILES, name: string): boolean =>
  (env[list] ?? '').split(',').some((one) => one.trim() === name);
