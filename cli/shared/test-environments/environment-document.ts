import type { TestEnvironment } from '../../../core/environment/test-environment.js';

/** Returns a test environment for `--json`, with its scripts by name. */
export const environmentDocument = ({ infra, scripts = [], workspace: _, owner: __, ...more }: TestEnvironment) => ({
  environment: infra,
  ...more,
  scripts: scripts.map(({ name }) => name),
});
