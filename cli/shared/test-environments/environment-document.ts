import type { TestEnvironment } from '../../../core/environment/test-environment.js';

/** A test environment as `--json` shows it; of its scripts the names. */
export const environmentDocument = ({ infra, scripts = [], workspace: _, owner: __, ...more }: TestEnvironment) => ({
  environment: infra,
  ...more,
  scripts: scripts.map(({ name }) => name),
});
