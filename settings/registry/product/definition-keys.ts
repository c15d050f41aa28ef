import { REGIONS } from '../../../core/machine/provider.js';
import type { Key } from '../registry.js';

/** Keys with defaults of definitions. */
export const DEFINITION_KEYS: readonly Key[] = [
  {
    name: 'servers.defaultProvider',
    type: {
      kind: 'text',
      form: {
        pattern: '^[a-z][a-z0-9-]{0,39}(/[a-z][a-z0-9-]{0,39})?$',
        words: 'a provider, or an account of one as hetzner/prod',
      },
    },
    description: 'Default provider of definitions: one of `provider list`, or an account.',
    otherwise: 'local',
    scope: 'client',
  },
  {
    name: 'servers.defaultRegion',
    type: { kind: 'choice', choices: REGIONS },
    description: 'Default region of definitions.',
    otherwise: "the provider's own choice",
    scope: 'client',
  },
  {
    name: 'servers.defaultPlan',
    type: { kind: 'text' },
    description: 'Default plan of servers: small, medium, large, xlarge, or the name of a plan at the provider.',
    otherwise: 'small',
    scope: 'client',
  },
  {
    name: 'servers.defaultImage',
    type: { kind: 'text' },
    description: 'Default operating system of servers.',
    otherwise: "the provider's",
    scope: 'client',
  },
  {
    name: 'servers.protect',
    type: { kind: 'switch' },
    description: 'Default protection of infras against deletion.',
    otherwise: 'false',
    scope: 'client',
  },
  {
    name: 'rolling.strategy',
    type: { kind: 'choice', choices: ['rolling', 'all-at-once'] },
    description: 'Rollout of changes to running servers: in waves, or all at once.',
    otherwise: 'rolling',
    scope: 'client',
  },
  {
    name: 'rolling.batch',
    type: { kind: 'share' },
    description: 'Number of servers per role in a wave.',
    unit: 'servers',
    otherwise: '25%',
    scope: 'client',
  },
  {
    name: 'rolling.maxUnavailable',
    type: { kind: 'share' },
    description: 'Number of servers per role that may be out of service together.',
    unit: 'servers',
    otherwise: 'as many as a wave has',
    scope: 'client',
  },
  {
    name: 'rolling.pauseOnFailure',
    type: { kind: 'switch' },
    description: 'Whether a rollout waits for a person after a failure.',
    otherwise: 'false',
    scope: 'client',
  },
  {
    name: 'languages.folders',
    type: { kind: 'text' },
    description:
      'Folders that `kcl` and `nickel` may read in addition to the system and the workspace: absolute paths, comma-separated. Add their installation folders if these are outside of `/usr`.',
    otherwise: 'none',
    scope: 'engine',
  },
];
