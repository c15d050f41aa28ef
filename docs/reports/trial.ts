import { expect } from 'vitest';
import { anotherOwnerHint } from '../../core/machine/another-owner.js';
import { type Play, problems, server, steps } from './play.js';

const MIGRATED = {
  name: 'shop',
  source: {
    ...{ git: 'https://git.example.org/shop.git', ref: 'main' },
    resolved: { commit: 'c'.repeat(40), sha256: 'a'.repeat(64), kept: ['1'.repeat(64)] },
  },
  migrate: 'node migrate.js',
};

/** Faults of the trial that can be played without an engine. */
export const TRIAL: Record<string, Play> = {
  T7: async () => {
    const source = { git: 'https://git.example.org/shop.git' };
    const env = { MAIL_KEY: { generate: 'ca', name: 'mail' } };
    expect(await problems(server('app', { name: 'shop', source, processes: { web: { command: './web' } }, env }))).toEqual([]);
  },
  T13: () => {
    const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
    const hint = anotherOwnerHint(scope, { ...scope, uuid: 'u-2' });
    expect(hint).toMatch(
      /^if another home has it, work there or share one \(docs\/operate\/team\.md\); if this home lost its data/,
    );
  },
  T15: () => {
    const said = JSON.stringify(steps('app-migrate', MIGRATED));
    expect(said).toContain('the migration failed with code');
    expect(said).not.toContain('goes on serving');
  },
};
