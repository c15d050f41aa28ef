import { REGIONS } from '../../../core/machine/provider.js';
import type { Key } from '../registry.js';

/** What a definition has where it says nothing itself. */
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
    description: 'Where the servers of a definition come from that names no provider: one of `provider list`, or an account.',
    otherwise: 'local',
    scope: 'client',
  },
  {
    name: 'servers.defaultRegion',
    type: { kind: 'choice', choices: REGIONS },
    description: 'Where the servers of a definition are that names no region.',
    otherwise: "the provider's own choice",
    scope: 'client',
  },
  {
    name: 'servers.defaultPlan',
    type: { kind: 'text' },
    description: "The plan of a server that names none: small, medium, large, xlarge, or one of the provider's own.",
    otherwise: 'small',
    scope: 'client',
  },
  {
    name: 'servers.defaultImage',
    type: { kind: 'text' },
    description: 'The operating system of a server that names none.',
    otherwise: "the provider's",
    scope: 'client',
  },
  {
    name: 'servers.protect',
    type: { kind: 'switch' },
    description: 'Whether an infra is protected against deletion whose definition says nothing of it.',
    otherwise: 'false',
    scope: 'client',
  },
  {
    name: 'rolling.strategy',
    type: { kind: 'choice', choices: ['rolling', 'all-at-once'] },
    description: 'How changes reach servers that serve already: in waves, or all at once.',
    otherwise: 'rolling',
    scope: 'client',
  },
  {
    name: 'rolling.batch',
    type: { kind: 'share' },
    description: 'How many servers of a role are one wave.',
    unit: 'servers',
    otherwise: '25%',
    scope: 'client',
  },
  {
    name: 'rolling.maxUnavailable',
    type: { kind: 'share' },
    description: 'How many servers of a role may be out of service at a time.',
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
      'Folders that `kcl` and `nickel` may read besides the system and the workspace: absolute paths, comma-separated. Name those that they are installed in, if these are outside of `/usr`.',
    otherwise: 'none',
    scope: 'engine',
  },
];
