import { randomBytes } from 'node:crypto';

/** Generates a unique name, such as `postgres-3f9a2c`. */
export const environmentName = (about: string): string => {
  const word = about
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32);
  return `${word || 'test'}-${randomBytes(3).toString('hex')}`;
};
